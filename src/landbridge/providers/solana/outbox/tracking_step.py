"""Follows signed transactions on Solana: on the chain, final, failed, or expired.

Guarantees:
- an order is paid or has failed only by a transaction that is finalized;
- it is signed again only once its transaction can't be on the chain any more: a node does not know
  it that has finalized a block above the last one that could have it, and that has kept all blocks
  since before it was signed. Otherwise a person has to decide.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import structlog
from prometheus_client import Counter

from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.outbox import stored_orders
from landbridge.providers.evm.outbox.model import OutboxOrder, OutboxState
from landbridge.providers.evm.outbox.plans import PlanRefusal, PlanWait
from landbridge.providers.solana.chain_data import SignatureStatus
from landbridge.providers.solana.outbox import attempt_store
from landbridge.providers.solana.outbox.context import SolanaContext
from landbridge.providers.solana.outbox.failures import explain_failure
from landbridge.providers.solana.outbox.model import SolanaAttempt
from landbridge.providers.solana.outbox.signing_step import postponed
from landbridge.providers.solana.rpc import STATUSES_MAX, ExpiryView

EXPIRED = Counter(
    "landbridge_chain_expired_transactions",
    "Transactions that no block has taken in time; their orders are signed anew.",
    ["chain"],
)

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 2_000
# Blocks above the last valid height. A node answers the calls of a batch in any order, and
# finalizes fewer blocks than this in between.
EXPIRY_MARGIN = 32
_EXPIRED = "its transaction has expired, and is signed anew"
_UNDECIDABLE = "waits for a person: no node has kept the blocks that could have its transaction"

Change = tuple[OutboxOrder, OutboxOrder, SolanaAttempt]


class SignatureTrackingStep:
    """Follows the signed orders of Solana."""

    def __init__(self, context: SolanaContext) -> None:
        self._context = context

    async def run(self) -> int:
        """Follow all signed orders; return how many orders changed."""
        context = self._context

        async def read(tx: Tx) -> tuple[list[OutboxOrder], list[SolanaAttempt]]:
            orders = await stored_orders.to_follow(
                tx, context.name, final_block=0, limit=BATCH_SIZE
            )
            return orders, await attempt_store.of_orders(tx, [each.order_key for each in orders])

        orders, attempts = await context.database.read(read)
        current = {(each.order_key, each.step): each for each in attempts}
        followed = [(each, current[each.order_key, each.step]) for each in orders]
        changed = 0
        for start in range(0, len(followed), STATUSES_MAX):
            changed += await self._follow(followed[start : start + STATUSES_MAX])
        return changed

    async def _follow(self, followed: Sequence[tuple[OutboxOrder, SolanaAttempt]]) -> int:
        context = self._context
        view = await context.client.expiry_view([each.signature for _, each in followed])
        at = context.clock.now()
        changes: list[Change] = []
        for (order, attempt), status in zip(followed, view.statuses, strict=True):
            change = await self._change(order, attempt, status, view, at)
            if change is not None and change[0] != change[1]:
                changes.append(change)
        if changes:
            await context.database.transact(lambda tx: self._store(tx, changes, at))
        return len(changes)

    async def _change(
        self,
        order: OutboxOrder,
        attempt: SolanaAttempt,
        status: SignatureStatus | None,
        view: ExpiryView,
        at: datetime,
    ) -> Change | None:
        if status is None:
            return order, _unknown(order, attempt, view, at), attempt
        if not status.is_final:
            return order, replace(order, state=OutboxState.MINED), attempt
        transaction = await self._context.client.transaction(attempt.signature)
        if transaction is None:
            return None  # another node has answered, which does not have the transaction yet
        ended = replace(
            attempt,
            slot=transaction.slot,
            is_success=transaction.meta.err is None,
            paid_lamports=transaction.paid_lamports,
        )
        return order, _final(order, transaction.meta.err, at), ended

    async def _store(self, tx: Tx, changes: Sequence[Change], at: datetime) -> None:
        moves = [(old, new) for old, new, _ in changes]
        moved = await self._context.move(tx, moves, at)
        for old, new, attempt in changes:
            if old.order_key not in moved:
                continue
            if attempt.slot is not None:
                await attempt_store.set_final(tx, attempt)
            elif new.step > old.step:
                EXPIRED.labels(self._context.name).inc()
                _log.warning("chain.transaction.expired", chain=old.chain, hash=attempt.signature)


def is_expired(attempt: SolanaAttempt, view: ExpiryView) -> bool:
    """Return whether no further block can contain the transaction."""
    return view.height > attempt.last_valid_height + EXPIRY_MARGIN


def is_undecidable(attempt: SolanaAttempt, view: ExpiryView) -> bool:
    """Return whether the node may have had the transaction, but has not kept its block."""
    return view.first_slot > attempt.signed_slot


def _unknown(
    order: OutboxOrder, attempt: SolanaAttempt, view: ExpiryView, at: datetime
) -> OutboxOrder:
    """Return an order after the node has answered that it does not know its transaction."""
    if not is_expired(attempt, view):
        # A fork has dropped its block, so the same bytes are sent again.
        is_dropped = order.state is OutboxState.MINED
        return replace(order, state=OutboxState.SENT) if is_dropped else order
    if is_undecidable(attempt, view):
        return replace(order, state=OutboxState.SENT, reason=_UNDECIDABLE)
    return _again(order, _EXPIRED, at)


def _final(order: OutboxOrder, error: object, at: datetime) -> OutboxOrder:
    """Return an order after its transaction was finalized, with success or with an error."""
    if error is None:
        return replace(
            order, state=OutboxState.FINAL, confirmed_at=order.confirmed_at or at, reason=None
        )
    match explain_failure(error):
        case PlanRefusal(reason) if not order.is_refund:
            return replace(order, state=OutboxState.REVERTED, reason=reason, due_at=at)
        case PlanRefusal(reason) | PlanWait(reason):
            # The next simulation shows whether the order can be carried out by then.
            again = _again(order, reason, at)
            return replace(again, due_at=postponed(order, reason, at).due_at)


def _again(order: OutboxOrder, reason: str, at: datetime) -> OutboxOrder:
    """Return an order that gets another transaction, in its next step."""
    return replace(order, state=OutboxState.CREATED, step=order.step + 1, reason=reason, due_at=at)
