"""Reading how records went, and which of them wait for too long."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.db.pool import Database
from landbridge.ledger import waiting_store


@dataclass(frozen=True, slots=True)
class Visit:
    """A status that a record came to, and who moved it there."""

    status: str
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Patience:
    """How long records of this kind may stay at this status; None: for as long as they are due."""

    kind: str
    status: str
    within: timedelta | None


@dataclass(frozen=True, slots=True)
class Overdue:
    """A record that has been at its status for too long, was due long ago, or needs a person.

    `attention` is why it needs one, where the worker has noted that.
    """

    org_id: UUID
    id: UUID
    kind: str
    status: str
    since: datetime
    due_at: datetime | None
    attention: str | None = None


class Waiting:
    """How records of all organisations went and wait."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def visits(self, org_id: UUID, transfer_id: UUID) -> Sequence[Visit]:
        """Every status that a record came to, the first one first."""
        rows = await self._database.single(lambda tx: waiting_store.visits(tx, org_id, transfer_id))
        return [Visit(row["status"], row["actor"], row["at"]) for row in rows]

    async def overdue(
        self,
        clocks: Mapping[UUID, datetime],
        patience: Sequence[Patience],
        *,
        grace: timedelta,
        limit: int,
    ) -> Sequence[Overdue]:
        """Records at these statuses that wait for too long, the longest first."""
        rows = await self._database.single(
            lambda tx: waiting_store.overdue(
                tx,
                clocks,
                [(each.kind, each.status, each.within) for each in patience],
                grace=grace,
                limit=limit,
            )
        )
        return [
            Overdue(
                row["org_id"],
                row["id"],
                row["kind"],
                row["status"],
                row["updated_at"],
                row["due_at"],
                row["attention"],
            )
            for row in rows
        ]
