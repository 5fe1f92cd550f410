"""What the log holds of one change, and where in the log it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID


class Place(NamedTuple):
    """A place in an organisation's log: right at this change. Places compare in commit order.

    `tx` is never less than that of the change before of the same object, so that places also keep
    the order of each object's changes.
    """

    tx: int
    object_id: UUID
    seq: int


START = Place(0, UUID(int=0), 0)


@dataclass(frozen=True, slots=True)
class Picture:
    """How an object with personal data looked after a change; sealed under its owner's data key.

    Erasing the owner takes the picture with it; what stays of the change is nobody's.
    """

    owner_id: UUID
    sealed: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of one object, as the log has it."""

    org_id: UUID
    object_id: UUID
    seq: int
    kind: str
    what: str
    status_before: str | None
    status_after: str | None
    actor: str
    facts: Mapping[str, Any]
    at: datetime
    tx: int
    picture: Picture | None

    @property
    def place(self) -> Place:
        """Where it stands in the log."""
        return Place(self.tx, self.object_id, self.seq)
