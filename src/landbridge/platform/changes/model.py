"""A change of an object, and its position in the log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

# Place of a change in a batch without a place yet: it sorts after all placed changes.
UNPLACED = 2**63 - 1


class LogPosition(NamedTuple):
    """Position of a change in an organisation's log. Positions compare in the order of the log.

    `place` is the place of the change's batch. It is never less than that of the object's previous
    change, so positions also keep the order of each object's changes.
    """

    place: int
    object_id: UUID
    seq: int


START = LogPosition(0, UUID(int=0), 0)


@dataclass(frozen=True, slots=True)
class PayloadSnapshot:
    """Snapshot of an object with personal data after a change; sealed under its owner's data key.

    Erasing the owner destroys the snapshot; the rest of the change contains no personal data.
    """

    owner_id: UUID
    sealed: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of one object, as stored in the log."""

    org_id: UUID
    object_id: UUID
    seq: int
    kind: str
    change_type: str
    status_before: str | None
    status_after: str | None
    actor: str
    facts: Mapping[str, Any]
    occurred_at: datetime
    place: int
    snapshot: PayloadSnapshot | None

    @property
    def position(self) -> LogPosition:
        """Return the position of this change in the log."""
        return LogPosition(self.place, self.object_id, self.seq)
