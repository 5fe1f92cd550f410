"""Chain orders of the two legs of a bridge.

Source leg: while the record is SOURCE_INITIATED, an approve order allows the bridge contract to
take the coins. The transition to SOURCE_PENDING claims the burn. It is made once the approve is
final, and only if no party has been frozen since; otherwise the leg fails, which is safe because no
burn has been sent. Only a record at SOURCE_PENDING sends the burn; from then on only the chain's
answer ends the leg.

Destination leg: the coins are minted. If that fails for good, or is not allowed any more, the fact
`halted_reason` of the record has the reason. From then on its order is the refund: the coins are
minted back on the source chain, and only then does the bridge fail. The ledger therefore never
shows coins in a wallet that are not there.

Connected chains refund no burn (`Chains.refunds_burns`), so there a mint can't fail: the bridge
waits until the mint is possible, and is listed as stuck.

Every order's key is derived from the record's id, so repeating a call is harmless at any point.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

from landbridge.customers.wallets.service import Wallets
from landbridge.payments.bridges.model import TRANSITIONS, Bridge, BridgeStatus
from landbridge.payments.bridges.transitions import (
    burned,
    minted,
    released,
    returned,
    returned_outside,
)
from landbridge.payments.engine.order_channels import (
    ChannelStatus,
    OrderChannel,
    OrderState,
    chain_channel,
    until_settled,
)
from landbridge.payments.engine.order_keys import order_key
from landbridge.payments.engine.outgoing_orders import OrderRefund, OutgoingOrder
from landbridge.payments.engine.retry_until_settled import retry_key
from landbridge.platform.core.errors import Unavailable
from landbridge.providers.chains.port import ChainAction, ChainOrder, Chains, OrderLeg
from landbridge.providers.chains.tokens import Network

# Returns why a bridge may not continue now; None if it may.
FindBlockReason = Callable[[], Awaitable[str | None]]

# Name of the refund order, from which its keys are derived.
_REFUND = "return"
_NOTHING_HELD = {"held_units": 0}


@dataclass(frozen=True, slots=True)
class BridgeOrders:
    """Builds the orders of a bridge."""

    chains: Chains
    wallets: Wallets

    def approve(
        self,
        bridge: Bridge,
        at: datetime,
        find_block_reason: FindBlockReason,
        *,
        is_claimed_now: bool,
    ) -> OutgoingOrder:
        """Build the approve order; a failure or a frozen user releases the held coins.

        `find_block_reason` returns why the bridge may not continue now. It is not
        `OutgoingOrder.find_block_reason`: the approve moves no coins, so the record may fail at any
        time before the burn is claimed.
        """
        order = chain_channel(
            self.chains, _source_order(bridge, ChainAction.APPROVE, at), prefix="approve_"
        )
        return OutgoingOrder(
            channel=_block_checked(find_block_reason, order, is_checked=is_claimed_now),
            transitions=TRANSITIONS,
            initiated=BridgeStatus.SOURCE_INITIATED,
            done=BridgeStatus.SOURCE_PENDING,
            failed=BridgeStatus.SOURCE_FAILED,
            unknown=BridgeStatus.UNKNOWN,
            failed_journal=released(bridge),
            failed_facts=_NOTHING_HELD,
            find=order.find,
        )

    def burn(self, bridge: Bridge, at: datetime) -> OutgoingOrder:
        """Build the burn order; a failure releases the held coins."""
        return OutgoingOrder(
            channel=chain_channel(self.chains, _source_order(bridge, ChainAction.BURN, at)),
            transitions=TRANSITIONS,
            initiated=BridgeStatus.SOURCE_PENDING,
            done=BridgeStatus.SOURCE_PROCESSED,
            failed=BridgeStatus.SOURCE_FAILED,
            unknown=BridgeStatus.UNKNOWN,
            done_journal=burned(bridge),
            failed_journal=released(bridge),
            done_facts=_NOTHING_HELD,
            failed_facts=_NOTHING_HELD,
        )

    async def destination(self, bridge: Bridge, at: datetime) -> OutgoingOrder:
        """Build the mint order, or the refund once the mint has failed or is not allowed."""
        if bridge.details.halted_reason is not None:
            return await self._refund(bridge, bridge.details.halted_reason, at)
        channel = chain_channel(self.chains, await self._mint(bridge, at), prefix="mint_")
        has_refund = self.has_refund(bridge)
        return OutgoingOrder(
            channel=channel if has_refund else _without_failures(channel),
            transitions=TRANSITIONS,
            initiated=BridgeStatus.DESTINATION_INITIATED,
            pending=BridgeStatus.DESTINATION_PENDING,
            done=BridgeStatus.COMPLETED,
            # After a failure the record keeps its status, and its next order is the refund.
            failed=bridge.status if has_refund else None,
            unknown=BridgeStatus.UNKNOWN,
            done_journal=minted(bridge),
            reason_fact="halted_reason",
        )

    def has_refund(self, bridge: Bridge) -> bool:
        """Return whether coins that can't be minted are returned; otherwise the bridge waits."""
        return self.chains.refunds_burns(bridge.source.asset.chain)

    async def _refund(self, bridge: Bridge, reason: str, at: datetime) -> OutgoingOrder:
        """Build the refund order: mint the coins back on the source chain, then fail the bridge."""
        record, details = bridge.record, bridge.details
        back_on = Network(bridge.source.asset.chain)
        back = replace(
            await self._mint(bridge, at),
            key=retry_key(record, _REFUND),
            chain=back_on,
            source=await self.wallets.treasury_address(record.org_id, back_on.address_chain),
            legs=(OrderLeg(details.return_address or details.source_address, bridge.source),),
            is_refund=True,
            is_redirected=details.return_address is not None,
        )
        facts = {"failed_reason": reason}
        return OutgoingOrder(
            channel=until_settled(chain_channel(self.chains, back, prefix="return_"), _REFUND),
            transitions=TRANSITIONS,
            initiated=bridge.status,
            done=BridgeStatus.DESTINATION_FAILED,
            done_journal=returned(bridge),
            done_facts=facts,
            refund=OrderRefund(
                name=_REFUND,
                status=BridgeStatus.DESTINATION_FAILED,
                journal=returned(bridge),
                outside_journal=returned_outside(bridge),
                facts=facts,
            ),
        )

    async def _mint(self, bridge: Bridge, at: datetime) -> ChainOrder:
        record = bridge.record
        network = Network(bridge.destination.asset.chain)
        return ChainOrder(
            org_id=record.org_id,
            key=order_key(record, "mint"),
            record_id=record.id,
            action=ChainAction.MINT,
            chain=network,
            source=await self.wallets.treasury_address(record.org_id, network.address_chain),
            wallet_id=None,
            legs=(OrderLeg(bridge.details.destination_address, bridge.destination),),
            at=at,
            after=order_key(record, "burn"),
        )


def _source_order(bridge: Bridge, action: ChainAction, at: datetime) -> ChainOrder:
    """Build an order to the source chain, from the paying wallet."""
    record, details = bridge.record, bridge.details
    return ChainOrder(
        org_id=record.org_id,
        key=order_key(record, action),
        record_id=record.id,
        action=action,
        chain=bridge.source.asset.chain,
        source=details.source_address,
        wallet_id=details.source_wallet_id,
        legs=(OrderLeg(details.destination_address, bridge.source),),
        at=at,
        into=bridge.destination.asset.chain,
    )


def _block_checked(
    find_block_reason: FindBlockReason, channel: OrderChannel, *, is_checked: bool
) -> OrderChannel:
    """Return a channel that also fails for a block reason, before sending and when done.

    With `is_checked`, the caller has just checked that there is none, so only the check when done
    is made.
    """

    async def check_block(answer: ChannelStatus) -> ChannelStatus:
        reason = await find_block_reason() if _is_done(answer) else None
        if reason is None:
            return answer
        return replace(answer, state=OrderState.FAILED, reason=reason)

    async def send() -> ChannelStatus:
        reason = None if is_checked else await find_block_reason()
        if reason is not None:
            return ChannelStatus(state=OrderState.FAILED, expected_at=None, reason=reason)
        return await check_block(await channel.send())

    async def find(at: datetime) -> ChannelStatus | None:
        answer = await channel.find(at)
        return None if answer is None else await check_block(answer)

    return replace(channel, send=send, find=find)


def _without_failures(channel: OrderChannel) -> OrderChannel:
    """Return a channel that raises `Unavailable` for a refusal, for a mint without a refund."""

    def check(answer: ChannelStatus) -> ChannelStatus:
        if answer.state is OrderState.FAILED:
            raise Unavailable(f"burned coins are not minted, and not returned: {answer.reason}")
        return answer

    async def send() -> ChannelStatus:
        return check(await channel.send())

    async def find(at: datetime) -> ChannelStatus | None:
        answer = await channel.find(at)
        return None if answer is None else check(answer)

    return replace(channel, send=send, find=find)


def _is_done(answer: ChannelStatus) -> bool:
    return answer.state is OrderState.DONE
