"""Outgoing orders of an offramp: debit and refund on a chain, payout at a bank.

The key of each order is derived from the record's id, so it is the same after a crash. A refund
must arrive: if the chain rejects such an order for good, the next one has the next key
(payments/engine/retry_until_settled.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.payments.engine.order_channels import chain_channel, rail_channel, until_settled
from landbridge.payments.engine.order_keys import order_key
from landbridge.payments.engine.outgoing_orders import OrderRefund, OutgoingOrder
from landbridge.payments.engine.retry_until_settled import retry_key
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.model import TRANSITIONS, Offramp, OfframpStatus
from landbridge.payments.offramps.payouts import payout, payout_key
from landbridge.payments.offramps.texts import TextArchive
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.providers.chains.port import ChainAction, ChainOrder, Chains, OrderLeg
from landbridge.providers.rails.port import RailPayment, RailPaymentStatus, Rails

# Names from which the key of each order is derived, with the record's id.
_DEBIT, _REFUND = "debit", "refund"


@dataclass(frozen=True, slots=True)
class OfframpOrders:
    """Builds the orders of an offramp."""

    chains: Chains
    rails: Rails
    accounts: BankAccounts
    archive: TextArchive
    clock: Clock

    def debit(self, offramp: Offramp, clock_offset: timedelta) -> OutgoingOrder:
        """Build the debit: coins to us and to the fee beneficiaries in one order with one hash."""
        return OutgoingOrder(
            channel=chain_channel(self.chains, debit(offramp, self.clock.now(clock_offset))),
            transitions=TRANSITIONS,
            initiated=OfframpStatus.CRYPTO_PENDING,
            done=OfframpStatus.CRYPTO_PROCESSED,
            failed=OfframpStatus.CRYPTO_FAILED,
            done_journal=transitions.processed(offramp),
            failed_journal=transitions.release_hold(offramp),
            done_facts=transitions.PROCESSED,
            failed_facts=transitions.REFUSED,
        )

    def payout(self, offramp: Offramp, clock_offset: timedelta) -> OutgoingOrder:
        """Build the payout; the bank account is read when it is submitted."""
        record = offramp.record
        key = payout_key(record)

        async def payment() -> RailPayment:
            return await self._payment(offramp, self.clock.now(clock_offset))

        return OutgoingOrder(
            channel=rail_channel(self.rails, record.org_id, key, payment, facts=_tracking),
            transitions=TRANSITIONS,
            initiated=OfframpStatus.FIAT_INITIATED,
            pending=OfframpStatus.FIAT_PENDING,
            done=OfframpStatus.COMPLETED,
            failed=OfframpStatus.FIAT_FAILED,
            done_journal=transitions.payout_done(offramp),
            failed_journal=transitions.payout_failed(offramp),
        )

    def refund(self, offramp: Offramp, clock_offset: timedelta) -> OutgoingOrder:
        """Build the refund of the coins to their source."""
        order = refund(offramp, self.clock.now(clock_offset))
        return OutgoingOrder(
            channel=until_settled(chain_channel(self.chains, order, prefix="return_"), _REFUND),
            transitions=TRANSITIONS,
            initiated=OfframpStatus.FIAT_FAILED,
            done=OfframpStatus.CRYPTO_RETURNED,
            done_journal=transitions.returned(offramp),
            refund=OrderRefund(
                name=_REFUND,
                status=OfframpStatus.CRYPTO_RETURNED,
                journal=transitions.returned(offramp),
                outside_journal=transitions.returned_outside(offramp),
            ),
        )

    async def _payment(self, offramp: Offramp, at: datetime) -> RailPayment:
        record, details = offramp.record, offramp.details
        account = await self.accounts.get(
            record.org_id, details.destination_user_id, details.account_id
        )
        return payout(
            record,
            account,
            offramp.receive,
            rail=details.payment_rail,
            texts=await self.archive.of(record.org_id, record.id, record.user_id),
            purpose=details.purpose,
            is_same_day=details.is_same_day,
            at=at,
        )


def debit(offramp: Offramp, at: datetime) -> ChainOrder:
    """Build the order that debits the coins and all fees from a wallet of ours."""
    if offramp.is_external:
        raise InvariantBroken(f"offramp {offramp.record.id} has no debit: its coins are external")
    details, record = offramp.details, offramp.record
    fees = tuple(OrderLeg(each.line.wallet_address, each.money) for each in offramp.fees)
    return ChainOrder(
        org_id=record.org_id,
        key=order_key(record, _DEBIT),
        record_id=record.id,
        action=ChainAction.TRANSFER,
        chain=offramp.gross.asset.chain,
        source=details.source_address,
        wallet_id=details.source_wallet_id,
        legs=(OrderLeg(details.destination_address, offramp.amount), *fees),
        at=at,
    )


def refund(offramp: Offramp, at: datetime) -> ChainOrder:
    """Build the order that refunds the debited coins."""
    details, money = offramp.details, offramp.returned
    return ChainOrder(
        org_id=offramp.record.org_id,
        key=retry_key(offramp.record, _REFUND),
        record_id=offramp.record.id,
        action=ChainAction.TRANSFER,
        chain=money.asset.chain,
        source=details.destination_address,
        wallet_id=None,
        legs=(OrderLeg(details.return_address, money),),
        at=at,
        is_refund=True,
        is_redirected="return_address" in offramp.record.facts,
    )


def _tracking(paid: RailPaymentStatus) -> Mapping[str, Any]:
    found = paid.tracking
    return {
        "tracking": {
            "payment_rail": found.payment_rail,
            "trace_number": found.trace_number,
            "fed_batch_id": found.fed_batch_id,
            "imad": found.imad,
            "omad": found.omad,
            "uetr": found.uetr,
        }
    }
