"""How records that are played begin."""

from collections.abc import Mapping, Sequence
from typing import Any

from landbridge.core.money import Money
from landbridge.ledger.model import Opening, Posting
from landbridge.seeding.marks import Marks


def opening(
    marks: Marks,
    kind: str,
    path: tuple[str, ...],
    request: Mapping[str, Any],
    details: Mapping[str, Any],
    *,
    ends: tuple[Money, Money],
    journals: Mapping[int, Sequence[Posting]] | None = None,
    request_id: str = "request",
) -> Opening:
    """A record of `payer`, opened by the key at moment 0; `ends` are what leaves and arrives."""
    return Opening(
        org_id=marks.id("org"),
        id=marks.id("id"),
        kind=kind,
        user_id=marks.id("payer"),
        request_id=marks.id(request_id),
        request=request,
        path=path,
        source=ends[0],
        destination=ends[1],
        details=details,
        due_at=None,
        at=marks.moment(0),
        actor=marks.text("actor"),
        journals=journals or {},
    )
