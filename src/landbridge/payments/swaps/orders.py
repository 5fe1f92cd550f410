"""Chain orders of swaps that are executed on a chain.

The treasury collects the coins sold before it delivers the coins bought, so it never delivers
without having been paid. If the delivery fails for good, or is not allowed any more, the fact
`halted_reason` of the record has the reason, and the next order returns the coins sold, including
the fee. That order must arrive.

A swap on a market has one order, which executes the whole swap or nothing.

Every order has its own key (engine/order_keys.py), so repeating a call is harmless at any point.
"""

from dataclasses import dataclass
from datetime import datetime

from landbridge.customers.wallets.service import Wallets
from landbridge.payments.engine.order_channels import chain_channel, until_settled
from landbridge.payments.engine.order_keys import order_key
from landbridge.payments.engine.outgoing_orders import OrderRefund, OutgoingOrder
from landbridge.payments.engine.retry_until_settled import retry_key
from landbridge.payments.swaps.model import TRANSITIONS, Swap, SwapLeg, SwapStatus
from landbridge.payments.swaps.transitions import (
    collected,
    delivered,
    exchanged,
    failure,
    received_in,
    released,
    returned,
    returned_outside,
)
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.providers.chains.port import ChainAction, ChainOrder, Chains, MarketTerms, OrderLeg
from landbridge.providers.chains.tokens import Network

# Names of the orders, from which their keys are derived.
_COLLECT, _DELIVER, _RETURN, _MARKET = "collect", "send", "return", "market"


@dataclass(frozen=True, slots=True)
class SwapOrders:
    """Builds the orders of a swap."""

    chains: Chains
    wallets: Wallets

    async def collect(self, swap: Swap, at: datetime) -> OutgoingOrder:
        """Build the order from the wallet to the treasury; a failure releases the held coins."""
        record, details = swap.record, swap.details
        if details.source_address is None:
            raise InvariantBroken(f"swap {record.id} is executed in the ledger, without orders")
        order = ChainOrder(
            org_id=record.org_id,
            key=order_key(record, _COLLECT),
            record_id=record.id,
            action=ChainAction.TRANSFER,
            chain=swap.source.asset.chain,
            source=details.source_address,
            wallet_id=details.source_wallet_id,
            legs=(OrderLeg(await self._treasury(swap), swap.source),),
            at=at,
        )
        return OutgoingOrder(
            channel=chain_channel(self.chains, order, prefix="collect_"),
            transitions=TRANSITIONS,
            initiated=SwapStatus.PENDING,
            # The record stays PENDING until its last leg.
            done=SwapStatus.PENDING,
            failed=SwapStatus.FAILED,
            done_journal=collected(swap),
            done_facts={"leg": SwapLeg.COLLECTED},
            failed_journal=released(swap),
            failed_facts=failure(""),
            reason_fact="error_message",
        )

    async def exchange(self, swap: Swap, at: datetime) -> OutgoingOrder:
        """Build the order that swaps on a market; a failure releases the held coins.

        The market pays the recipient, and the fee goes to the treasury, all in one transaction.
        """
        record, details = swap.record, swap.details
        if details.source_address is None or not swap.is_market:
            raise InvariantBroken(f"swap {record.id} is not executed by a market")
        fee = OrderLeg(await self._treasury(swap), swap.fee) if swap.fee.units else None
        order = ChainOrder(
            org_id=record.org_id,
            key=order_key(record, _MARKET),
            record_id=record.id,
            action=ChainAction.SWAP,
            chain=swap.source.asset.chain,
            source=details.source_address,
            wallet_id=details.source_wallet_id,
            legs=(OrderLeg(details.destination_address, swap.source),),
            at=at,
            market=MarketTerms(least=swap.destination, fee=fee),
        )
        return OutgoingOrder(
            channel=chain_channel(self.chains, order),
            transitions=TRANSITIONS,
            initiated=SwapStatus.PENDING,
            done=SwapStatus.COMPLETED,
            failed=SwapStatus.FAILED,
            journal_of=lambda facts: exchanged(swap, received_in(facts)),
            failed_journal=released(swap),
            failed_facts=failure(""),
            reason_fact="error_message",
        )

    async def deliver(self, swap: Swap, at: datetime) -> OutgoingOrder:
        """Build the order from the treasury to the recipient; a failure leads to the refund."""
        order = await self._from_treasury(
            swap, _DELIVER, swap.details.destination_address, swap.destination, at
        )
        return OutgoingOrder(
            channel=chain_channel(self.chains, order),
            transitions=TRANSITIONS,
            initiated=SwapStatus.PENDING,
            done=SwapStatus.COMPLETED,
            failed=SwapStatus.PENDING,
            done_journal=delivered(swap),
            failed_facts={"leg": SwapLeg.RETURN},
            reason_fact="halted_reason",
        )

    async def refund(self, swap: Swap, at: datetime) -> OutgoingOrder:
        """Build the order that returns the coins sold to their wallet."""
        details = swap.details
        to = details.return_address or details.source_address
        if to is None or details.halted_reason is None:
            raise InvariantBroken(f"swap {swap.record.id} has nothing to return")
        order = await self._from_treasury(swap, _RETURN, to, swap.source, at)
        facts = failure(details.halted_reason)
        return OutgoingOrder(
            channel=until_settled(chain_channel(self.chains, order, prefix="return_"), _RETURN),
            transitions=TRANSITIONS,
            initiated=SwapStatus.PENDING,
            done=SwapStatus.FAILED,
            done_journal=returned(swap),
            done_facts=facts,
            refund=OrderRefund(
                name=_RETURN,
                status=SwapStatus.FAILED,
                journal=returned(swap),
                outside_journal=returned_outside(swap),
                facts=facts,
            ),
        )

    async def _from_treasury(
        self, swap: Swap, name: str, to: str, money: Money, at: datetime
    ) -> ChainOrder:
        is_refund = name == _RETURN
        record = swap.record
        return ChainOrder(
            org_id=record.org_id,
            key=retry_key(record, name) if is_refund else order_key(record, name),
            record_id=record.id,
            action=ChainAction.TRANSFER,
            chain=money.asset.chain,
            source=await self._treasury(swap),
            wallet_id=None,
            legs=(OrderLeg(to, money),),
            at=at,
            is_refund=is_refund,
            is_redirected=is_refund and swap.details.return_address is not None,
        )

    async def _treasury(self, swap: Swap) -> str:
        network = Network(swap.source.asset.chain)
        return await self.wallets.treasury_address(swap.record.org_id, network.address_chain)
