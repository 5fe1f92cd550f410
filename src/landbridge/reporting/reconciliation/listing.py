"""Lists of runs, differences and halts, and one difference with its history; for every role."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.changes.model import Change
from landbridge.platform.changes.service import history
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.reconciliation import difference_store, halt_store, run_store
from landbridge.reporting.reconciliation.halt_model import Halt, HaltStatus
from landbridge.reporting.reconciliation.model import Difference, DifferenceFilters, ReconRun
from landbridge.reporting.reconciliation.sources import ReconSourceName


@dataclass(frozen=True, slots=True)
class DifferenceHistory:
    """Difference with its changes by people and runs, oldest first."""

    difference: Difference
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class ReconListing:
    """Lists of all organisations."""

    database: Database

    async def runs(
        self,
        org_id: UUID,
        sources: Collection[ReconSourceName],
        window: PositionWindow,
    ) -> list[ReconRun]:
        """Return a page of runs, newest first; empty `sources` means all."""
        return await self.database.single(
            lambda tx: run_store.page(tx, org_id, list(sources or ReconSourceName), window)
        )

    async def differences(
        self,
        org_id: UUID,
        filters: DifferenceFilters,
        window: PositionWindow,
    ) -> list[Difference]:
        """Return a page of differences, newest first."""
        return await self.database.single(
            lambda tx: difference_store.page(tx, org_id, filters, window)
        )

    async def difference(self, org_id: UUID, difference_id: UUID) -> DifferenceHistory:
        """Return a difference; raises `ResourceNotFound`."""

        async def read(tx: Tx) -> DifferenceHistory:
            found = await difference_store.get(tx, org_id, difference_id)
            if found is None:
                raise ResourceNotFound(f"there is no difference {difference_id}")
            changes = await history(tx, org_id, [difference_id])
            return DifferenceHistory(found, changes.get(difference_id, ()))

        return await self.database.read(read)


@dataclass(frozen=True, slots=True)
class ReconHalts:
    """Halts of all organisations."""

    database: Database

    async def halted_since(self, org_id: UUID, chain: str, asset: str) -> datetime | None:
        """Return the time since which new orders of an asset on a chain wait; None if none do."""
        return await self.database.single(
            lambda tx: halt_store.halted_since(tx, org_id, chain, asset)
        )

    async def page(
        self,
        org_id: UUID,
        statuses: Collection[HaltStatus],
        window: PositionWindow,
    ) -> list[Halt]:
        """Return a page of halts, newest first."""
        return await self.database.single(lambda tx: halt_store.page(tx, org_id, statuses, window))
