"""Time in status: the status history of records, and records that are overdue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.ledger import time_in_status_store
from landbridge.platform.db.pool import Database


@dataclass(frozen=True, slots=True)
class StatusVisit:
    """Status that a record reached, when, and by whom."""

    status: str
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class StatusTimeLimit:
    """Time limit of a status, per kind of record; None limits it by the due time only."""

    kind: str
    status: str
    within: timedelta | None


@dataclass(frozen=True, slots=True)
class OverdueTransfer:
    """Overdue record: too long in its status, long past its due time, or in need of a person.

    `attention` is the reason why it needs one, if the worker has noted one.
    """

    org_id: UUID
    id: UUID
    kind: str
    status: str
    since: datetime
    due_at: datetime | None
    attention: str | None = None


class TimeInStatus:
    """Reads status histories and overdue records of all organisations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def status_history(self, org_id: UUID, transfer_id: UUID) -> Sequence[StatusVisit]:
        """Return every status that a record reached, oldest first."""
        rows = await self._database.single(
            lambda tx: time_in_status_store.status_history(tx, org_id, transfer_id)
        )
        return [StatusVisit(row["status"], row["actor"], row["occurred_at"]) for row in rows]

    async def overdue(
        self,
        clocks: Mapping[UUID, datetime],
        time_limits: Sequence[StatusTimeLimit],
        *,
        grace: timedelta,
        limit: int,
    ) -> Sequence[OverdueTransfer]:
        """Return records that exceed these limits, the longest waiting first."""
        rows = await self._database.single(
            lambda tx: time_in_status_store.overdue(
                tx,
                clocks,
                [(each.kind, each.status, each.within) for each in time_limits],
                grace=grace,
                limit=limit,
            )
        )
        return [
            OverdueTransfer(
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
