"""Schemas of onramps. Source: contract, interface/onramp (all variants)."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from landbridge.customers.users.model import UserCard
from landbridge.payments.engine.schemas import PartyReply, QuotedAmount, party, quoted, rate_text
from landbridge.payments.engine.timelines import TimelineExpandable
from landbridge.payments.incoming_payments.model import IncomingPayment
from landbridge.payments.onramps.model import KIND, Onramp, OnrampStatus
from landbridge.platform.http.responses import (
    DecimalText,
    Moment,
    Number,
    WireStruct,
    moment,
    or_unset,
    reply_of,
)
from landbridge.providers.rails.port import DepositCoordinates


class BankInfoReply(WireStruct, frozen=True, kw_only=True):
    """Sender of the deposit, as reported by the bank; all null once the user was erased."""

    bank_name: str | None
    sender_name: str | None
    routing_number: str | None
    account_number: str | None
    account_type: str | None
    reference_number: str | None
    fed_batch_id: str | msgspec.UnsetType = msgspec.UNSET
    imad: str | None
    omad: str | None
    trace_number: str | msgspec.UnsetType = msgspec.UNSET
    bank_address: str | None
    description: str | None
    payment_rail: str


class OnrampSourceReply(WireStruct, frozen=True):
    """The fiat that is paid; `bankInfo` once a deposit was seen."""

    user_id: UUID
    currency: str
    amount: Number
    account_id: UUID | None
    user: PartyReply | None
    bank_info: BankInfoReply | None


class OnrampDestinationReply(WireStruct, frozen=True):
    """The coins that are delivered, without the parts of a settlement rule."""

    user_id: UUID
    currency: str
    chain: str
    wallet_address: str
    external_wallet_id: UUID | None
    amount: Number
    user: PartyReply | None


class OnrampReceiptReply(WireStruct, frozen=True, kw_only=True):
    """The transaction that delivered the coins, once there is one."""

    transaction_hash: str | msgspec.UnsetType = msgspec.UNSET
    user_op_hash: str | None


class OnrampQuoteReply(WireStruct, frozen=True):
    """The quote; `rate` is coins received per unit of fiat."""

    send_gross: QuotedAmount
    send_net: QuotedAmount
    rail_fee: QuotedAmount
    receive_gross: QuotedAmount
    receive_net: QuotedAmount
    rate: DecimalText
    expires_at: Moment


class BeneficiaryReply(WireStruct, frozen=True):
    """Holder of the account."""

    name: str
    address: str


class NumbersReply(WireStruct, frozen=True):
    """Account numbers."""

    routing_number: str
    account_number: str


class DepositInfoReply(WireStruct, frozen=True):
    """Deposit instructions and reference; a rail that is not available is null."""

    bank_name: str
    bank_address: str
    swift_code: str | None
    beneficiary: BeneficiaryReply
    ach: NumbersReply | None
    wire: NumbersReply | None
    rtp: NumbersReply | None
    reference: str
    deposit_by: Moment
    instruction: str


class OnrampDetailsReply(WireStruct, frozen=True):
    """The onramp itself."""

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    status: OnrampStatus
    failed_reason: str | None
    amount_in_usd: Number = msgspec.field(name="amount_in_usd")
    source: OnrampSourceReply
    destination: OnrampDestinationReply
    receipt: OnrampReceiptReply
    developer_fee: None
    quote_information: OnrampQuoteReply
    deposit_info: DepositInfoReply | None
    virtual_account_id: UUID | None


class OnrampReply(TimelineExpandable, frozen=True, kw_only=True):
    """An onramp as a transfer record."""

    transfer_type: str
    transfer_details: OnrampDetailsReply


class AcceptedOnrampReply(WireStruct, frozen=True, kw_only=True):
    """An onramp as a transfer record, with the deposit instructions repeated beside it."""

    metadata: dict[str, str] | UnsetType = UNSET
    transfer_type: str
    transfer_details: OnrampDetailsReply
    deposit_info: DepositInfoReply | None


class OnrampPage(WireStruct, frozen=True):
    """A page, newest first; pass `nextCursor` back as `createdBefore` or as `cursor`."""

    count: int
    records: list[OnrampReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True, slots=True)
class OnrampReplyContext:
    """Reply data that records do not store: names, senders and bank details."""

    cards: Mapping[UUID, UserCard]
    # Incoming payments by their own ids.
    incoming_payments: Mapping[UUID, IncomingPayment]
    # Bank details by the id of the onramp that awaits, or awaited, a deposit with a reference.
    coordinates: Mapping[UUID, DepositCoordinates]


def onramp_reply(onramp: Onramp, context: OnrampReplyContext) -> OnrampReply:
    """Build the reply of an onramp."""
    record, details, cards = onramp.record, onramp.details, context.cards
    incoming_payment_id = details.incoming_payment_id
    received = (
        None if incoming_payment_id is None else context.incoming_payments.get(incoming_payment_id)
    )
    return OnrampReply(
        transfer_type=KIND,
        metadata=record.metadata or UNSET,
        transfer_details=reply_of(
            record,
            OnrampDetailsReply,
            status=onramp.status,
            failed_reason=details.failed_reason,
            amount_in_usd=onramp.amount_in_usd,
            source=OnrampSourceReply(
                user_id=record.user_id,
                currency=onramp.source.asset.currency,
                amount=onramp.source.decimal,
                account_id=details.bank_account_id,
                user=party(record.user_id, cards),
                bank_info=None if received is None else _bank_info(received),
            ),
            destination=OnrampDestinationReply(
                user_id=details.destination_user_id,
                currency=onramp.destination.asset.currency,
                chain=onramp.destination.asset.chain,
                wallet_address=details.destination_address,
                external_wallet_id=details.external_wallet_id,
                amount=onramp.remainder.decimal,
                user=party(details.destination_user_id, cards),
            ),
            receipt=OnrampReceiptReply(
                transaction_hash=or_unset(details.transaction_hash),
                user_op_hash=details.user_op_hash,
            ),
            developer_fee=None,
            quote_information=_quote(onramp),
            deposit_info=_deposit_info(onramp, context.coordinates.get(record.id)),
            virtual_account_id=details.virtual_account_id,
        ),
    )


def accepted_reply(onramp: Onramp, context: OnrampReplyContext) -> AcceptedOnrampReply:
    """Build the reply of an accept."""
    reply = onramp_reply(onramp, context)
    return AcceptedOnrampReply(
        transfer_type=reply.transfer_type,
        metadata=reply.metadata,
        transfer_details=reply.transfer_details,
        deposit_info=reply.transfer_details.deposit_info,
    )


def _quote(onramp: Onramp) -> OnrampQuoteReply:
    return OnrampQuoteReply(
        send_gross=quoted(onramp.source),
        send_net=quoted(onramp.source - onramp.fee),
        # Zero, because bank fees are part of the price.
        rail_fee=QuotedAmount(amount="0", currency=onramp.source.asset.currency),
        # No fee is deducted from the coins, only the parts of a settlement rule.
        receive_gross=quoted(onramp.destination),
        receive_net=quoted(onramp.remainder),
        rate=rate_text(onramp.details.rate),
        expires_at=moment(onramp.details.quote_expires_at),
    )


def _deposit_info(
    onramp: Onramp, coordinates: DepositCoordinates | None
) -> DepositInfoReply | None:
    """Build the deposit instructions; None before the accept."""
    reference = onramp.details.reference
    if reference is None or coordinates is None:
        return None
    numbers = {
        rail: NumbersReply(routing_number=routing, account_number=account)
        for rail, (routing, account) in coordinates.rails.items()
    }
    deposit_by = moment(onramp.details.quote_expires_at)
    amount = f"{onramp.source} {onramp.source.asset.currency}"
    submitted = [
        coordinates.instruction,
        f"Send exactly {amount} by {deposit_by}, with the reference {reference}.",
        "Any other deposit is returned.",
    ]
    return DepositInfoReply(
        bank_name=coordinates.bank_name,
        bank_address=coordinates.bank_address,
        swift_code=coordinates.swift_code,
        beneficiary=BeneficiaryReply(
            name=coordinates.beneficiary_name, address=coordinates.beneficiary_address
        ),
        ach=numbers.get("ach"),
        wire=numbers.get("wire"),
        rtp=numbers.get("rtp"),
        reference=reference,
        deposit_by=deposit_by,
        instruction=" ".join(each for each in submitted if each),
    )


def _bank_info(receipt: IncomingPayment) -> BankInfoReply:
    sender = receipt.sender
    return BankInfoReply(
        bank_name=sender and sender.bank_name,
        sender_name=sender and sender.name,
        routing_number=sender and sender.routing_number,
        account_number=sender and sender.account_number,
        account_type=None,
        reference_number=receipt.reference,
        imad=None,
        omad=None,
        bank_address=None,
        description=receipt.description,
        payment_rail=receipt.rail,
    )
