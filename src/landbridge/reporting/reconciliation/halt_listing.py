"""Lists of halts, for every role, and the look-up of every new payment."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.pagination import PagePosition, PageWindow
from landbridge.platform.db.pool import Database
from landbridge.reporting.reconciliation import halt_store
from landbridge.reporting.reconciliation.halt_model import Halt, HaltStatus


@dataclass(frozen=True, slots=True)
class ReconHalts:
    """Halts of all organisations."""

    database: Database

    async def halted_since(self, org_id: UUID, chain: str, asset: str) -> datetime | None:
        """Return since when new orders of an asset on a chain wait; None if they do not."""
        return await self.database.single(
            lambda tx: halt_store.halted_since(tx, org_id, chain, asset)
        )

    async def page(
        self,
        org_id: UUID,
        statuses: Collection[HaltStatus],
        window: PageWindow,
        after: PagePosition | None = None,
    ) -> list[Halt]:
        """Return a page of halts, newest first; `after` is the position that ended the last one."""
        return await self.database.single(
            lambda tx: halt_store.page(
                tx,
                org_id,
                statuses,
                since=window.since,
                before=after or window.position,
                limit=window.limit,
            )
        )
