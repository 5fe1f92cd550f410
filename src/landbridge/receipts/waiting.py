"""Which deposits wait for longer than they should."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.db.pool import Database
from landbridge.receipts import waiting_store
from landbridge.receipts.model import MATCHED_WITHIN, Status

# How long a deposit stays at a status when all goes well: matched within an hour though its price
# is late, looked at by a person within a day, back at its sender within a week.
PATIENCE = {
    Status.NEW: MATCHED_WITHIN,
    Status.UNMATCHED: timedelta(days=1),
    Status.RETURNING: timedelta(days=7),
}


@dataclass(frozen=True, slots=True)
class Overdue:
    """A deposit that has been at its status for too long."""

    org_id: UUID
    id: UUID
    status: Status
    since: datetime


class WaitingReceipts:
    """Deposits of all organisations that wait."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def overdue(self, clocks: Mapping[UUID, datetime], *, limit: int) -> Sequence[Overdue]:
        """Those that wait for too long, the longest first."""
        rows = await self._database.single(
            lambda tx: waiting_store.overdue(tx, clocks, PATIENCE, limit=limit)
        )
        return [
            Overdue(row["org_id"], row["id"], Status(row["status"]), row["updated_at"])
            for row in rows
        ]
