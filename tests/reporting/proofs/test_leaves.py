"""Parts of leaves are the bytes that the standard library writes, whichever encoder wrote them."""

import hmac
import json
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.changes.model import LogPosition
from landbridge.reporting.proofs.leaves import KeyedHash, LeafBuilder
from landbridge.reporting.proofs.model import LoggedChange, LoggedEntry, RecordOpening

_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
_MEMBERS = st.dictionaries(
    _TEXTS,
    st.recursive(
        st.none() | st.booleans() | st.integers() | _TEXTS,
        lambda each: st.lists(each) | st.dictionaries(_TEXTS, each),
        max_leaves=5,
    ),
)


@given(_MEMBERS, _MEMBERS)
def test_parts_are_canonical_json(facts: dict[str, object], details: dict[str, object]) -> None:
    opening = RecordOpening(
        user_id=UUID(int=2),
        request_id=UUID(int=3),
        source_asset="usdc:POLYGON",
        source_units=2**70,
        destination_asset="usdt:POLYGON",
        destination_units=1,
        details=json.dumps(details | {"rate": 0.1}),
    )
    change = LoggedChange(
        position=LogPosition(1, UUID(int=1), 1),
        kind="WALLET.SWAP",
        change_type="open",
        status_before=None,
        status_after="CREATED",
        actor="key:\x7f",
        facts=json.dumps(facts),
        occurred_at=datetime(2026, 11, 30, tzinfo=UTC),
        is_settled=True,
        snapshot_digest=b"\1",
        opening=opening,
        entries=(LoggedEntry("fees/usdc:POLYGON", UUID(int=4), "usdc:POLYGON", 2**70, 0),),
    )
    (leaf,) = LeafBuilder(b"k" * 32, 0).build([change])
    for part in leaf.parts:
        read = json.loads(part)
        assert part.decode() == json.dumps(read, sort_keys=True, separators=(",", ":"))
    first, record, entry = map(json.loads, leaf.parts)
    assert first["facts"] == facts
    assert record["details"] == details | {"rate": "0.1"}
    assert (first["object"], entry["wallet"]) == (str(UUID(int=1)), str(UUID(int=4)))


@given(st.binary(max_size=64), st.binary())
def test_keyed_hash_is_hmac(key: bytes, text: bytes) -> None:
    assert KeyedHash(key).digest(text) == hmac.digest(key, text, "sha256")
