"""Lists of runs and differences, and one difference with its history; for every role."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.platform.changes.model import Change
from landbridge.platform.changes.service import history
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.pagination import PagePosition, PageWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.reconciliation import difference_store, run_store
from landbridge.reporting.reconciliation.model import Difference, DifferenceFilters, ReconRun
from landbridge.reporting.reconciliation.sources import ReconSourceName


@dataclass(frozen=True, slots=True)
class DifferenceHistory:
    """Difference, and what people and runs have done with it, oldest first."""

    difference: Difference
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class ReconListing:
    """Lists of all organisations; `after` is the position that ended the page before."""

    database: Database

    async def runs(
        self,
        org_id: UUID,
        sources: Collection[ReconSourceName],
        window: PageWindow,
        after: PagePosition | None,
    ) -> list[ReconRun]:
        """Return a page of runs, newest first; without `sources`, of all."""
        return await self.database.single(
            lambda tx: run_store.page(
                tx,
                org_id,
                list(sources or ReconSourceName),
                since=window.since,
                before=after or window.position,
                limit=window.limit,
            )
        )

    async def differences(
        self,
        org_id: UUID,
        filters: DifferenceFilters,
        window: PageWindow,
        after: PagePosition | None,
    ) -> list[Difference]:
        """Return a page of differences, newest first."""
        return await self.database.single(
            lambda tx: difference_store.page(
                tx,
                org_id,
                filters,
                since=window.since,
                before=after or window.position,
                limit=window.limit,
            )
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
