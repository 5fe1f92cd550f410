"""Worker steps of due swaps."""

from dataclasses import dataclass, replace
from datetime import timedelta

from landbridge.ledger.model import Transfer
from landbridge.payments.engine.outgoing_orders import (
    ACTOR,
    OrderSender,
    OutgoingOrder,
    run_until_waiting,
)
from landbridge.payments.engine.parties import PaymentParties
from landbridge.payments.swaps.model import TRANSITIONS, Swap, SwapLeg, SwapStatus, as_swap
from landbridge.payments.swaps.orders import SwapOrders
from landbridge.payments.swaps.service import Swaps
from landbridge.payments.swaps.transitions import failure, released
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken


@dataclass(frozen=True, slots=True)
class SwapSteps:
    """Runs the steps of due swaps."""

    swaps: Swaps
    parties: PaymentParties
    orders: SwapOrders
    order_sender: OrderSender
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Run the steps of a due record until it waits; a concurrent change of it is no error.

        Raises `Unavailable` and `Unclear` while the chain has no answer.
        """
        await run_until_waiting(
            record,
            lambda here: self._step(as_swap(here), clock_offset, is_claimed_now=here is not record),
        )

    async def find_order(self, record: Transfer, clock_offset: timedelta) -> OutgoingOrder | None:
        """Return the order that a record waits for; None if it waits for none."""
        swap, at = as_swap(record), self.clock.now(clock_offset)
        if swap.status is not SwapStatus.PENDING:
            return None
        match swap.details.leg:
            case SwapLeg.MARKET:
                order = await self.orders.exchange(swap, at)
            case SwapLeg.COLLECT:
                order = await self.orders.collect(swap, at)
            case SwapLeg.DELIVER:
                order = await self.orders.deliver(swap, at)
            case SwapLeg.RETURN:
                # Coins are returned even to frozen users.
                return await self.orders.refund(swap, at)
            case _:
                return None
        return replace(order, find_block_reason=lambda: self._find_frozen_reason(swap))

    async def _step(
        self, swap: Swap, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """Run one step; return the record if it was advanced here and may have another step."""
        match swap.status:
            case SwapStatus.OPEN_QUOTE:
                await self.swaps.expire(swap, ACTOR, self.clock.stamp(clock_offset))
                return None
            case SwapStatus.CREATED:
                return await self._claim_collection(swap, clock_offset)
            case SwapStatus.PENDING if swap.details.leg is SwapLeg.COLLECTED:
                return await self._claim_delivery(swap, clock_offset)
            case status:
                order = await self.find_order(swap.record, clock_offset)
                if order is None:
                    raise InvariantBroken(f"a swap that is {status} has no due step")
                return await self.order_sender.run(
                    swap.record, order, clock_offset, is_claimed_now=is_claimed_now
                )

    async def _claim_collection(self, swap: Swap, clock_offset: timedelta) -> Transfer | None:
        """Claim the first order, unless a party has been frozen since the accept."""
        reason = await self._find_frozen_reason(swap)
        if reason is None:
            return await self.order_sender.advance(
                swap.record,
                TRANSITIONS,
                SwapStatus.PENDING,
                clock_offset=clock_offset,
                facts={"leg": SwapLeg.MARKET if swap.is_market else SwapLeg.COLLECT},
            )
        return await self.order_sender.advance(
            swap.record,
            TRANSITIONS,
            SwapStatus.FAILED,
            clock_offset=clock_offset,
            facts=failure(reason),
            journal=released(swap),
        )

    async def _claim_delivery(self, swap: Swap, clock_offset: timedelta) -> Transfer | None:
        """Claim the second order; if a party has been frozen, the coins are returned instead."""
        reason = await self._find_frozen_reason(swap)
        return await self.order_sender.advance(
            swap.record,
            TRANSITIONS,
            SwapStatus.PENDING,
            clock_offset=clock_offset,
            facts={"leg": SwapLeg.DELIVER}
            if reason is None
            else {"leg": SwapLeg.RETURN, "halted_reason": reason},
        )

    async def _find_frozen_reason(self, swap: Swap) -> str | None:
        return await self.parties.find_frozen_reason(
            swap.record.org_id, swap.record.user_id, swap.details.destination_user_id
        )
