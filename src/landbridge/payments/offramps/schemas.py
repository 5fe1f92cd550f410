"""Reply schemas of offramps. Source: interface/offramp; spec.md."""

from collections.abc import Sequence
from decimal import Decimal
from uuid import UUID

import msgspec
from msgspec import UNSET

from landbridge.payments.engine.schemas import (
    ApprovalReply,
    PartyReply,
    QuotedAmount,
    approval_reply,
    party,
    quoted,
    rate_text,
)
from landbridge.payments.engine.timelines import TimelineExpandable
from landbridge.payments.offramps.model import KIND, Offramp, OfframpStatus
from landbridge.payments.offramps.service import OfframpReplyContext
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Money, Rate, Rounding
from landbridge.platform.http.responses import (
    DecimalText,
    Moment,
    Number,
    WireStruct,
    moment,
    or_unset,
    reply_of,
)
from landbridge.providers.chains.tokens import TOKENS, Chain


class OfframpSourceReply(WireStruct, frozen=True):
    """The converted coins and their owner; `amount` excludes the fees on top."""

    user_id: UUID
    chain: str
    currency: str
    amount: Number
    wallet_address: str
    external_wallet_id: UUID | None
    user: PartyReply | None


class OfframpDestinationReply(WireStruct, frozen=True):
    """The payout to the bank account and its owner; `amount` is 0 until there is a quote."""

    user_id: UUID
    amount: Number
    currency: str
    user: PartyReply | None
    account_id: UUID
    same_day_ach: bool


class PaymentTrackingReply(WireStruct, frozen=True, kw_only=True):
    """Identifiers of the payout at the bank."""

    fed_batch_id: str | msgspec.UnsetType = msgspec.UNSET
    imad: str | None
    omad: str | None
    trace_number: str | msgspec.UnsetType = msgspec.UNSET
    uetr: str | None
    payment_rail: str


class OfframpReceiptReply(WireStruct, frozen=True):
    """The debit once confirmed, the payout once submitted."""

    transaction_hash: str | None
    payment_tracking: PaymentTrackingReply | None


class FeeLineReply(WireStruct, frozen=True):
    """The organisation's own fee; `amount` has six decimals."""

    type: str
    value: str
    amount: DecimalText
    wallet_address: str


class DeveloperFeeReply(WireStruct, frozen=True):
    """The organisation's own fees; the hash is that of the debit."""

    id: UUID
    transaction_hash: str | None
    fees: list[FeeLineReply]


class OfframpQuoteReply(WireStruct, frozen=True):
    """The quote; `rate` is fiat received per coin."""

    send_gross: QuotedAmount
    send_net: QuotedAmount
    receive_gross: QuotedAmount
    receive_net: QuotedAmount
    rate: DecimalText
    expires_at: Moment


class OfframpDepositReply(WireStruct, frozen=True):
    """Deposit instructions for external coins; `rawAmount` is in smallest units."""

    id: UUID
    from_address: str
    to_address: str
    currency: str
    contract_address: str
    raw_amount: str
    amount: Number
    chain: str
    collected: bool
    collectable: bool
    expires_at: Moment
    transaction_hash: str | None


class OfframpDetailsReply(WireStruct, frozen=True, kw_only=True):
    """The offramp itself."""

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    status: OfframpStatus
    failed_reason: str | None
    source: OfframpSourceReply
    destination: OfframpDestinationReply
    receipt: OfframpReceiptReply
    developer_fee: DeveloperFeeReply | None
    quote_information: OfframpQuoteReply | None
    deposit_information: list[OfframpDepositReply]
    approval: ApprovalReply | msgspec.UnsetType = msgspec.UNSET
    # Source: spec.md, which spells it this way and requires it on every offramp.
    amount_in_usd: Number = msgspec.field(name="amount_in_usd")


class OfframpReply(TimelineExpandable, frozen=True, kw_only=True):
    """An offramp as a transfer record."""

    transfer_type: str
    transfer_details: OfframpDetailsReply


class OfframpPage(WireStruct, frozen=True):
    """A page, newest first; pass `nextCursor` back as `createdBefore` or as `cursor`."""

    count: int
    records: list[OfframpReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


def offramp_reply(offramp: Offramp, context: OfframpReplyContext) -> OfframpReply:
    """Build the reply of an offramp."""
    record, details = offramp.record, offramp.details
    quote = _quote(offramp)
    return OfframpReply(
        transfer_type=KIND,
        metadata=record.metadata or UNSET,
        transfer_details=reply_of(
            record,
            OfframpDetailsReply,
            status=offramp.status,
            failed_reason=details.failed_reason,
            source=OfframpSourceReply(
                user_id=record.user_id,
                chain=offramp.gross.asset.chain,
                currency=offramp.gross.asset.currency,
                amount=_shown(offramp.amount, has_quote=quote or not details.is_exact_out),
                wallet_address=details.source_address,
                external_wallet_id=details.external_wallet_id,
                user=party(record.user_id, context.cards),
            ),
            destination=OfframpDestinationReply(
                user_id=details.destination_user_id,
                amount=_shown(offramp.receive, has_quote=quote or details.is_exact_out),
                currency=offramp.receive.asset.currency,
                user=party(details.destination_user_id, context.cards),
                account_id=details.account_id,
                same_day_ach=details.is_same_day,
            ),
            receipt=OfframpReceiptReply(
                transaction_hash=details.deposit_hash or details.transaction_hash,
                payment_tracking=_tracking(offramp),
            ),
            developer_fee=_developer_fee(offramp),
            quote_information=quote,
            deposit_information=_deposits(offramp),
            approval=approval_reply(context.approvals.get(record.id)),
            amount_in_usd=offramp.amount_in_usd,
        ),
    )


def offramp_page(offramps: Sequence[Offramp], context: OfframpReplyContext) -> OfframpPage:
    """Build the reply of a page."""
    return OfframpPage(
        count=len(offramps),
        records=[offramp_reply(each, context) for each in offramps],
        next_cursor=moment(offramps[-1].record.updated_at) if offramps else msgspec.UNSET,
    )


def _shown(money: Money, *, has_quote: object) -> Decimal:
    """Return the amount if it was requested or there is a quote; otherwise 0."""
    return money.decimal if has_quote else Decimal(0)


def _quote(offramp: Offramp) -> OfframpQuoteReply | None:
    details = offramp.details
    if details.quote_expires_at is None:
        return None
    # Fiat before our own fee is deducted.
    integer_part = Rate(details.rate).convert(offramp.amount, offramp.receive.asset, Rounding.DOWN)
    return OfframpQuoteReply(
        send_gross=quoted(offramp.gross),
        send_net=quoted(offramp.amount),
        receive_gross=quoted(integer_part if offramp.exchange_fee.units else offramp.receive),
        receive_net=quoted(offramp.receive),
        rate=rate_text(details.rate),
        expires_at=moment(details.quote_expires_at),
    )


def _tracking(offramp: Offramp) -> PaymentTrackingReply | None:
    submitted = offramp.details.tracking
    if submitted is None:
        return None
    return PaymentTrackingReply(
        fed_batch_id=or_unset(submitted.get("fed_batch_id")),
        imad=submitted.get("imad"),
        omad=submitted.get("omad"),
        trace_number=or_unset(submitted.get("trace_number")),
        uetr=submitted.get("uetr"),
        payment_rail=submitted.get("payment_rail") or offramp.details.payment_rail,
    )


def _developer_fee(offramp: Offramp) -> DeveloperFeeReply | None:
    if not offramp.fees:
        return None
    return DeveloperFeeReply(
        id=derived_id(offramp.record.id, "developer-fee"),
        transaction_hash=offramp.details.transaction_hash,
        fees=[
            FeeLineReply(
                type=each.line.type,
                value=f"{each.line.value:f}",
                amount=_six_decimals(each.money),
                wallet_address=each.line.wallet_address,
            )
            for each in offramp.fees
        ],
    )


def _six_decimals(money: Money) -> str:
    """Format coins with all six decimals, as in `0.250000`."""
    integer_part, fraction = divmod(money.units, 10**money.asset.decimals)
    return f"{integer_part}.{fraction:0{money.asset.decimals}d}"


def _deposits(offramp: Offramp) -> list[OfframpDepositReply]:
    details, coins = offramp.details, offramp.gross
    expires_at = details.quote_expires_at
    if not offramp.is_external or details.accepted_at is None or expires_at is None:
        return []
    token = TOKENS[Chain(coins.asset.chain), coins.asset.currency]
    return [
        OfframpDepositReply(
            id=derived_id(offramp.record.id, "deposit"),
            from_address=details.source_address,
            to_address=details.destination_address,
            currency=coins.asset.currency,
            contract_address=token.address,
            raw_amount=str(coins.units),
            amount=coins.decimal,
            chain=coins.asset.chain,
            collected=offramp.received == coins,
            collectable=offramp.state is OfframpStatus.AWAITING_FUNDS,
            expires_at=moment(expires_at),
            transaction_hash=details.deposit_hash,
        )
    ]
