"""Worker steps of due bridges."""

from dataclasses import dataclass, replace
from datetime import timedelta

from landbridge.ledger.model import Transfer
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.bridges.model import TRANSITIONS, Bridge, BridgeStatus, as_bridge
from landbridge.payments.bridges.orders import BridgeOrders
from landbridge.payments.bridges.service import Bridges, affected_users
from landbridge.payments.bridges.transitions import ended, not_initiated
from landbridge.payments.engine.outgoing_orders import (
    ACTOR,
    OrderSender,
    OutgoingOrder,
    run_until_waiting,
)
from landbridge.payments.engine.parties import PaymentParties
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken


@dataclass(frozen=True, slots=True)
class BridgeSteps:
    """Runs the steps of due bridges."""

    bridges: Bridges
    approvals: Approvals
    parties: PaymentParties
    orders: BridgeOrders
    order_sender: OrderSender
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Run the steps of a due record until it waits; a concurrent change of it is no error.

        Raises `Unavailable` and `Unclear` while a chain has no answer.
        """
        await run_until_waiting(
            record,
            lambda here: self._step(
                as_bridge(here), clock_offset, is_claimed_now=here is not record
            ),
        )

    async def find_order(
        self, record: Transfer, clock_offset: timedelta, *, is_claimed_now: bool = False
    ) -> OutgoingOrder | None:
        """Return the order that a record waits for; None if it waits for none."""
        bridge, at = as_bridge(record), self.clock.now(clock_offset)

        async def find_block_reason() -> str | None:
            return await self._find_frozen_reason(bridge)

        is_unknown = bridge.status is BridgeStatus.UNKNOWN
        match bridge.details.unknown_from if is_unknown else bridge.status:
            case BridgeStatus.SOURCE_INITIATED:
                return self.orders.approve(
                    bridge, at, find_block_reason, is_claimed_now=is_claimed_now
                )
            case BridgeStatus.SOURCE_PENDING:
                return replace(self.orders.burn(bridge, at), find_block_reason=find_block_reason)
            case BridgeStatus.DESTINATION_INITIATED | BridgeStatus.DESTINATION_PENDING:
                order = await self.orders.destination(bridge, at)
                # Refunds are sent even to frozen users.
                is_refund = bridge.details.halted_reason is not None
                return order if is_refund else replace(order, find_block_reason=find_block_reason)
            case _:
                return None

    async def _step(
        self, bridge: Bridge, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """Run one step; return the record if it was advanced here and may have another step."""
        moved: Transfer | None = None
        match bridge.status:
            case BridgeStatus.PENDING_APPROVAL:
                move = ended(bridge, BridgeStatus.EXPIRED, ACTOR, self.clock.stamp(clock_offset))
                await self.approvals.expire(bridge.record, move, TRANSITIONS)
            case BridgeStatus.OPEN_QUOTE:
                await self.bridges.expire(bridge, ACTOR, self.clock.stamp(clock_offset))
            case BridgeStatus.CREATED:
                moved = await self._claim_source(bridge, clock_offset)
            case BridgeStatus.SOURCE_PROCESSED:
                moved = await self._claim_destination(bridge, clock_offset)
            case status:
                # Without a refund, the second leg is claimed even if a party is frozen.
                is_mint = status is BridgeStatus.DESTINATION_INITIATED
                is_claimed_now &= not is_mint or self.orders.has_refund(bridge)
                order = await self.find_order(
                    bridge.record, clock_offset, is_claimed_now=is_claimed_now
                )
                if order is None:
                    raise InvariantBroken(f"a bridge that is {status} has no due step")
                moved = await self.order_sender.run(
                    bridge.record, order, clock_offset, is_claimed_now=is_claimed_now
                )
        return moved

    async def _claim_source(self, bridge: Bridge, clock_offset: timedelta) -> Transfer | None:
        """Claim the first leg, unless a party has been frozen since the accept."""
        reason = await self._find_frozen_reason(bridge)
        if reason is None:
            return await self.order_sender.advance(
                bridge.record, TRANSITIONS, BridgeStatus.SOURCE_INITIATED, clock_offset=clock_offset
            )
        move = not_initiated(bridge, ACTOR, self.clock.stamp(clock_offset), reason)
        await self.bridges.ledger.advance(move, TRANSITIONS)
        return None

    async def _claim_destination(self, bridge: Bridge, clock_offset: timedelta) -> Transfer | None:
        """Claim the second leg; if a party has been frozen, the coins are returned instead.

        If the chain refunds no burn, the mint waits until the party is unfrozen.
        """
        reason = None
        if self.orders.has_refund(bridge):
            reason = await self._find_frozen_reason(bridge)
        return await self.order_sender.advance(
            bridge.record,
            TRANSITIONS,
            BridgeStatus.DESTINATION_INITIATED,
            clock_offset=clock_offset,
            facts={} if reason is None else {"halted_reason": reason},
        )

    async def _find_frozen_reason(self, bridge: Bridge) -> str | None:
        return await self.parties.find_frozen_reason(bridge.record.org_id, *affected_users(bridge))
