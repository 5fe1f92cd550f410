"""Replies about a payment of any kind, as pages read them: members that a kind lacks are None."""

from uuid import UUID

from msgspec import field

from landbridge.dashboard.payments.kinds import find_kind_by_type
from landbridge.payments.batches.api import BatchItemReply
from landbridge.payments.disbursements.api import DisbursementPaymentReply
from landbridge.payments.engine.dry_run_schemas import DryRunReply
from landbridge.payments.engine.schemas import ApprovalReply, PartyReply, QuotedAmount
from landbridge.payments.engine.timelines import TimelineReply
from landbridge.payments.offramps.schemas import (
    FeeLineReply,
    OfframpDepositReply,
    PaymentTrackingReply,
)
from landbridge.payments.onramps.schemas import BankInfoReply, DepositInfoReply
from landbridge.payments.swaps.api import BillingReply, SwapErrorReply
from landbridge.platform.http.internal_client import InternalClient
from landbridge.platform.http.responses import DecimalText, Moment, Number, WireStruct


class PaymentEnd(WireStruct, frozen=True):
    """Source or destination; a batch has several destinations."""

    user_id: UUID | None = None
    user: PartyReply | None = None
    wallet_address: str | None = None
    external_wallet_id: UUID | None = None
    account_id: UUID | None = None
    chain: str | None = None
    currency: str | None = None
    amount: Number | None = None
    bank_info: BankInfoReply | None = None
    batch: list[BatchItemReply] | None = None


class PaymentQuote(WireStruct, frozen=True):
    """Quote; only some kinds have a fee of the rail."""

    send_gross: QuotedAmount
    send_net: QuotedAmount
    receive_gross: QuotedAmount
    receive_net: QuotedAmount
    rate: DecimalText
    expires_at: Moment
    rail_fee: QuotedAmount | None = None


class PaymentReferences(WireStruct, frozen=True):
    """Bank references of a payout, and the approval of a batch."""

    payment_tracking: PaymentTrackingReply | None = None
    approval: ApprovalReply | None = None


class OwnFee(WireStruct, frozen=True):
    """The organisation's own fee: one of a transfer, several of an offramp."""

    fee_type: str = ""
    fee_amount: Number | None = None
    fees: tuple[FeeLineReply, ...] = ()


class PaymentDetails(WireStruct, frozen=True):
    """Details of a payment."""

    id: UUID
    status: str
    source: PaymentEnd
    destination: PaymentEnd
    chain: str | None = None
    currency: str | None = None
    amount: Number | None = None
    amount_include_developer_fee: Number | None = None
    amount_in_usd: Number | None = field(default=None, name="amount_in_usd")
    receipt: PaymentReferences = PaymentReferences()
    quote_information: PaymentQuote | None = None
    billing_information: BillingReply | None = None
    developer_fee: OwnFee | None = None
    deposit_info: DepositInfoReply | None = None
    deposit_information: tuple[OfframpDepositReply, ...] = ()
    virtual_account_id: UUID | None = None
    payment: DisbursementPaymentReply | None = None
    approval: ApprovalReply | None = None
    failed_reason: str | None = None
    error: str | None = None
    error_details: SwapErrorReply | None = None
    refusal_count: int = 0
    last_refusal: str | None = None
    blocked_reason: str | None = None

    @property
    def requested_approval(self) -> ApprovalReply | None:
        """Return the approval of the payment, if it needs or needed one."""
        return self.approval or self.receipt.approval


class PaymentReply(WireStruct, frozen=True):
    """A payment, with the result of its dry run if it is of one."""

    transfer_type: str
    transfer_details: PaymentDetails
    dry_run: DryRunReply | None = None


class ExpandedPayment(PaymentReply, frozen=True, kw_only=True):
    """A payment with its timeline."""

    timeline: TimelineReply


async def read_payment(
    interface: InternalClient, transfer_type: str, payment_id: UUID | str
) -> PaymentReply:
    """Return a payment of a kind that has a form."""
    return await interface.read(
        PaymentReply, f"{find_kind_by_type(transfer_type).path}/{payment_id}"
    )
