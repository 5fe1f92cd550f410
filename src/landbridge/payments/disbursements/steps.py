"""Worker steps of due disbursements: claim the order, send it, record the result.

The chain must execute it in the end: a refused order is sent again under its next key, after delays
from a minute to a day. Before each order, the fee of a frozen recipient waits until the recipient
is unfrozen, and a fee to a blocked address waits until the list changes or people redirect it.
Surplus coins are returned to their sender in any case, unless their chain has lost them since.
"""

from dataclasses import dataclass
from datetime import timedelta

from landbridge.customers.chain_deposits.treasury_service import TreasuryDeposits
from landbridge.ledger.model import Transfer
from landbridge.payments.disbursements import transitions
from landbridge.payments.disbursements.model import (
    ORDER,
    TRANSITIONS,
    Disbursement,
    DisbursementStatus,
    as_disbursement,
)
from landbridge.payments.engine.disbursement_requests import DisbursementPurpose, surplus_coins
from landbridge.payments.engine.order_channels import chain_channel, until_settled
from landbridge.payments.engine.outgoing_orders import (
    OrderRefund,
    OrderSender,
    OutgoingOrder,
    run_until_waiting,
)
from landbridge.payments.engine.parties import PaymentParties
from landbridge.payments.engine.retry_until_settled import retry_key
from landbridge.payments.limits.model import PaymentDestination
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.providers.chains.port import ChainAction, ChainOrder, Chains, OrderLeg

# Delay before a blocked disbursement checks again whether its recipient is unfrozen.
BLOCKED_PAUSE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class DisbursementSteps:
    """Runs the steps of due disbursements."""

    order_sender: OrderSender
    chains: Chains
    parties: PaymentParties
    deposits: TreasuryDeposits
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Run the steps of a due record; a concurrent change of it is no error.

        Raises `RetryExhausted` after a refusal, and `Unavailable` and `Unclear` while there is no
        answer.
        """
        await run_until_waiting(record, lambda each: self._step(each, clock_offset))

    async def find_order(self, record: Transfer, clock_offset: timedelta) -> OutgoingOrder | None:
        """Return the order of a record; None unless it is claimed."""
        disbursement = as_disbursement(record)
        if disbursement.status is not DisbursementStatus.INITIATED:
            return None
        order = ChainOrder(
            org_id=record.org_id,
            key=retry_key(record, ORDER),
            record_id=record.id,
            action=ChainAction.TRANSFER,
            chain=disbursement.money.asset.chain,
            source=disbursement.details.source_address,
            wallet_id=None,
            legs=(OrderLeg(disbursement.details.address, disbursement.money),),
            at=self.clock.now(clock_offset),
            is_refund=disbursement.details.purpose is DisbursementPurpose.SURPLUS_RETURN,
            is_redirected="address" in record.facts,
        )
        return OutgoingOrder(
            channel=until_settled(chain_channel(self.chains, order), ORDER),
            transitions=TRANSITIONS,
            initiated=DisbursementStatus.INITIATED,
            done=DisbursementStatus.COMPLETED,
            find_block_reason=lambda: self._find_block_reason(disbursement),
            done_journal=transitions.paid(disbursement),
            refund=OrderRefund(
                name=ORDER,
                status=DisbursementStatus.COMPLETED,
                journal=transitions.paid(disbursement),
                outside_journal=transitions.paid_outside(disbursement),
            ),
        )

    async def _step(self, record: Transfer, clock_offset: timedelta) -> Transfer | None:
        """Run one step; return the advanced record, None if it was not advanced."""
        match DisbursementStatus(record.status):
            case DisbursementStatus.CREATED:
                return await self._claim(record, clock_offset)
            case status:
                order = await self.find_order(record, clock_offset)
                if order is None:
                    raise InvariantBroken(f"a disbursement that is {status} has no due step")
                return await self.order_sender.run(record, order, clock_offset)

    async def _claim(self, record: Transfer, clock_offset: timedelta) -> Transfer | None:
        """Claim the order, unless it may not be sent now.

        An order to an address on the block list is claimed, so that people can redirect it.
        """
        reason = await self._find_wait_reason(as_disbursement(record))
        if reason is None:
            return await self.order_sender.advance(
                record, TRANSITIONS, DisbursementStatus.INITIATED, clock_offset=clock_offset
            )
        due_at = self.clock.now(clock_offset) + BLOCKED_PAUSE
        await self.order_sender.ledger.postpone(record, due_at, {"blocked_reason": reason})
        return None

    async def _find_block_reason(self, disbursement: Disbursement) -> str | None:
        """Return why its order may not be sent now; None if it may."""
        if reason := await self._find_wait_reason(disbursement):
            return reason
        org_id, details = disbursement.record.org_id, disbursement.details
        if details.purpose is not DisbursementPurpose.FEE:
            return None
        payee = PaymentDestination.listed(details.address)
        return await self.parties.limits.find_block_reason(org_id, [payee])

    async def _find_wait_reason(self, disbursement: Disbursement) -> str | None:
        """Return why a disbursement waits for another party; None if it does not wait."""
        org_id, details = disbursement.record.org_id, disbursement.details
        match details.purpose:
            case DisbursementPurpose.FEE:
                return await self.parties.find_frozen_reason(org_id, *disbursement.checked_user_ids)
            case DisbursementPurpose.SURPLUS_RETURN:
                asset, chain_hash = surplus_coins(details.reference)
                return await self.deposits.find_loss(org_id, details.payment_id, asset, chain_hash)
