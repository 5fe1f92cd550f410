"""Stores deposits found on a chain, credits and reverses them, and moves the chain's cursor.

Guarantees:
- Every write begins with a lock on the chain's cursor and does nothing if the cursor has moved, so
  only one of two workers writes.
- The cursor moves in the transaction of the last credit, and the records' ids are derived from
  chain, transaction and position: a deposit is credited once, even if its block is read again.
- A credit is never edited. If its block is gone for good, a reversal takes it back; if the
  transaction is mined again later, a new record credits it. The same holds if it is mined with
  another amount, sender or wallet, as the result of a transaction may depend on its block.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import structlog
from msgspec import structs

from landbridge.customers.chain_deposits import reversals, store, treasury_store
from landbridge.customers.chain_deposits.matching import FoundDeposits
from landbridge.customers.chain_deposits.metrics import REVERSALS
from landbridge.customers.chain_deposits.model import (
    ChainDeposit,
    ChainDepositStatus,
    TreasuryDeposit,
    credit_id,
    credited,
)
from landbridge.customers.chain_deposits.screening import (
    suspended_deposit,
    suspended_treasury_deposit,
)
from landbridge.customers.deposit_screening.service import DepositScreenings
from landbridge.customers.wallets.model import DEPOSIT_MOVES
from landbridge.customers.wallets.service import wallets_of
from landbridge.ledger.model import CommitOutcome
from landbridge.ledger.reversed_journals import has_returned_coins
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.evm.following import progress
from landbridge.providers.evm.following.model import BlockRef, ChainCursor

_log = structlog.stdlib.get_logger()
# Stored blocks below the final one; an ordinary reorganisation needs no more.
_BLOCKS_KEPT = 1_000

# Freezes a user, with our own sentence as the reason: (organisation, user, reason, at).
FreezeUser = Callable[[UUID, UUID, str, datetime], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ChainDeposits:
    """Deposits on real chains, of all organisations."""

    database: Database
    ledger: Ledger
    clock: Clock
    freeze_user: FreezeUser
    screenings: DepositScreenings

    async def confirm(
        self,
        cursor: ChainCursor,
        blocks: Sequence[BlockRef],
        found: FoundDeposits,
    ) -> ChainCursor | None:
        """Store confirmed blocks and their deposits; None if another worker was first."""
        moved, parts = structs.replace(cursor, confirmed=blocks[-1]), found.parts()

        async def work(tx: Tx, part: FoundDeposits) -> bool:
            if part is parts[0]:
                # Remove what a killed attempt has stored, as its blocks may be gone.
                chain, first = _wallet_chain(cursor), cursor.confirmed.number + 1
                await store.remove_confirmed(tx, chain, first=first)
                await treasury_store.remove_confirmed(tx, chain, first=first)
            await _add(tx, part)
            if part is parts[-1]:
                await progress.add_blocks(tx, cursor.chain, blocks)
                await progress.move_cursor(tx, moved)
            return True

        return moved if await self._store_each(cursor, parts, work) else None

    async def returned_otherwise(self, found: FoundDeposits) -> Sequence[ChainDeposit]:
        """Return orphaned deposits that have returned with another amount, sender or wallet.

        The caller reverses these before it calls `complete`.
        """
        by_key = {(each.org_id, each.id): each for each in found.wallets}
        if not by_key:
            return []
        orphaned = await self.database.single(lambda tx: store.orphaned(tx, by_key.keys()))
        return [each for each in orphaned if not each.pays_as(by_key[each.org_id, each.id])]

    async def complete(
        self,
        cursor: ChainCursor,
        last: BlockRef,
        found: FoundDeposits,
        offsets: Mapping[UUID, timedelta],
    ) -> bool:
        """Credit the deposits up to a final block; False if another worker was first.

        `found` are all deposits in the blocks above the cursor's final one up to `last`.
        Confirmed deposits in these blocks that are not in `found` are removed.
        """
        accounts = await self._accounts(found)
        parts = found.parts()

        async def work(tx: Tx, part: FoundDeposits) -> bool:
            await self._credit_in(tx, part, accounts, offsets)
            if part is parts[-1]:
                chain, first = _wallet_chain(cursor), cursor.final.number + 1
                await store.remove_confirmed(tx, chain, first=first, last=last.number)
                await treasury_store.remove_confirmed(tx, chain, first=first, last=last.number)
                await progress.prune_blocks(
                    tx,
                    cursor.chain,
                    above=cursor.start.number,
                    below=cursor.final.number - _BLOCKS_KEPT,
                )
                await progress.move_cursor(tx, structs.replace(cursor, final=last))
            return True

        return await self._store_each(cursor, parts, work)

    async def credit(
        self,
        cursor: ChainCursor,
        last: BlockRef,
        found: FoundDeposits,
        offsets: Mapping[UUID, timedelta],
        *,
        also: Callable[[Tx], Awaitable[None]],
    ) -> bool:
        """Credit deposits that were final when they were found; False if another worker was first.

        `also` runs in the same transaction and stores how far the accounts were read.
        """
        accounts = await self._accounts(found)

        async def work(tx: Tx) -> bool:
            if not await progress.lock_cursor(tx, cursor):
                return False
            await self._credit_in(tx, found, accounts, offsets)
            await also(tx)
            await progress.move_cursor(tx, structs.replace(cursor, confirmed=last, final=last))
            return True

        return await self.database.transact(work)

    async def rewind(
        self, cursor: ChainCursor, common: BlockRef, *, latest: BlockRef
    ) -> int | None:
        """Remove blocks and uncredited deposits above `common`, the last block the chain still has.

        Credited deposits above it may be mined again until the block number of `latest`, the head,
        is final. Return how many lost their block; None if another worker was first.
        """
        chain = _wallet_chain(cursor)

        def lower(block: BlockRef) -> BlockRef:
            return common if common.number < block.number else block

        moved = ChainCursor(
            chain=cursor.chain,
            start=lower(cursor.start),
            confirmed=lower(cursor.confirmed),
            final=lower(cursor.final),
        )

        async def work(tx: Tx) -> int | None:
            if not await progress.lock_cursor(tx, cursor):
                return None
            await progress.remove_blocks_above(tx, cursor.chain, common.number)
            await progress.add_blocks(tx, cursor.chain, [common])
            first, above = common.number + 1, common.number
            await store.remove_confirmed(tx, chain, first=first)
            await treasury_store.remove_confirmed(
                tx, chain, first=first, last=cursor.confirmed.number
            )
            orphaned = await store.orphan(tx, chain, above=above, returns_by=latest.number)
            orphaned += await treasury_store.lose(tx, chain, above=above, returns_by=latest.number)
            await progress.move_cursor(tx, moved)
            return orphaned

        return await self.database.transact(work)

    async def reverse(self, cursor: ChainCursor, deposit: ChainDeposit, offset: timedelta) -> bool:
        """Freeze the user of an orphaned deposit and take the deposit back.

        Return False if the cursor has moved or the wallet's balance has changed: the caller tries
        again. The part that the wallet no longer holds is owed. A credit that a correction has
        already reversed is not reversed again.
        """
        reason = (
            f"A reorganisation of {deposit.chain} took back deposit {deposit.id}, which had been "
            "credited."
        )
        # Freeze first, so that the user spends less meanwhile. A second freeze has no effect.
        if not deposit.is_suspended:
            at = self.clock.stamp(offset)
            await self.freeze_user(deposit.org_id, deposit.user_id, reason, at)
        asset = deposit.money.asset
        account = await self.ledger.account(deposit.org_id, deposit.wallet_id, asset)

        async def work(tx: Tx) -> bool:
            if not await progress.lock_cursor(tx, cursor):
                return False
            (locked,) = await store.lock(tx, [(deposit.org_id, deposit.id)])
            if locked.status is not ChainDepositStatus.ORPHANED:
                return False
            if locked.is_suspended != deposit.is_suspended:
                return False
            reversed_ = replace(locked, status=ChainDepositStatus.REVERSED, is_suspended=False)
            if locked.is_suspended:
                at = self.clock.stamp(offset)
                await self.screenings.lose_in(tx, locked.org_id, locked.id, at)
                await store.set_status(tx, reversed_)
                return True
            credit = credit_id(locked, locked.credits)
            if not await has_returned_coins(tx, locked.org_id, credit):
                creation = reversals.reversed_deposit(
                    locked,
                    account.id,
                    available_units=account.available_units,
                    at=self.clock.stamp(offset),
                )
                outcome = await self.ledger.create_in(tx, creation, reversals.TRANSITIONS)
                if isinstance(outcome, CommitOutcome):
                    return False
            await store.set_status(tx, reversed_)
            return True

        is_reversed = await self.database.transact(work)
        if is_reversed:
            REVERSALS.labels(deposit.chain).inc()
            _log.error(
                "chain_deposits.reversed",
                chain=deposit.chain,
                org_id=str(deposit.org_id),
                id=str(deposit.id),
                hash=deposit.transaction_hash,
            )
        return is_reversed

    async def give_up(
        self, cursor: ChainCursor, deposit: TreasuryDeposit, offset: timedelta
    ) -> bool:
        """Treat a lost treasury deposit as gone for good; False if the cursor has moved."""

        async def work(tx: Tx) -> bool:
            if not await progress.lock_cursor(tx, cursor):
                return False
            locked = await treasury_store.lock(tx, deposit.org_id, deposit.id)
            if locked is not None and locked.is_suspended:
                at = self.clock.stamp(offset)
                await self.screenings.lose_in(tx, deposit.org_id, deposit.id, at)
                await treasury_store.set_suspended(tx, locked, is_suspended=False)
            await treasury_store.give_up(tx, deposit)
            return True

        return await self.database.transact(work)

    async def recover(self, org_id: UUID, id_: UUID, offset: timedelta) -> bool:
        """Take what is owed for a reversal from its wallet; return False if it holds too little."""
        reversal = reversals.as_reversal(await self.ledger.get(org_id, reversals.KIND, id_))
        if reversal.status is not reversals.ReversalStatus.OPEN:
            return False
        move = reversals.recovered(reversal, self.clock.stamp(offset))
        outcome = await self.ledger.advance(move, reversals.TRANSITIONS)
        return not isinstance(outcome, CommitOutcome)

    async def _store_each(
        self,
        cursor: ChainCursor,
        parts: Sequence[FoundDeposits],
        work: Callable[[Tx, FoundDeposits], Awaitable[bool]],
    ) -> bool:
        """Store each part in a transaction; False if another worker has moved the cursor.

        The cursor moves with the last part. After a crash all parts are read and stored again.
        """

        async def locked(tx: Tx, part: FoundDeposits) -> bool:
            return await progress.lock_cursor(tx, cursor) and await work(tx, part)

        for part in parts:
            if not await self.database.transact(partial(locked, part=part)):
                return False
        return True

    async def _accounts(self, found: FoundDeposits) -> Mapping[tuple[UUID, UUID], UUID]:
        """Return the ids of the accounts to credit, by (organisation, deposit) id."""
        return {(each.org_id, each.id): await self._account_id(each) for each in found.wallets}

    async def _credit_in(
        self,
        tx: Tx,
        found: FoundDeposits,
        accounts: Mapping[tuple[UUID, UUID], UUID],
        offsets: Mapping[UUID, timedelta],
    ) -> None:
        """Store final deposits and credit them; the caller has locked the cursor."""
        places = {(each.org_id, each.id): place for place, each in enumerate(found.wallets)}
        await _add(tx, found)
        await self._set_final(tx, found.treasuries, offsets)
        locked = await store.lock(tx, places.keys())
        # Lock order: accounts by (organisation, id), as in the ledger; then the order on the chain.
        ordered = sorted(
            locked,
            key=lambda each: (
                each.org_id,
                accounts[each.org_id, each.id],
                places[each.org_id, each.id],
            ),
        )
        for deposit in ordered:
            offset = offsets.get(deposit.org_id, timedelta())
            await self._complete(tx, deposit, accounts[deposit.org_id, deposit.id], offset)

    async def _complete(
        self, tx: Tx, deposit: ChainDeposit, account_id: UUID, offset: timedelta
    ) -> None:
        """Credit a deposit that is final, unless the credit of an earlier block still counts.

        A deposit that has to be screened is suspended instead.
        """
        completed = replace(deposit, status=ChainDepositStatus.COMPLETED)
        match deposit.status:
            case ChainDepositStatus.COMPLETED:
                return
            case ChainDepositStatus.ORPHANED:
                await store.set_status(tx, completed)
                return
            case ChainDepositStatus.CONFIRMED | ChainDepositStatus.REVERSED:
                if await self._is_suspended_in(tx, deposit, account_id, self.clock.stamp(offset)):
                    await store.set_status(tx, replace(completed, is_suspended=True))
                    return
                creation = credited(deposit, account_id, self.clock.stamp(offset))
        outcome = await self.ledger.create_in(tx, creation, DEPOSIT_MOVES)
        if isinstance(outcome, CommitOutcome):
            raise InvariantBroken(f"crediting deposit {deposit.id} resulted in {outcome}")
        await store.set_status(tx, replace(completed, credits=deposit.credits + 1))

    async def _is_suspended_in(
        self, tx: Tx, deposit: ChainDeposit, account_id: UUID, at: datetime
    ) -> bool:
        """Suspend a deposit if it has to be screened; return whether it was suspended."""
        if not self.screenings.screens(deposit.org_id, deposit.money.asset.currency):
            return False
        wallets = await wallets_of(tx, deposit.org_id, [account_id])
        address = wallets[account_id].address
        suspending = suspended_deposit(deposit, account_id, at, address=address)
        return await self.screenings.suspend_in(tx, suspending)

    async def _set_final(
        self, tx: Tx, deposits: Sequence[TreasuryDeposit], offsets: Mapping[UUID, timedelta]
    ) -> None:
        """Mark treasury deposits as final, and suspend those that have to be screened."""
        for deposit in await treasury_store.set_final(tx, deposits):
            if self.screenings.screens(deposit.org_id, deposit.money.asset.currency):
                at = self.clock.stamp(offsets.get(deposit.org_id, timedelta()))
                suspending = suspended_treasury_deposit(deposit, at)
                if await self.screenings.suspend_in(tx, suspending):
                    await treasury_store.set_suspended(tx, deposit, is_suspended=True)

    async def _account_id(self, deposit: ChainDeposit) -> UUID:
        """Return the wallet's account of the deposit's asset; create it if it is missing."""
        asset = deposit.money.asset
        return (await self.ledger.account(deposit.org_id, deposit.wallet_id, asset)).id


async def _add(tx: Tx, found: FoundDeposits) -> None:
    """Store the deposits, sorted so that all transactions take their locks in the same order."""
    for deposit in sorted(found.wallets, key=lambda each: (each.org_id, each.id)):
        await store.add(tx, deposit)
    for received in sorted(found.treasuries, key=lambda each: (each.org_id, each.id)):
        await treasury_store.add(tx, received)


def _wallet_chain(cursor: ChainCursor) -> Chain:
    chain = cursor.chain.chain
    if chain is None:
        raise InvariantBroken(f"{cursor.chain} has no wallets")
    return chain
