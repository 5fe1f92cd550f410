"""Invented changes in the form of the change log."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from landbridge.platform.changes.model import Change

ORG_ID, OBJECT_ID = UUID(int=1), UUID(int=2)
AT = datetime(2026, 3, 2, 12, 30, 15, 123456, tzinfo=UTC)


def change(
    *,
    kind: str = "USER",
    change_type: str = "update",
    seq: int = 1,
    before: str | None = None,
    after: str | None = None,
    facts: Mapping[str, Any] | None = None,
    at: datetime = AT,
) -> Change:
    """Build a change that was never written."""
    return Change(
        org_id=ORG_ID,
        object_id=OBJECT_ID,
        seq=seq,
        kind=kind,
        change_type=change_type,
        status_before=before,
        status_after=after,
        actor="test",
        facts=facts or {},
        occurred_at=at,
        place=1000 + seq,
        snapshot=None,
    )
