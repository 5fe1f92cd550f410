"""Bridges as they go over the wire. Source: interface/cross-chain-bridge."""

from uuid import UUID

from landbridge.approvals.model import Approval
from landbridge.chains.tokens import Chain, Network
from landbridge.core.money import Money
from landbridge.flows.bridges.model import KIND, Bridge, Status
from landbridge.flows.bridges.service import RATE, Wanted
from landbridge.payments.ends import Asked
from landbridge.payments.shapes import ApprovalReply, QuotedAmount, approval_reply, quoted
from landbridge.payments.timelines import Expandable
from landbridge.web.reply import Moment, Number, WireStruct, moment


class BridgeSource(WireStruct, frozen=True):
    """Where coins are burned."""

    user_id: UUID
    chain: Chain
    currency: str


class BridgeDestination(WireStruct, frozen=True):
    """Where they are minted: for a user or, at most one of the two, for an address."""

    chain: Network
    currency: str
    user_id: UUID | None = None
    wallet_address: str | None = None


class NewBridge(WireStruct, frozen=True):
    """`amount` leaves one chain and arrives on the other."""

    request_id: UUID
    amount: Number
    source: BridgeSource
    destination: BridgeDestination
    require_approval: bool | None = False


class BridgeEndReply(WireStruct, frozen=True):
    """An end; `userId` is null for an address that no user has registered."""

    user_id: UUID | None
    wallet_address: str
    chain: str
    currency: str


class OperationReply(WireStruct, frozen=True):
    """A transaction on a chain."""

    transaction_hash: str | None
    user_op_hash: str | None
    chain: str | None


class OperationsReply(WireStruct, frozen=True):
    """Each is null until it was sent."""

    mint: OperationReply | None
    burn: OperationReply | None
    approve: OperationReply | None


class BridgeReceiptReply(WireStruct, frozen=True):
    """`transactionHash` is the burn's."""

    transaction_hash: str | None
    operations: OperationsReply


class BridgeQuoteReply(WireStruct, frozen=True):
    """The quote; the rate of a coin in itself is 1, and nothing is charged."""

    send_gross: QuotedAmount
    send_net: QuotedAmount
    rail_fee: QuotedAmount
    receive_gross: QuotedAmount
    receive_net: QuotedAmount
    rate: str
    expires_at: Moment


class BridgeDetailsReply(WireStruct, frozen=True):
    """The bridge itself; `quoteInformation` is null until it is approved, where it has to be."""

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    amount: Number
    status: Status
    source: BridgeEndReply
    destination: BridgeEndReply
    receipt: BridgeReceiptReply
    failed_reason: str | None
    fee: Number | None
    quote_information: BridgeQuoteReply | None
    approval: ApprovalReply | None


class BridgeReply(Expandable, frozen=True, kw_only=True):
    """A bridge as a transfer record."""

    transfer_type: str
    transfer_details: BridgeDetailsReply


class BridgePage(WireStruct, frozen=True):
    """A page, newest first; `nextCursor` goes back as `createdBefore` or as `cursor`."""

    count: int
    data: list[BridgeReply]
    next_cursor: Moment | None


def as_wanted(data: NewBridge) -> Wanted:
    """What a request asks for; raises `FieldInvalid` for two destinations."""
    source, destination = data.source, data.destination
    return Wanted(
        amount=data.amount,
        source_user_id=source.user_id,
        source_chain=source.chain,
        source_currency=source.currency,
        destination_chain=destination.chain,
        destination_currency=destination.currency,
        destination=Asked(
            side="destination",
            user_id=destination.user_id,
            wallet_address=destination.wallet_address,
        ),
        requires_approval=bool(data.require_approval),
    )


def bridge_reply(bridge: Bridge, approval: Approval | None) -> BridgeReply:
    """A bridge as it is answered."""
    record, details = bridge.record, bridge.details
    sent, arrives = bridge.source.asset, bridge.destination.asset
    return BridgeReply(
        transfer_type=KIND,
        transfer_details=BridgeDetailsReply(
            id=record.id,
            request_id=record.request_id,
            created_at=moment(record.created_at),
            updated_at=moment(record.updated_at),
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
            receipt=_receipt(bridge),
            failed_reason=details.failed_reason,
            fee=None,
            quote_information=_quote(bridge),
            approval=approval_reply(approval),
        ),
    )


def _receipt(bridge: Bridge) -> BridgeReceiptReply:
    details = bridge.details
    from_chain, to_chain = bridge.source.asset.chain, bridge.destination.asset.chain
    return BridgeReceiptReply(
        transaction_hash=details.transaction_hash,
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
