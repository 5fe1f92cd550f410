"""Queues of records that wait for people, oldest first."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.ledger import record_store as store
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Database


@dataclass(frozen=True, slots=True)
class RecordQueues:
    """Lists records of one kind by status."""

    database: Database
    ledger: Ledger

    async def oldest(
        self, org_id: UUID, kind: str, statuses: Collection[str], window: QueueWindow
    ) -> Sequence[Transfer]:
        """Return records in these statuses, oldest first."""
        ids = await self.database.single(
            lambda tx: store.oldest(tx, org_id, kind, statuses, window)
        )
        # The reads are concurrent, so that the ledger combines them.
        return await gather_in_order(self.ledger.get(org_id, kind, each) for each in ids)
