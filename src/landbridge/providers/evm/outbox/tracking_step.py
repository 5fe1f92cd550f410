"""Follows signed transactions on the chain: mined, confirmed, final, or removed again.

A receipt counts only if its block is the chain's block of that height, so a node that answers an
old receipt decides nothing. A nonce that none of our transactions has used stops the account:
another party has its key.

An order that was reported as paid remains paid. If a reorganisation has removed its transaction,
which can't pay any more (its authorization has expired), another one is signed. The order's key on
the chain, or the nonce that is used up, keeps the old transaction from paying too.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import structlog

from landbridge.platform.db.pool import Tx
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.chain_data import BlockTag, TransactionReceipt
from landbridge.providers.evm.errors import NodeError, NodeUnavailable
from landbridge.providers.evm.outbox import attempt_store, order_store
from landbridge.providers.evm.outbox.chain_context import ChainContext
from landbridge.providers.evm.outbox.finality_check import FinalityCheck
from landbridge.providers.evm.outbox.metrics import REORGANISED
from landbridge.providers.evm.outbox.model import (
    OutboxOrder,
    OutboxState,
    TransactionAttempt,
    by_order,
)
from landbridge.providers.evm.outbox.planner import OrderPlanner
from landbridge.providers.evm.outbox.plans import expiry_s, has_executed
from landbridge.providers.evm.outbox.tracking import ChainView, follow
from landbridge.providers.evm.quantities import AnswerInvalid

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 2_000
_WAITS_FOR_FILL = "waits: the nodes don't say what the market gave"
_WAITS_FOR_EXPIRY = "the transfer was refused; waits until its authorization has expired"


class TrackingStep:
    """Follows the open orders of one chain."""

    def __init__(self, context: ChainContext, planner: OrderPlanner) -> None:
        self._context = context
        self._planner = planner
        self._finality_check = FinalityCheck(context)
        self._seen: tuple[str, int] | None = None
        # Nonces that the chain counted at the previous head, but that no receipt explained.
        self._unexplained: set[tuple[str, int]] = set()

    async def run(self) -> int:
        """Follow all open orders if there is a new block; return how many orders changed."""
        context = self._context
        head = await context.client.block(BlockTag.LATEST)
        if head is None:
            return 0
        final_block = await context.final_block(head)
        if self._seen == (head.hash, final_block):
            return 0
        view = ChainView(head.number, final_block, context.chain.confirmations)
        at = context.clock.now()
        await self._finality_check.run(head, at)
        orders = await context.database.single(
            lambda tx: order_store.to_follow(
                tx, context.name, final_block=final_block, limit=BATCH_SIZE
            )
        )
        attempts = await context.database.single(
            lambda tx: attempt_store.of_orders(tx, [each.order_key for each in orders])
        )
        current = await self._current(orders, attempts)
        moved = await self._store(orders, attempts, current, view, at)
        try:
            await self._check_nonces(current, view, at)
        except NodeUnavailable as error:
            # The node may lack the state of that block, which must not delay sending.
            _log.warning("chain.nonces.unchecked", chain=context.name, reason=str(error))
        self._seen = (head.hash, final_block)
        return moved

    async def _current(
        self, orders: Sequence[OutboxOrder], attempts: Sequence[TransactionAttempt]
    ) -> list[TransactionAttempt]:
        """Return the attempts with the blocks that contain them now.

        A receipt is not read again while the chain still has its block, because it can't have
        changed.
        """
        hashes = await self._hashes(
            each.block_number for each in attempts if each.block_number is not None
        )
        asked = [
            each
            for each in attempts
            if each.block_number is None or hashes.get(each.block_number) != each.block_hash
        ]
        receipts = await self._context.client.receipts([each.hash for each in asked])
        hashes = await self._hashes(each.block_number for each in receipts if each is not None)
        by_key = {each.order_key: each for each in orders}
        found = {
            attempt.hash: _as_mined(by_key[attempt.order_key], attempt, receipt, hashes)
            for attempt, receipt in zip(asked, receipts, strict=True)
        }
        return [found.get(each.hash, each) for each in attempts]

    async def _hashes(self, numbers: Iterable[int]) -> Mapping[int, str]:
        """Return the hashes of the chain's blocks with these numbers."""
        blocks = await self._context.client.blocks(sorted(set(numbers)))
        return {each.number: each.hash for each in blocks if each is not None}

    async def _store(
        self,
        orders: Sequence[OutboxOrder],
        before: Sequence[TransactionAttempt],
        current: Sequence[TransactionAttempt],
        view: ChainView,
        at: datetime,
    ) -> int:
        name = self._context.name
        changed = [new for old, new in zip(before, current, strict=True) if new != old]
        removed = sum(
            old.block_hash is not None and new.block_hash != old.block_hash
            for old, new in zip(before, current, strict=True)
        )
        if removed:
            _log.warning("chain.reorganised", chain=name, count=removed)
            REORGANISED.labels(name).inc(removed)
        found = by_order(current)
        moves: list[tuple[OutboxOrder, OutboxOrder]] = []
        for order in orders:
            steps = [each for each in found.get(order.order_key, []) if each.step == order.step]
            new = await self._followed(order, steps, view, at)
            if new == order:
                continue
            if new.state is OutboxState.REVERTED and _must_arrive(order):
                event = "chain.payment.lost" if order.is_reported_as_paid else "chain.mint.reverted"
                _log.error(event, chain=name, order=order.key)
                new = replace(new, state=OutboxState.CREATED, step=order.step + 1, due_at=at)
            if order.failed_at is not None and order.confirmed_at is None and new.confirmed_at:
                _log.error("chain.payment.late", chain=name, order=order.key)
            moves.append((order, new))
        if not moves and not changed:
            return 0

        async def work(tx: Tx) -> int:
            if changed:
                await attempt_store.set_mined(tx, changed)
            return len(await self._context.move(tx, moves, at))

        return await self._context.database.transact(work)

    async def _followed(
        self,
        order: OutboxOrder,
        attempts: Sequence[TransactionAttempt],
        view: ChainView,
        at: datetime,
    ) -> OutboxOrder:
        """Return the order in its state on the chain."""
        new = follow(order, attempts, view, at)
        if new.state is OutboxState.REVERTED:
            new = await self._after_revert(order, new, attempts, view)
        if new.swap is not None and new.state is OutboxState.FINAL:
            new = await self._with_fill(order, new)
        return new

    async def _after_revert(
        self,
        old: OutboxOrder,
        new: OutboxOrder,
        attempts: Sequence[TransactionAttempt],
        view: ChainView,
    ) -> OutboxOrder:
        """Return a reverted order as paid if another party has submitted its authorization.

        The authorization is public. The order fails only after the authorization has expired: until
        then anybody, such as the recipient, may submit it again with success.
        """
        if new.method is None and new.action is not ChainAction.MINT:
            return new
        try:
            if not await self._planner.is_executed(old, new.method, view.final_block):
                final = await self._context.client.block(view.final_block)
                expires_s = max(expiry_s(new.method, each) for each in attempts)
                if final is not None and final.timestamp_s > expires_s:
                    return new
                return replace(new, state=OutboxState.MINED, reason=_WAITS_FOR_EXPIRY)
        except (NodeError, AnswerInvalid):
            _log.exception("chain.revert.unclear", chain=old.chain, order=old.key)
            return old
        found = await self._planner.find_execution(old, new.method, view.head)
        return replace(
            new,
            state=OutboxState.FINAL,
            reason=None,
            confirmed_at=old.confirmed_at or new.due_at,
            transaction_hash=found or new.transaction_hash,
        )

    async def _with_fill(self, old: OutboxOrder, new: OutboxOrder) -> OutboxOrder:
        """Return a final swap with the units received; not final while they are unknown.

        Units that were reported stay the same: a reorganisation below the final block may change
        them.
        """
        try:
            received = await self._planner.fills.find(new, new.transaction_hash)
        except (NodeError, NodeUnavailable, AnswerInvalid):
            received = None
        if received is None:
            _log.error("chain.swap.fill_unknown", chain=old.chain, order=old.key)
            waiting = replace(new, state=OutboxState.MINED, confirmed_at=old.confirmed_at)
            return replace(waiting, reason=_WAITS_FOR_FILL)
        if old.received_units not in (None, received):
            _log.error("chain.swap.fill_changed", chain=old.chain, order=old.key)
        return replace(new, received_units=old.received_units or received)

    async def _check_nonces(
        self, attempts: Sequence[TransactionAttempt], view: ChainView, at: datetime
    ) -> None:
        """Stop accounts for which the chain finally counts a nonce that no attempt used.

        Two heads in a row must show it, because a node may lack receipts for a while.
        """
        if view.final_block < 0:
            return
        mined = {(each.account, each.nonce) for each in attempts if each.block_number is not None}
        waiting = {
            (each.account, each.nonce)
            for each in attempts
            if each.sent_at is not None
            and not each.is_taken
            and (each.account, each.nonce) not in mined
        }
        unexplained, self._unexplained = self._unexplained, set()
        for account in {account for account, _ in waiting}:
            used = await self._context.client.nonce(account, view.final_block)
            taken = sorted(nonce for owner, nonce in waiting if owner == account and nonce < used)
            if taken and not await self._is_mined_anyway(attempts, account, taken):
                self._unexplained |= {(account, nonce) for nonce in taken}
                if again := [each for each in taken if (account, each) in unexplained]:
                    await self._stop(account, again, used, at)

    async def _is_mined_anyway(
        self, attempts: Sequence[TransactionAttempt], account: str, nonces: Collection[int]
    ) -> bool:
        """Check again: a node may count a nonce before it has the receipt."""
        hashes = [
            each.hash for each in attempts if each.account == account and each.nonce in nonces
        ]
        return any(each is not None for each in await self._context.client.receipts(hashes))

    async def _stop(self, account: str, nonces: Sequence[int], used: int, at: datetime) -> None:
        name = self._context.name
        reason = f"nonce {nonces[0]} was used by a transaction that was not signed here"

        async def work(tx: Tx) -> bool:
            await attempt_store.mark_nonces_used(tx, name, account, nonces, next_nonce=used)
            return await attempt_store.stop(tx, name, account, at, reason, next_nonce=used)

        if await self._context.database.transact(work):
            _log.error("chain.account.stopped", chain=name, account=account, reason=reason)


def _must_arrive(order: OutboxOrder) -> bool:
    """Return whether another transaction is signed after one that has failed.

    This holds for orders that were reported as paid, and for mints, because their coins are burned.
    """
    return order.is_reported_as_paid or order.action is ChainAction.MINT


def _as_mined(
    order: OutboxOrder,
    attempt: TransactionAttempt,
    receipt: TransactionReceipt | None,
    hashes: Mapping[int, str],
) -> TransactionAttempt:
    """Return the attempt with the block that contains it now; without one if none does."""
    if receipt is None or hashes.get(receipt.block_number) != receipt.block_hash:
        return replace(attempt, block_number=None, block_hash=None, is_success=None, gas_wei=None)
    return replace(
        attempt,
        block_number=receipt.block_number,
        block_hash=receipt.block_hash,
        is_success=receipt.is_success and has_executed(order, attempt, receipt),
        gas_wei=receipt.cost_wei,
    )
