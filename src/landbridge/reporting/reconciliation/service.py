"""Reconciliation of organisations with the chains and banks that hold their money.

Banks are compared by their statements (bank_comparison.py), chains as follows.

A run reads each chain's movements at the organisation's addresses up to a final block, then the
OUTSIDE entries of the ledger, and compares both sides transaction by transaction. Then it compares
the balance at the block with the ledger's. Guarantees:

- Every change of the ledger and every block of a chain is counted once: sums and cursor are updated
  in one transaction, under the cursor's lock. Several workers may run at once.
- Balance and movements are read from the chain independently of each other.
- A difference remains until both sides agree, or until people resolve it.
- Payments from before the first run are not compared one by one, only as part of the balance.
- If a chain does not answer, a run compares nothing on it; the source counts as silent after its
  patience.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

import structlog

from landbridge.customers.team.service import Team
from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.house_accounts import find_step_end
from landbridge.ledger.service import Ledger
from landbridge.platform.changes.placing import place_changes
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.worker_shares import WHOLE, WorkPart
from landbridge.providers.chains.records import MovementPage, RecordedBlock
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.reporting.reconciliation import difference_store, ledger_store, run_store, store
from landbridge.reporting.reconciliation.bank_comparison import BankComparison
from landbridge.reporting.reconciliation.close_model import end_of_day, ended_day
from landbridge.reporting.reconciliation.closes import DailyCloses
from landbridge.reporting.reconciliation.connected_chains import (
    ConnectedChain,
    SilentChains,
    check_connected,
)
from landbridge.reporting.reconciliation.cuts import DayCut, DayCuts
from landbridge.reporting.reconciliation.decisions import DifferenceDecisions
from landbridge.reporting.reconciliation.findings import add_findings
from landbridge.reporting.reconciliation.halt_decisions import HaltDecisions
from landbridge.reporting.reconciliation.halting import Halting
from landbridge.reporting.reconciliation.listing import ReconHalts, ReconListing
from landbridge.reporting.reconciliation.metrics import measure
from landbridge.reporting.reconciliation.model import (
    CADENCE,
    OF_POSITION,
    RETRY,
    ComparedPosition,
    Difference,
    DifferenceKind,
    DifferenceStatus,
    FoundDifference,
    ReconSource,
    assets_of,
    compare,
    find_position_differences,
    source_of,
    sum_booked,
    sum_outside,
    total_booked,
)
from landbridge.reporting.reconciliation.run_store import mark_empty
from landbridge.reporting.reconciliation.sources import BANKS, ReconSourceName
from landbridge.reporting.reconciliation.unmatched import UnmatchedMovements
from landbridge.reporting.reconciliation.unread import has_unread_adjustment
from landbridge.reporting.reserves.service import Reserves
from landbridge.reporting.rollups.time_zones import TimeZones

_log = structlog.stdlib.get_logger()

# Most changes of the ledger that one SQL statement reads.
PAGE_CHANGES = 2_000
_ASSETS = [token.asset.code for token in TOKENS.values()]
_DIFFERENCES_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconStatus:
    """Last comparison of an organisation, and its differences that are not resolved."""

    sources: Sequence[ReconSource]
    positions: Sequence[tuple[ReconSourceName, ComparedPosition]]
    differences: Sequence[Difference]

    @property
    def open_count(self) -> int:
        """Number of differences that timing does not explain."""
        return sum(each.status is not DifferenceStatus.TIMING for each in self.differences)


@dataclass(frozen=True, slots=True)
class LedgerReconciliation:
    """Compares organisations with the connected chains and their banks."""

    database: Database
    ledger: Ledger
    wallets: Wallets
    chains: Mapping[Chain, ConnectedChain]
    team: Team
    time_zones: TimeZones
    clock: Clock
    reserves: Reserves
    # Largest difference, in coins, that a close carries without a reason.
    tolerance: Decimal = Decimal(0)
    # Missing coins of an asset above which its payments are halted; None halts nothing.
    halt_above: Decimal | None = None
    # None if the installation exchanges no bank files.
    banks: BankComparison | None = None

    @property
    def decisions(self) -> DifferenceDecisions:
        """Return the service for decisions on differences."""
        return DifferenceDecisions(self.database, self.ledger, self.team, self.clock)

    @property
    def halts(self) -> ReconHalts:
        """Return the service that lists halts."""
        return ReconHalts(self.database)

    @property
    def halt_decisions(self) -> HaltDecisions:
        """Return the service for decisions on halts."""
        return HaltDecisions(self.database, self.clock)

    @property
    def closes(self) -> DailyCloses:
        """Return the service for daily closes."""
        return copy_fields(self, DailyCloses)

    @property
    def listing(self) -> ReconListing:
        """Return the service that lists runs and differences."""
        return ReconListing(self.database)

    async def run_due(self, offsets: Mapping[UUID, timedelta], *, part: WorkPart = WHOLE) -> bool:
        """Compare the organisations of a part that are due; the worker's step."""
        clocks, silent = self.clock.now_of(offsets), SilentChains()
        own = {org_id: now for org_id, now in clocks.items() if part.has(org_id)}
        sources = [*self.chains, *(BANKS if self.banks else ())]
        due = await self.database.single(
            lambda tx: store.due(tx, own, CADENCE, RETRY, sources=sources)
        )
        for org_id in await self._without_empty({each: own[each] for each in due}):
            with logged_failures(
                busy="reconciliation.busy", failed="reconciliation.failed", org_id=str(org_id)
            ):
                await self._run(org_id, offsets[org_id], silent)
        await self._measure(clocks)
        return False

    async def _without_empty(self, due: Mapping[UUID, datetime]) -> Sequence[UUID]:
        empty = await self.database.single(lambda tx: mark_empty(tx, due, self.chains))
        return [each for each in due if each not in empty]

    async def run(self, org_id: UUID, offset: timedelta) -> ReconStatus:
        """Compare one organisation with every chain and bank that holds its money."""
        await self._run(org_id, offset, SilentChains())
        return await self.status(org_id)

    async def _run(self, org_id: UUID, offset: timedelta, silent: SilentChains) -> None:
        now = self.clock.now(offset)
        await check_connected(self.database, self.chains)
        found = await self.database.single(lambda tx: store.sources(tx, org_id))
        known = {Chain(each.source): each for each in found if not each.source.is_bank}
        blocks: dict[Chain, tuple[RecordedBlock, Collection[str]]] = {}
        for chain in self.chains:
            addresses = await self._addresses(org_id, chain)
            try:
                with silent.asking(chain):
                    block = await self._read(org_id, chain, known.get(chain), addresses, now)
                blocks[chain] = block, addresses
            except Unavailable as error:
                await self._mark_failed(org_id, chain, known.get(chain), str(error), now)
        # Read the ledger after the chains, so that it has booked what they have finished.
        await self._read_ledger(org_id, now)
        zone = (await self.time_zones.get(org_id)).current
        for chain, (block, addresses) in blocks.items():
            try:
                await self._compare(org_id, chain, addresses, block, now, zone=zone)
            except Unavailable as error:
                await self._mark_failed(org_id, chain, known.get(chain), str(error), now)
        if self.banks is not None:
            await self.banks.run(org_id, now, zone)

    async def status(self, org_id: UUID) -> ReconStatus:
        """Return the last comparison."""

        async def read(tx: Tx) -> ReconStatus:
            return ReconStatus(
                sources=await store.sources(tx, org_id),
                positions=await store.positions(tx, org_id),
                differences=await difference_store.differences(
                    tx, org_id, is_resolved_included=False, limit=_DIFFERENCES_MAX
                ),
            )

        return await self.database.read(read)

    async def differences(
        self, org_id: UUID, *, is_resolved_included: bool = False
    ) -> Sequence[Difference]:
        """Return the latest differences, newest first."""
        return await self.database.single(
            lambda tx: difference_store.differences(
                tx, org_id, is_resolved_included=is_resolved_included, limit=_DIFFERENCES_MAX
            )
        )

    async def _addresses(self, org_id: UUID, chain: Chain) -> Collection[str]:
        """Return the addresses of the organisation's users on a chain, and its own."""
        of_users = await self.wallets.addresses(org_id, chain)
        own = await self.wallets.find_treasury_address(org_id, chain)
        return frozenset(each for each in (*of_users, own) if each)

    async def _read(
        self,
        org_id: UUID,
        chain: Chain,
        source: ReconSource | None,
        addresses: Collection[str],
        now: datetime,
    ) -> RecordedBlock:
        """Count a chain's movements up to its last final block, and return that block."""
        records = self.chains[chain].records
        block = await records.final_block(org_id, chain, now)
        if source is None:
            await self.database.single(lambda tx: store.add_source(tx, org_id, chain, block, now))
            return block
        read_to = RecordedBlock(source.block_number, source.block_hash)
        if not await records.has_block(org_id, chain, read_to):
            await self._skip_reorganised(org_id, chain, read_to, block, now)
            return block
        after = source.block_number
        async for page in records.movements(org_id, chain, addresses, after=after, until=block):
            if not await self._count(org_id, chain, page, after, now):
                break  # another worker was first
            after = page.block.number
        return block

    async def _count(
        self, org_id: UUID, chain: Chain, page: MovementPage, after: int, now: datetime
    ) -> bool:
        """Count a page of movements; False if the source is not at the block before it."""
        sums = [(chain, each) for each in sum_outside(page.movements)]

        async def work(tx: Tx) -> bool:
            source = await store.lock_source(tx, org_id, chain)
            if source is None or source.block_number != after:
                return False
            if sums:
                await store.add_sums(tx, org_id, sums, now)
            await store.move_source(tx, org_id, chain, page.block)
            return True

        return await self.database.transact(work)

    async def _skip_reorganised(
        self, org_id: UUID, chain: Chain, lost: RecordedBlock, block: RecordedBlock, now: datetime
    ) -> None:
        """Continue from a block of the new chain.

        Movements that only the old blocks had result in a difference of the position.
        """
        finding = FoundDifference(kind=DifferenceKind.REORGED, reference=lost.hash, due_at=now)

        async def work(tx: Tx) -> None:
            source = await store.lock_source(tx, org_id, chain)
            if source is not None and source.block_hash == lost.hash:
                await store.move_source(tx, org_id, chain, block)
                await add_findings(tx, org_id, chain, [finding], now)

        await self.database.transact(work)

    async def _read_ledger(self, org_id: UUID, now: datetime) -> None:
        """Add entries of the OUTSIDE account to the ledger's sums."""
        await place_changes(self.database, [org_id])

        async def work(tx: Tx) -> bool:
            opened_place, read_place = await ledger_store.lock_cursor(tx, org_id)
            end = await find_step_end(tx, org_id, read_place, changes_max=PAGE_CHANGES)
            if end is None:
                return False
            is_opening = read_place < opened_place
            end = min(end, opened_place) if is_opening else end
            booked = await ledger_store.booked(tx, org_id, _ASSETS, since=read_place, until=end)
            await store.add_ledger_units(tx, org_id, total_booked(booked))
            if not is_opening and booked:
                sums = [(source_of(each.asset), each) for each in sum_booked(booked)]
                await store.add_sums(tx, org_id, sums, now)
            await ledger_store.move_cursor(tx, org_id, end)
            return True

        while await self.database.transact(work):
            pass

    async def _compare(
        self,
        org_id: UUID,
        chain: Chain,
        addresses: Collection[str],
        block: RecordedBlock,
        now: datetime,
        *,
        zone: str,
    ) -> None:
        """Compare both sides of the open matches and the position at a block."""
        connected = self.chains[chain]
        held = await connected.records.position(org_id, chain, addresses, block)
        assets = [each.code for each in assets_of(chain)]
        day, cuts = ended_day(now, zone), DayCuts(self.database, self.reserves)
        cut = DayCut(
            org_id=org_id,
            source=chain,
            day=day,
            ended_at=end_of_day(day, zone),
            block=block,
            compared_at=now,
        )
        counted = await cuts.count(cut, addresses)
        unmatched = UnmatchedMovements(
            org_id=org_id, chain=chain, block=block, patience=connected.patience, now=now
        )
        await unmatched.store(self.database)

        async def work(tx: Tx) -> None:
            source = await store.lock_source(tx, org_id, chain)
            if source is None or source.block_number != block.number:
                return  # another worker has read further
            unread = await has_unread_adjustment(tx, org_id, chain, assets)
            if unread or await cuts.has_moved(tx, org_id, counted):
                return
            if source.last_good_at is None:
                await store.forget_matches(tx, org_id, chain)
            booked = await store.booked_positions(tx, org_id, chain, assets)
            positions = compare(booked, held)
            await store.set_positions(tx, org_id, chain, positions, now)
            await difference_store.resolve_matched(tx, org_id, chain, now)
            found = find_position_differences(positions, now)
            await difference_store.resolve_cleared(
                tx, org_id, chain, now, kinds=OF_POSITION, besides=[each.asset for each in found]
            )
            await add_findings(tx, org_id, chain, found, now)
            await Halting(self.halt_above).after_comparison(tx, org_id, chain, now)
            await store.mark_good(tx, org_id, chain, now)
            await run_store.add(tx, org_id, chain, now, block=block, failure=None)
            await cuts.keep(tx, cut, positions, counted)

        await self.database.transact(work)

    async def _mark_failed(
        self, org_id: UUID, chain: Chain, source: ReconSource | None, failure: str, now: datetime
    ) -> None:
        """Store that a chain did not answer, as a difference once its patience is over."""
        _log.warning("reconciliation.silent", org_id=str(org_id), chain=chain, reason=failure)
        if source is None:
            return
        patience = self.chains[chain].patience
        finding = FoundDifference(kind=DifferenceKind.SOURCE_SILENT, due_at=now)

        async def work(tx: Tx) -> None:
            await store.mark_failed(tx, org_id, chain, now, failure)
            await run_store.add(tx, org_id, chain, now, block=None, failure=failure)
            if source.last_good_at is None or now - source.last_good_at >= CADENCE + patience:
                await add_findings(tx, org_id, chain, [finding], now)
            if source.last_good_at is not None:
                await Halting(self.halt_above).after_silence(tx, org_id, chain, now)

        await self.database.transact(work)

    async def _measure(self, clocks: Mapping[UUID, datetime]) -> None:
        await self.database.read(lambda tx: measure(tx, clocks, self.chains, _ASSETS))
