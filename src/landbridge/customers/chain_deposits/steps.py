"""Follows the configured chains: finds deposits, credits final ones, takes back lost ones.

Each chain is followed in three readings of its blocks:

- confirmed blocks, `confirmations` deep: their deposits are stored, and shown as not spendable;
- final blocks: their logs are read once more, and the deposits are credited;
- after a reorganisation: the cursor returns to the last common block, and both readings resume.

A reading covers at most `_BLOCKS_MAX` blocks, so a chain that was not followed for long is caught
up in parts. A lease ensures that only one worker at a time follows a chain.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

import structlog

from landbridge.customers.chain_deposits import store, treasury_store
from landbridge.customers.chain_deposits.cursor_lease import CursorLease
from landbridge.customers.chain_deposits.matching import (
    FoundDeposits,
    TransferMatcher,
    check_unread,
    first_blocks,
    treasury_deposits,
)
from landbridge.customers.chain_deposits.metrics import FOLLOWED, HEAD, LOST, ORPHANS
from landbridge.customers.chain_deposits.service import ChainDeposits
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Upstream
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm.following import progress
from landbridge.providers.evm.following.model import (
    BlockRef,
    ChainCursor,
    ChainHeads,
    ChainUnsettled,
)
from landbridge.providers.evm.following.reader import ChainReader
from landbridge.providers.evm.following.walk_back import find_common_block, rewind_base
from landbridge.providers.evm.quantities import AnswerInvalid

_log = structlog.stdlib.get_logger()

# Blocks per reading: as many as one batch request to a node may have.
_BLOCKS_MAX = 100
# Blocks to go back at most if the chain has none of the stored blocks.
_REWIND_MAX = 100_000
_ORPHANS_MAX = 100


class OtherDepositSteps(Protocol):
    """Steps of a connected chain that is not an EVM chain."""

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Run one step; return whether more work may be pending."""
        ...


@dataclass(frozen=True, slots=True)
class _ChainRun:
    """One run of the steps of a chain; `offsets` are the clock offsets of all organisations."""

    chain: Chain
    reader: ChainReader
    offsets: Mapping[UUID, timedelta]

    def offset(self, org_id: UUID) -> timedelta:
        return self.offsets.get(org_id, timedelta())


class ChainDepositSteps:
    """Follows chains on behalf of one worker process."""

    def __init__(
        self,
        database: Database,
        deposits: ChainDeposits,
        matcher: TransferMatcher,
        clock: Clock,
        readers: Sequence[tuple[Chain, ChainReader]],
        *,
        start_blocks: Mapping[Network, int],
        others: OtherDepositSteps | None = None,
    ) -> None:
        """Take the readers of the EVM chains; `others` are the steps of a chain that is not EVM."""
        self._database = database
        self._deposits = deposits
        self._matcher = matcher
        self._clock = clock
        self._readers = readers
        self._start_blocks = start_blocks
        self._others = others
        self._lease = CursorLease(database, clock)
        # By chain, the latest block and cursor of the last run that had nothing left to do.
        self._settled: dict[Network, tuple[BlockRef, ChainCursor]] = {}

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Run one step for each chain; return whether more work may be pending.

        `offsets` are the clock offsets of all organisations. If the nodes of a chain do not answer,
        this is logged, and the other chains continue.
        """
        more = await gather_in_order(
            self._follow_safely(_ChainRun(chain, reader, offsets))
            for chain, reader in self._readers
        )
        more_elsewhere = self._others is not None and await self._others.run_once(offsets)
        if self._readers:
            await self._recover(offsets)
        return any(more) or more_elsewhere

    async def _follow_safely(self, run: _ChainRun) -> bool:
        try:
            return await self._follow(run)
        except (Upstream, AnswerInvalid) as error:
            _log.warning("chain_deposits.chain_unavailable", chain=run.chain, reason=str(error))
            return False

    async def _follow(self, run: _ChainRun) -> bool:
        chain, reader = run.chain, run.reader
        cursor = await self._lease.take(reader.name)
        if cursor is None:
            return await self._start(reader)
        latest = await reader.latest()
        HEAD.labels(chain).set(latest.number)
        FOLLOWED.labels(chain, "confirmed").set(cursor.confirmed.number)
        FOLLOWED.labels(chain, "final").set(cursor.final.number)
        if self._settled.get(reader.name) == (latest, cursor):
            return False
        heads = await reader.heads(latest)
        has_moved = await self._advance(run, cursor, heads)
        if not has_moved:
            self._settled[reader.name] = (latest, cursor)
        return has_moved

    async def _start(self, reader: ChainReader) -> bool:
        """Begin to follow a new chain, at its confirmed head or the configured block."""
        if await self._database.single(lambda tx: progress.has_cursor(tx, reader.name)):
            return False  # another worker follows it
        heads = await reader.heads(await reader.latest())
        configured = self._start_blocks.get(reader.name, heads.confirmed + 1)
        number = min(max(configured - 1, 0), heads.confirmed)
        # Store some earlier blocks too, as a reorganisation may replace the first one.
        blocks = await reader.blocks_up_to(number, _BLOCKS_MAX)

        async def work(tx: Tx) -> bool:
            if not await progress.add_cursor(tx, reader.name, blocks[-1]):
                return False
            await progress.add_blocks(tx, reader.name, blocks)
            return True

        if await self._database.transact(work):
            _log.info("chain_deposits.started", chain=reader.name, block=number)
        return True

    async def _advance(self, run: _ChainRun, cursor: ChainCursor, heads: ChainHeads) -> bool:
        """Compare the chain with the stored blocks, and read on; return whether it moved on."""
        comparable = await self._comparable(cursor, heads)
        header = None if comparable is None else await run.reader.block(comparable.number)
        if comparable is None or header is None:
            _log.warning(
                "chain_deposits.chain_behind",
                chain=run.chain,
                head=heads.latest.number,
                followed=cursor.confirmed.number,
            )
            return False
        if header.hash != comparable.hash:
            return await self._rewind(run, cursor, heads)
        if cursor.confirmed != comparable:
            return False  # the chain is shorter than before, but agrees with the stored blocks
        if await self._read_on(run, cursor, heads):
            return True
        has_reversed = await self._reverse_orphans(run, cursor)
        return await self._give_up_lost(run, cursor) or has_reversed

    async def _read_on(self, run: _ChainRun, cursor: ChainCursor, heads: ChainHeads) -> bool:
        """Read the next confirmed and final blocks; return whether there were any."""
        has_moved = False
        if heads.confirmed > cursor.confirmed.number:
            confirmed = await self._confirm(run, cursor, heads.confirmed)
            if confirmed is None:
                return True  # another worker was first
            cursor, has_moved = confirmed, True
        final = min(-1 if heads.final is None else heads.final, cursor.confirmed.number)
        if final > cursor.final.number:
            await self._complete(run, cursor, final)
            has_moved = True
        return has_moved

    async def _comparable(self, cursor: ChainCursor, heads: ChainHeads) -> BlockRef | None:
        """Return the highest stored block that the chain should have; None if there is none."""
        if cursor.confirmed.number <= heads.confirmed:
            return cursor.confirmed
        stored = await self._stored(cursor, 0, heads.confirmed)
        return stored[-1] if stored else None

    async def _confirm(
        self, run: _ChainRun, cursor: ChainCursor, confirmed: int
    ) -> ChainCursor | None:
        last = min(cursor.confirmed.number + _BLOCKS_MAX, confirmed)
        blocks = await run.reader.blocks_after(cursor.confirmed, last)
        if not blocks:
            raise ChainUnsettled(f"{run.chain} has another block {cursor.confirmed.number} now")
        blocks, found = await self._read(run, blocks)
        return await self._deposits.confirm(cursor, blocks, found)

    async def _complete(self, run: _ChainRun, cursor: ChainCursor, final: int) -> bool:
        """Read the next final blocks once more, and credit their deposits."""
        chain = run.chain
        first, last = cursor.final.number + 1, min(cursor.final.number + _BLOCKS_MAX, final)
        blocks = await self._stored(cursor, first, last)
        header = await run.reader.block(last)
        if len(blocks) < last - first + 1 or header is None or header.hash != blocks[-1].hash:
            raise ChainUnsettled(f"{chain} has another block {last} now")

        async def confirmed(tx: Tx) -> set[str]:
            wallets = await store.confirmed_transactions(tx, chain, first, last)
            return wallets | await treasury_store.confirmed_transactions(tx, chain, first, last)

        known = await self._database.read(confirmed)
        blocks, found = await self._read(run, blocks, known=known)
        for deposit in await self._deposits.returned_otherwise(found):
            if not await self._deposits.reverse(cursor, deposit, run.offset(deposit.org_id)):
                return False  # tried again at the next run
        return await self._deposits.complete(cursor, blocks[-1], found, run.offsets)

    async def _read(
        self, run: _ChainRun, blocks: Sequence[BlockRef], *, known: Collection[str] | None = None
    ) -> tuple[Sequence[BlockRef], FoundDeposits]:
        """Return the first of these blocks, as many as are stored at once, and their deposits.

        `known` are transactions that were found there before, None for blocks that are not final
        yet. A reply of a node that lacks one of them is not accepted.
        """
        chain, reader = run.chain, run.reader
        transfers = await reader.transfers(blocks)
        if lacking := set(known or ()) - {each.transaction_hash for each in transfers}:
            raise ChainUnsettled(f"logs of {', '.join(sorted(lacking))} are missing")
        owned = await self._matcher.with_owners(
            chain, transfers, intermediaries=reader.intermediaries, find_owners=reader.owners
        )
        matched = await self._matcher.match(chain, owned)
        received = await self._matcher.match_treasuries(chain, owned)
        blocks, matched, received = first_blocks(blocks, matched, received)
        logged = {each.key: each for each in transfers}
        keys = [each.transfer.key for each in (*matched, *received)]
        positions = await reader.positions([logged[each] for each in keys])
        check_unread(chain, {hash_ for hash_, _ in {*keys} - positions.keys()}, known=known)
        return blocks, FoundDeposits(
            [
                each.deposit(chain, positions[each.transfer.key], self._clock, run.offsets)
                for each in matched
                if each.transfer.key in positions
            ],
            treasury_deposits(
                chain,
                [each for each in received if each.transfer.key in positions],
                self._clock,
                run.offsets,
            ),
        )

    async def _rewind(self, run: _ChainRun, cursor: ChainCursor, heads: ChainHeads) -> bool:
        """Go back to the last common block after a reorganisation."""
        stored = await self._stored(cursor, 0, heads.confirmed)
        common = await find_common_block(stored, run.reader.block)
        if common is None:
            common = await self._base(run.reader, cursor, heads)
        orphaned = await self._deposits.rewind(cursor, common, latest=heads.latest)
        if orphaned is None:
            return False
        # A reorganisation is deep if it goes below the final block.
        is_deep = common.number < cursor.final.number
        _log.log(
            logging.ERROR if is_deep else logging.INFO,
            "chain_deposits.reorganised",
            chain=run.chain,
            block=common.number,
            followed=cursor.confirmed.number,
            count=orphaned,
        )
        return True

    async def _base(self, reader: ChainReader, cursor: ChainCursor, heads: ChainHeads) -> BlockRef:
        """Return the block to restart from if the chain has none of the stored blocks."""
        checkpoint = reader.chain.checkpoint_block if await reader.has_checkpoint() else None
        number = rewind_base(
            start=cursor.start.number,
            checkpoint=checkpoint,
            confirmed=heads.confirmed,
            blocks_max=_REWIND_MAX,
        )
        header = await reader.block(number)
        if header is None:
            raise ChainUnsettled(f"{reader.name} does not have block {number}")
        return BlockRef(header.number, header.hash)

    async def _reverse_orphans(self, run: _ChainRun, cursor: ChainCursor) -> bool:
        """Reverse credited deposits if their transactions were not mined again in time.

        The worker still waits for a transaction that is mined again above the final block.
        """
        count = await self._database.single(lambda tx: store.count_orphans(tx, run.chain))
        ORPHANS.labels(run.chain).set(count)
        if not count:
            return False
        final = cursor.final.number
        orphans = await self._database.single(
            lambda tx: store.overdue_orphans(tx, run.chain, final=final, limit=_ORPHANS_MAX)
        )
        if not orphans:
            return False
        hashes = list(dict.fromkeys(each.transaction_hash for each in orphans))
        mined = await run.reader.blocks_of(hashes)
        has_moved = False
        for deposit in orphans:
            if mined.get(deposit.transaction_hash, final) > final:
                continue
            has_moved |= await self._deposits.reverse(cursor, deposit, run.offset(deposit.org_id))
        return has_moved

    async def _give_up_lost(self, run: _ChainRun, cursor: ChainCursor) -> bool:
        """Mark lost treasury deposits as gone if they were not mined again in time."""
        count = await self._database.single(lambda tx: treasury_store.count_lost(tx, run.chain))
        LOST.labels(run.chain).set(count)
        if not count:
            return False
        final = cursor.final.number
        overdue = await self._database.single(
            lambda tx: treasury_store.overdue(tx, run.chain, final=final, limit=_ORPHANS_MAX)
        )
        if not overdue:
            return False
        mined = await run.reader.blocks_of([each.transaction_hash for each in overdue])
        lost = [each for each in overdue if mined.get(each.transaction_hash, final) <= final]
        for deposit in lost:
            await self._deposits.give_up(cursor, deposit, run.offset(deposit.org_id))
            _log.error(
                "treasury_deposits.lost",
                chain=run.chain,
                org_id=str(deposit.org_id),
                id=str(deposit.id),
                hash=deposit.transaction_hash,
            )
        return bool(lost)

    async def _recover(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Recover what is owed for reversals from wallets that hold it by now."""
        found = await self._database.single(
            lambda tx: store.open_reversals(tx, offsets.keys(), _ORPHANS_MAX)
        )
        for org_id, id_ in found:
            if await self._deposits.recover(org_id, id_, offsets[org_id]):
                _log.info("chain_deposits.recovered", org_id=str(org_id), id=str(id_))

    async def _stored(self, cursor: ChainCursor, first: int, last: int) -> list[BlockRef]:
        return await self._database.single(
            lambda tx: progress.blocks(tx, cursor.chain, first=first, last=last)
        )
