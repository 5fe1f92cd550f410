"""Request and reply schemas of bridges. Source: interface/cross-chain-bridge."""

from uuid import UUID

import msgspec
from msgspec import UNSET

from landbridge.payments.approvals.model import Approval
from landbridge.payments.bridges.model import KIND, Bridge, BridgeStatus
from landbridge.payments.bridges.service import RATE
from landbridge.payments.engine.schemas import ApprovalReply, QuotedAmount, approval_reply, quoted
from landbridge.payments.engine.timelines import TimelineExpandable
from landbridge.platform.core.money import Money
from landbridge.platform.http.responses import (
    DecimalText,
    Moment,
    Number,
    WireStruct,
    moment,
    or_unset,
    reply_of,
)


class BridgeEndReply(WireStruct, frozen=True):
    """Party of a bridge; `userId` is null for an address that no user has registered."""

    user_id: UUID | None
    wallet_address: str
    chain: str
    currency: str


class OperationReply(WireStruct, frozen=True):
    """Transaction on a chain."""

    transaction_hash: str | None
    user_op_hash: str | None
    chain: str | None


class OperationsReply(WireStruct, frozen=True):
    """Chain transactions of a bridge, each null until it was sent."""

    mint: OperationReply | None
    burn: OperationReply | None
    approve: OperationReply | None


class BridgeReceiptReply(WireStruct, frozen=True, kw_only=True):
    """Chain references of a bridge; `transactionHash` is the burn's."""

    transaction_hash: str | msgspec.UnsetType = msgspec.UNSET
    operations: OperationsReply


class BridgeQuoteReply(WireStruct, frozen=True):
    """Quote of a bridge; the rate is 1, and there is no charge."""

    send_gross: QuotedAmount
    send_net: QuotedAmount
    rail_fee: QuotedAmount
    receive_gross: QuotedAmount
    receive_net: QuotedAmount
    rate: DecimalText
    expires_at: Moment


class BridgeDetailsReply(WireStruct, frozen=True):
    """Details of a bridge; `quoteInformation` is null while its approval is pending."""

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    amount: Number
    status: BridgeStatus
    source: BridgeEndReply
    destination: BridgeEndReply
    receipt: BridgeReceiptReply
    failed_reason: str | None
    fee: Number | None
    quote_information: BridgeQuoteReply | None
    approval: ApprovalReply | msgspec.UnsetType = msgspec.UNSET


class BridgeReply(TimelineExpandable, frozen=True, kw_only=True):
    """Bridge as a transfer record."""

    transfer_type: str
    transfer_details: BridgeDetailsReply


class BridgePage(WireStruct, frozen=True):
    """Page of bridges, newest first; `nextCursor` goes into `createdBefore` or `cursor`."""

    count: int
    data: list[BridgeReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


def bridge_reply(bridge: Bridge, approval: Approval | None) -> BridgeReply:
    """Build the reply of a bridge."""
    record, details = bridge.record, bridge.details
    sent, arrives = bridge.source.asset, bridge.destination.asset
    return BridgeReply(
        transfer_type=KIND,
        metadata=record.metadata or UNSET,
        transfer_details=reply_of(
            record,
            BridgeDetailsReply,
            amount=bridge.source.decimal,
            status=bridge.status,
            source=BridgeEndReply(
                user_id=record.user_id,
                wallet_address=details.source_address,
                chain=sent.chain,
                currency=sent.currency,
            ),
            destination=BridgeEndReply(
                user_id=details.destination_user_id,
                wallet_address=details.destination_address,
                chain=arrives.chain,
                currency=arrives.currency,
            ),
            receipt=_transaction_reply(bridge),
            failed_reason=details.failed_reason,
            fee=None,
            quote_information=_quote(bridge),
            approval=approval_reply(approval),
        ),
    )


def _transaction_reply(bridge: Bridge) -> BridgeReceiptReply:
    details = bridge.details
    from_chain, to_chain = bridge.source.asset.chain, bridge.destination.asset.chain
    return BridgeReceiptReply(
        transaction_hash=or_unset(details.transaction_hash),
        operations=OperationsReply(
            mint=_operation(details.mint_transaction_hash, details.mint_user_op_hash, to_chain),
            burn=_operation(details.transaction_hash, details.user_op_hash, from_chain),
            approve=_operation(
                details.approve_transaction_hash, details.approve_user_op_hash, from_chain
            ),
        ),
    )


def _operation(
    transaction_hash: str | None, user_op_hash: str | None, chain: str
) -> OperationReply | None:
    if transaction_hash is None and user_op_hash is None:
        return None
    return OperationReply(transaction_hash=transaction_hash, user_op_hash=user_op_hash, chain=chain)


def _quote(bridge: Bridge) -> BridgeQuoteReply | None:
    expires_at = bridge.details.quote_expires_at
    if expires_at is None:
        return None
    sent, received = quoted(bridge.source), quoted(bridge.destination)
    return BridgeQuoteReply(
        send_gross=sent,
        send_net=sent,
        rail_fee=quoted(Money(0, bridge.source.asset)),
        receive_gross=received,
        receive_net=received,
        rate=str(RATE),
        expires_at=moment(expires_at),
    )
