"""Closes orders that can't proceed, by a decision of people.

An order waits for people if another party has used its nonce, or if it is refused for a reason that
does not end by itself. People find out whether its recipients were paid by other means.

Guarantees:
- An order is closed only while none of its signed transactions can be carried out, and the chain
  has not carried it out. So it is not paid after it was closed.
- Nothing is signed for a closed order: its state changes in the transaction of the decision.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Tx
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.chain_data import BlockTag
from landbridge.providers.evm.outbox import attempt_store, order_store
from landbridge.providers.evm.outbox.model import (
    FINAL_STATES,
    OutboxOrder,
    OutboxState,
    TransactionAttempt,
)
from landbridge.providers.evm.outbox.plans import choose_method, expiry_s
from landbridge.providers.evm.outbox.service import ChainOutbox

_NOT_SENT = "people have found out that it was never sent"


@dataclass(frozen=True, slots=True)
class OrderClosing:
    """Closes orders on chains; `outboxes` are by the chain's name."""

    outboxes: Mapping[str, ChainOutbox]

    async def find_open(
        self, org_id: UUID, record_id: UUID, *, is_paid: bool
    ) -> Sequence[OutboxOrder]:
        """Return the orders of a payment without a result, all of which may be closed now.

        With `is_paid`, also orders that were reported as paid, but that the chain has lost. Raises
        `NodeUnavailable`, and `ResourceConflict` if an order could still be carried out, or was
        carried out although it is to be closed as not paid.
        """
        orders = await self._not_final(org_id, record_id)
        waiting = [(outbox, each) for outbox, each in orders if not each.has_result]
        if not waiting and is_paid:
            waiting = [(outbox, each) for outbox, each in orders if each.is_reported_as_paid]
        for outbox, order in waiting:
            attempts = await outbox.context.database.single(
                lambda tx, order=order: attempt_store.of_orders(tx, [order.order_key])
            )
            await _check(outbox, order, attempts, is_paid=is_paid)
        return [order for _, order in waiting]

    async def has_lost(self, org_id: UUID, record_id: UUID) -> bool:
        """Return whether a payment has an order that was reported as paid, and is signed again."""
        return any(
            order.is_reported_as_paid and order.state is OutboxState.CREATED
            for _, order in await self._not_final(org_id, record_id)
        )

    async def _not_final(
        self, org_id: UUID, record_id: UUID
    ) -> list[tuple[ChainOutbox, OutboxOrder]]:
        return [
            (outbox, order)
            for name, outbox in self.outboxes.items()
            for order in await outbox.context.database.single(
                lambda tx, name=name: order_store.of_record(tx, org_id, record_id, name)
            )
            if order.state not in FINAL_STATES
        ]

    async def close_in(
        self,
        tx: Tx,
        orders: Sequence[OutboxOrder],
        *,
        is_paid: bool,
        transaction_hash: str | None,
        at: datetime,
    ) -> None:
        """Close orders as paid by other means, or as never sent; `at` is real time.

        Raises `ResourceConflict` if an order has changed since it was found.
        """
        moves = [
            (
                each,
                replace(
                    each,
                    state=OutboxState.FINAL if is_paid else OutboxState.REJECTED,
                    confirmed_at=at if is_paid else None,
                    transaction_hash=transaction_hash,
                    reason=None if is_paid else _NOT_SENT,
                    due_at=at,
                ),
            )
            for each in orders
        ]
        if len(await order_store.move(tx, moves, at)) < len(moves):
            raise ResourceConflict("the order on the chain has changed meanwhile")


async def _check(
    outbox: ChainOutbox,
    order: OutboxOrder,
    attempts: Sequence[TransactionAttempt],
    *,
    is_paid: bool,
) -> None:
    """Raise `ResourceConflict` unless an order may be closed."""
    of_step = [each for each in attempts if each.step == order.step]
    if order.state is not OutboxState.CREATED and not all(each.is_taken for each in of_step):
        raise ResourceConflict("a transaction signed for it can still be mined: wait for it")
    context = outbox.context
    method = order.method or choose_method(context.chain, order)
    if method is None and order.action is not ChainAction.MINT:
        return
    head = await context.client.block(BlockTag.LATEST)
    final_block = -1 if head is None else await context.final_block(head)
    final = None if final_block < 0 else await context.client.block(final_block)
    expires_s = max((expiry_s(method, each) for each in attempts), default=-1)
    if final is None or final.timestamp_s <= expires_s:
        raise ResourceConflict("anybody can still submit its signed authorization: wait an hour")
    if not is_paid and await outbox.planner.is_executed(order, method, BlockTag.LATEST):
        raise ResourceConflict("the chain has carried it out")
