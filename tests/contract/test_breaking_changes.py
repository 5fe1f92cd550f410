"""A change of the interface that breaks clients is announced before it can be merged.

The last release's document is compared with openapi.json, which is the one that is served.
"""

import copy
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract.breaking_changes import breaks, facts
from tests.contract.openapi_document import Document
from tests.contract.test_openapi import SNAPSHOT

RELEASED = SNAPSHOT.parent / "tests/contract/released_openapi.json"
NEWS = SNAPSHOT.parent / "news"
# A fragment names each operation that it breaks, as in `POST /v2/users`.
_OPERATION = re.compile(r"`([A-Z]+ /\S+)`")


def test_what_breaks_clients_is_in_the_news() -> None:
    if os.environ.get("RELEASE_OPENAPI"):
        now = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
        text = json.dumps(now, sort_keys=True, separators=(",", ":"))
        RELEASED.write_text(f"{text}\n", encoding="utf-8")
    announced = {
        name
        for kind in ("change", "removal")
        for each in NEWS.glob(f"*.{kind}.md")
        for name in _OPERATION.findall(each.read_text(encoding="utf-8"))
    }
    silent = [
        each
        for each in breaks(_facts_of(RELEASED), _facts_of(SNAPSHOT))
        if _operation(each) not in announced
    ]
    assert not silent, (
        "\n".join(silent) + "\nthis breaks clients: undo it, or name the operations in a fragment "
        "news/*.change.md or news/*.removal.md"
    )


def _operation(fact: str) -> str:
    """Return `POST /v2/users` of a fact or a break."""
    return " ".join(fact.removesuffix(": no longer").split(" ")[:2])


def _facts_of(file: Path) -> set[str]:
    return facts(Document(json.loads(file.read_text(encoding="utf-8"))))


SWAPS = "POST /v2/wallets/swaps"


def _drop_operation(document: Document) -> None:
    del document.whole["paths"]["/v2/wallets/swaps"]["post"]


def _require_amount(document: Document) -> None:
    _schemas(document)["SwapSource"]["required"].append("amount")


def _drop_member(document: Document) -> None:
    del _schemas(document)["SwapSource"]["properties"]["amount"]


def _drop_value(document: Document) -> None:
    _schemas(document)["Chain"]["enum"].remove("POLYGON")


def _answer_null(document: Document) -> None:
    members = _schemas(document)["SwapSourceReply"]["properties"]
    members["currency"] = {"oneOf": [members["currency"], {"type": "null"}]}


def _omit_at_times(document: Document) -> None:
    _schemas(document)["SwapSourceReply"]["required"].remove("currency")


def _schemas(document: Document) -> dict[str, Any]:
    return document.whole["components"]["schemas"]


BREAKING: dict[str, Callable[[Document], None]] = {
    f"{SWAPS}: no longer": _drop_operation,
    f"{SWAPS} requires body.source.amount: newly": _require_amount,
    f"{SWAPS} takes body.source.amount: string: no longer": _drop_member,
    f"{SWAPS} takes body.source.chain: string=POLYGON: no longer": _drop_value,
    f"{SWAPS} answers 200.transferDetails.source.currency: null: newly": _answer_null,
    f"{SWAPS} always answers 200.transferDetails.source.currency: no longer": _omit_at_times,
}


@pytest.mark.parametrize("found", BREAKING)
def test_each_way_to_break_clients_is_found(found: str) -> None:
    old = Document(json.loads(SNAPSHOT.read_text(encoding="utf-8")))
    new = copy.deepcopy(old)
    BREAKING[found](new)
    assert found in breaks(facts(old), facts(new))


def test_additions_break_nobody() -> None:
    old = Document(json.loads(SNAPSHOT.read_text(encoding="utf-8")))
    new = copy.deepcopy(old)
    schemas = _schemas(new)
    text = {"type": "string"}
    schemas["SwapSource"]["properties"]["memo"] = {
        "type": "object",
        "properties": {"text": text},
        "required": ["text"],
    }
    schemas["SwapSourceReply"]["properties"]["memo"] = text
    schemas["SwapSourceReply"]["required"].append("memo")
    new.operation(SWAPS)["operationId"] = "swaps.make"
    new.whole["paths"]["/v2/more"] = {"post": copy.deepcopy(new.operation(SWAPS))}
    assert breaks(facts(old), facts(new)) == []
