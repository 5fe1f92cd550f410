"""Replays: a repeated request gets its record; a different request with that id is refused."""

from collections.abc import Mapping
from typing import Any, cast

from landbridge.ledger.errors import RequestIdTaken
from landbridge.ledger.model import Transfer


def first_difference(
    before: Mapping[str, Any], after: Mapping[str, Any], under: str = ""
) -> str | None:
    """Return the path at which two requests first differ, such as `source.amount`, or None."""
    for name in sorted(before.keys() | after.keys()):
        ours, theirs = before.get(name), after.get(name)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            inner = first_difference(
                cast("dict[str, Any]", ours), cast("dict[str, Any]", theirs), f"{under}{name}."
            )
            if inner:
                return inner
        elif ours != theirs:
            return f"{under}{name}"
    return None


def check_replay(found: Transfer | None, kind: str, request: Mapping[str, Any]) -> Transfer | None:
    """Return `found`; raises `RequestIdTaken` if its kind or its request differs."""
    if found is None:
        return None
    if found.kind != kind:
        raise RequestIdTaken(
            f"requestId {found.request_id} was already used for a {found.kind}; use a new one",
            field="requestId",
        )
    if field := first_difference(found.request, request):
        raise RequestIdTaken(
            f"requestId {found.request_id} was already used with another {field}; use a new "
            "requestId for another request, or send the same body to replay this one",
            field=field,
        )
    return found
