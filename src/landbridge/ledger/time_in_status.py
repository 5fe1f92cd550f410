"""Time in status: the status history of records, and records that are overdue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.ledger import time_in_status_store
from landbridge.platform.core.pagination import PagePosition
from landbridge.platform.db.pool import Database
from landbridge.platform.db.rows import read_row


@dataclass(frozen=True, slots=True)
class StatusVisit:
    """Status that a record reached, when, and by whom."""

    status: str
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class StatusTimeLimit:
    """Time limit of a status, per kind of record; None limits it by the due time only.

    `is_listed` and `is_listed_with_attention` say whether records at this status are listed,
    without and with an attention mark.
    """

    kind: str
    status: str
    within: timedelta | None
    is_listed: bool = True
    is_listed_with_attention: bool = True


@dataclass(frozen=True, slots=True)
class OverdueTransfer:
    """Overdue record: too long in its status, long past its due time, or in need of a person.

    `attention` is the reason why it needs one, if the worker has noted one. `source_units` are
    whole units of `source_asset`, an asset code.
    """

    org_id: UUID
    id: UUID
    kind: str
    status: str
    since: datetime
    due_at: datetime | None
    source_asset: str
    source_units: int
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
        after: PagePosition,
        limit: int,
    ) -> Sequence[OverdueTransfer]:
        """Return records that exceed these limits, the longest waiting first.

        Only those behind `after`: the time since when a record waits, and its id.
        """
        rows = await self._database.single(
            lambda tx: time_in_status_store.overdue(
                tx,
                clocks,
                [
                    (
                        each.kind,
                        each.status,
                        each.within,
                        each.is_listed,
                        each.is_listed_with_attention,
                    )
                    for each in time_limits
                ],
                grace=grace,
                after=after,
                limit=limit,
            )
        )
        return [
            read_row(
                row,
                OverdueTransfer,
                since=row["updated_at"],
                source_units=int(row["source_units"]),
            )
            for row in rows
        ]
