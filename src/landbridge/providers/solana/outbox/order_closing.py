"""Closes orders on all chains by a decision of people; see evm/outbox/order_closing.py."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.outbox import stored_orders
from landbridge.providers.evm.outbox.model import FINAL_STATES, OutboxOrder, OutboxState
from landbridge.providers.evm.outbox.order_closing import OrderClosing
from landbridge.providers.solana.outbox import attempt_store
from landbridge.providers.solana.outbox.model import SolanaAttempt
from landbridge.providers.solana.outbox.service import SolanaOutbox
from landbridge.providers.solana.outbox.tracking_step import is_expired, is_undecidable


@dataclass(frozen=True, slots=True)
class AllOrderClosing(OrderClosing):
    """Closes orders on EVM chains and on Solana."""

    solana: SolanaOutbox

    async def find_open(
        self, org_id: UUID, record_id: UUID, *, is_paid: bool
    ) -> Sequence[OutboxOrder]:
        """Return the orders of a payment without a result, all of which may be closed now.

        An order on Solana is reported as paid only when the chain can't lose it any more.
        """
        # A dataclass with slots is created as a new class, which `super()` does not know.
        found = list(await OrderClosing.find_open(self, org_id, record_id, is_paid=is_paid))
        context = self.solana.context

        async def read(tx: Tx) -> list[tuple[OutboxOrder, list[SolanaAttempt]]]:
            orders = await stored_orders.of_record(tx, org_id, record_id, context.name)
            return [
                (each, await attempt_store.of_orders(tx, [each.order_key]))
                for each in orders
                if each.state not in FINAL_STATES
            ]

        for order, attempts in await context.database.read(read):
            if order.state is not OutboxState.CREATED:
                await self._check_undecidable(attempts[-1])
            found.append(order)
        return found

    async def _check_undecidable(self, attempt: SolanaAttempt) -> None:
        """Raise `ResourceConflict` unless only people can find out the result of the attempt."""
        view = await self.solana.context.client.expiry_view([attempt.signature])
        is_open = view.statuses[0] is not None or not is_expired(attempt, view)
        if is_open or not is_undecidable(attempt, view):
            raise ResourceConflict("a transaction signed for it can still be final: wait for it")
