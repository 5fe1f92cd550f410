"""Every way to falsify the books is found: by the operator, and by an outsider's old checkpoint.

An outsider has the public keys and one checkpoint. The operator who falsifies has the database, the
master key and this program.
"""
# ruff: noqa: S608, ISC004  the statements are put together from constants of this file

from base64 import b64decode
from datetime import timedelta
from typing import NamedTuple

import pytest

from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.changes.service import delete_snapshots
from landbridge.reporting.proofs.books_verifier import check_books
from landbridge.reporting.proofs.verifier import BooksInvalid, check_growth, check_proof, open_note
from tests.reporting.proofs import proof_books as books
from tests.tenants import Tenant, make_swap, make_user


class Forgery(NamedTuple):
    """Statements; $1 is the organisation and $2 a completed swap. `found` is in the finding."""

    found: str
    statements: tuple[str, ...]


_OF = "org_id = $1 and object_id = $2"
_ENTRIES_OF = "org_id = $1 and transfer_id = $2"
FORGERIES = {
    "a reason is edited": Forgery(
        "is not change",
        (f"update changes set facts = coalesce(facts, '{{}}') || '{{\"reason\": 1}}' where {_OF}",),
    ),
    "another actor is named": Forgery(
        "is not change", (f"update changes set actor = 'member:0' where {_OF} and seq = 1",)
    ),
    "a status is edited": Forgery(
        "is not change", (f"update changes set status_after = 'FAILED' where {_OF} and seq = 1",)
    ),
    "the amount of the record is edited": Forgery(
        "is not change",
        (
            "update transfers set source_units = source_units + 1, details = details ||"
            " jsonb_build_object('source_units', source_units + 1) where org_id = $1 and id = $2",
        ),
    ),
    "a balanced journal is larger": Forgery(
        "is not change",
        (f"update entries set available = available * 2, held = held * 2 where {_ENTRIES_OF}",),
    ),
    "a payment is deleted": Forgery(
        "is not change",
        (
            f"delete from entries where {_ENTRIES_OF}",
            f"delete from changes where {_OF}",
            "delete from transfers where org_id = $1 and id = $2",
        ),
    ),
    "a change is inserted": Forgery(
        "is not change",
        (
            "insert into changes (org_id, object_id, seq, kind, change_type, actor, occurred_at,"
            " is_settled, batch) select org_id, gen_random_uuid(), 1, kind, change_type, actor,"
            f" occurred_at, true, batch from changes where {_OF} and seq = 1",
        ),
    ),
    "two payments are exchanged": Forgery(
        "is not change",
        (
            "update changes c set batch = case when c.object_id = $2 then b.batch else a.batch end"
            " from (select max(batch) as batch from changes where org_id = $1 and object_id = $2)"
            " a,"
            " (select max(batch) as batch from changes where org_id = $1 and kind = 'ORG') b"
            " where c.org_id = $1 and (c.object_id = $2 or c.kind = 'ORG')",
        ),
    ),
    "the end is cut off": Forgery(
        "changes of them",
        (
            "delete from entries e using changes c where e.org_id = $1 and c.org_id = $1"
            " and c.object_id = e.transfer_id and c.seq = e.seq and c.batch >="
            " (select min(batch) from changes where org_id = $1 and object_id = $2)",
            "delete from changes c where org_id = $1 and batch >="
            " (select min(batch) from changes where org_id = $1 and object_id = $2)",
        ),
    ),
    "personal data is exchanged": Forgery(
        "is not change",
        (
            "update changes set sealed_snapshot = '\\x00' where org_id = $1"
            " and $2::uuid is not null and sealed_snapshot is not null",
        ),
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
async def test_forgery_is_found_even_if_the_whole_tree_is_made_anew(org: Tenant, name: str) -> None:
    swap, kept, keys = await _kept_books(org)
    found, statements = FORGERIES[name]
    for statement in statements:
        await org.container.database.rows(statement, org.org_id, swap)
    (finding,) = await books.findings(org)
    assert found in finding
    old = open_note(kept, keys)
    with pytest.raises(BooksInvalid):
        await books.checked(org, kept)
    # The operator builds and signs another tree, and to himself it looks right.
    await books.forget_tree(org.container.database, org)
    await books.checkpoint(org)
    assert await books.findings(org) == []
    (finding,) = await books.findings(org, kept)
    assert f"the checkpoint of {old.size} leaves" in finding
    with pytest.raises(BooksInvalid):
        await books.checked(org, kept)
    await books.fill_log(org, old.size)
    await books.checkpoint(org)
    with pytest.raises((BooksInvalid, IndexError)):
        await _check_growth(org, kept)


async def test_change_that_is_added_behind_the_tree_has_no_proof(org: Tenant) -> None:
    swap, kept, _ = await _kept_books(org)
    statement = (
        FORGERIES["a change is inserted"]
        .statements[0]
        .replace("gen_random_uuid(), 1", "object_id, 9")
    )
    await org.container.database.rows(statement, org.org_id, swap)
    await make_user(org)
    await books.checkpoint(org)
    # The sequencer has passed this place, so the tree goes on and the change is in no leaf.
    await _check_growth(org, kept)
    (finding,) = await books.findings(org)
    assert "is not change" in finding
    assert await org.refused("GET", f"/v2/proofs/transfers/{swap}") == "500 INTERNAL_SERVER_ERROR"


DAMAGES = {
    "update proof_tiles set hashes = overlay(hashes placing '\\x00' from 40) where org_id = $1": (
        "leaf 1 is not change"
    ),
    "delete from proof_tiles where org_id = $1": "leaf 0 is not change",
    "update proof_accounts set available = available + 1 where org_id = $1": "account ",
    """update proof_blocks set balances = '{"x": [1, "1", "0"]}' where org_id = $1""": (
        "the balances before leaf 0"
    ),
    "update proof_trees set size = size - 1 where org_id = $1": "leaves",
    "update proof_checkpoints set note = replace(note, 'landbridge/', 'l/') where org_id = $1": (
        "has no signature"
    ),
}


@pytest.mark.parametrize("statement", DAMAGES)
async def test_damaged_tree_is_found(org: Tenant, statement: str) -> None:
    await _kept_books(org)
    await org.container.database.rows(statement, org.org_id)
    findings = await books.findings(org)
    assert any(DAMAGES[statement] in each for each in findings), findings


async def test_restored_dump_that_goes_on_differently_is_found(org: Tenant) -> None:
    swap, before, _ = await _kept_books(org)
    await make_user(org)
    lost = await books.checkpoint(org)
    size = open_note(before, await books.keys(org)).size
    await books.restore(org, size)
    assert await books.checkpoint(org) == before
    await make_user(org)
    await make_user(org)
    await books.checkpoint(org)
    assert await books.findings(org, before) == []
    await _check_growth(org, before)
    assert await books.checked(org, before)
    with pytest.raises(BooksInvalid):
        await books.checked(org, lost)
    with pytest.raises((BooksInvalid, IndexError)):
        await _check_growth(org, lost)
    (finding,) = await books.findings(org, lost)
    assert "its root differs" in finding
    assert swap


async def test_books_of_an_erased_person_still_hold(org: Tenant) -> None:
    person = await make_user(org, firstName="Zebulon")
    kept = await books.checkpoint(org)
    await org.post(f"/v2/users/{person}/freeze", {"reason": "asked to be forgotten"})
    erased = await org.send("DELETE", f"/v2/users/{person}/personal-data")
    assert erased.status_code == 200, erased.text
    tomorrow = org.container.clock.now() + timedelta(days=1)
    await org.container.database.transact(
        lambda tx: delete_snapshots(tx, org.org_id, before=tomorrow, below=None, limit=99)
    )
    proven = await books.checked(org, kept)
    assert proven.seqs[person] > 1
    assert await books.findings(org, kept) == []
    assert "Zebulon" not in "".join(await books.exported(org))


async def test_books_of_another_organisation_are_not_taken_for_ones_own(
    org: Tenant, other_org: Tenant
) -> None:
    _, kept, keys = await _kept_books(org)
    swap, _, others_keys = await _kept_books(other_org)
    export = await books.exported(other_org)
    with pytest.raises(BooksInvalid, match="no key of yours"):
        check_books(iter(export), keys, None)
    both = f"{keys}\n{others_keys}"
    with pytest.raises(BooksInvalid, match="not of landbridge"):
        check_books(iter(export), both, open_note(kept, both))
    proof = (await other_org.send("GET", f"/v2/proofs/transfers/{swap}")).text
    with pytest.raises(BooksInvalid, match="no key of yours"):
        check_proof(proof.split("c2sp.org/tlog-proof@v1\n")[1], keys)
    (finding,) = await books.findings(other_org, kept)
    assert "has no signature of this organisation" in finding


async def _kept_books(org: Tenant) -> tuple[str, str, str]:
    """Make payments; return one of them, a checkpoint and the public keys."""
    user = await make_user(org, funds="100")
    swaps = [await make_swap(org, user, status=SwapStatus.COMPLETED) for _ in range(3)]
    return swaps[1]["id"], await books.checkpoint(org), await books.keys(org)


async def _check_growth(org: Tenant, kept: str) -> None:
    """Check that the latest checkpoint continues one that was kept."""
    keys = await books.keys(org)
    old = open_note(kept, keys)
    body = await org.container.proofs.transfers.growth(org.caller, old.size)
    top, _, note = body.partition("\n\n")
    check_growth(old, open_note(note, keys), [b64decode(each) for each in top.split("\n")[1:]])
