"""Cut of a day: positions and liabilities of a source at its first good run after the day's end.

Guarantees:
- Both belong to the same place in the log, and are stored together or not at all.
- Liabilities are counted without an open transaction, so that a large organisation does not delay
  others.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.records import RecordedBlock
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation import close_store, ledger_store
from landbridge.reporting.reconciliation.model import ComparedPosition, assets_of
from landbridge.reporting.reserves.model import CountedLiabilities
from landbridge.reporting.reserves.service import Reserves


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCut:
    """Run of a source that may be the first good one after the end of a day."""

    org_id: UUID
    source: Chain
    day: date
    ended_at: datetime
    block: RecordedBlock
    compared_at: datetime


@dataclass(frozen=True, slots=True)
class DayCuts:
    """Cuts of all organisations."""

    database: Database
    reserves: Reserves

    async def count(self, cut: DayCut, addresses: Collection[str]) -> CountedLiabilities | None:
        """Return the liabilities at this run; None if an earlier run was the day's cut."""
        is_due = await self.database.single(
            lambda tx: close_store.is_cut_due(
                tx, cut.org_id, cut.source, cut.day, ended_at=cut.ended_at
            )
        )
        if not is_due:
            return None
        read_place = await self.database.single(lambda tx: ledger_store.read_to(tx, cut.org_id))
        return await self.reserves.count(
            cut.org_id,
            cut.day,
            source=cut.source,
            assets=[each.code for each in assets_of(cut.source)],
            addresses=addresses,
            read_place=read_place,
        )

    async def has_moved(self, tx: Tx, org_id: UUID, counted: CountedLiabilities | None) -> bool:
        """Lock the cursor; return whether another worker has read further in the log."""
        if counted is None:
            return False
        _, read_place = await ledger_store.lock_cursor(tx, org_id)
        return read_place != counted.read_place

    async def keep(
        self,
        tx: Tx,
        cut: DayCut,
        positions: Sequence[ComparedPosition],
        counted: CountedLiabilities | None,
    ) -> None:
        """Store the cut, unless an earlier run was first; the source is locked."""
        if counted is None or not await close_store.add_cutoff(
            *(tx, cut.org_id, cut.source, cut.day),
            ended_at=cut.ended_at,
            block=cut.block,
            compared_at=cut.compared_at,
            positions=positions,
        ):
            return
        await self.reserves.keep(
            tx,
            cut.org_id,
            cut.day,
            source=cut.source,
            counted=counted,
            ledger_units={each.asset: each.ledger_units for each in positions},
        )
