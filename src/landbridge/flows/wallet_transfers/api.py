"""Routes of wallet transfers: /v2/wallets/transfers. Source: interface/crypto-transfer."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.ids import derived_id
from landbridge.core.pages import Window
from landbridge.flows.wallet_transfers.model import KIND, WalletTransfer
from landbridge.flows.wallet_transfers.service import Seen, WalletTransfers, Wanted
from landbridge.ledger.errors import TransactionNotFound
from landbridge.payments.dry_runs import with_dry_run
from landbridge.payments.ends import Asked
from landbridge.payments.fees import Fee, FeeType
from landbridge.payments.manner import Manner
from landbridge.payments.remittances import Status
from landbridge.payments.shapes import (
    WALLET_TYPE,
    ApprovalReply,
    FeeAsked,
    PartyReply,
    approval_reply,
    party,
)
from landbridge.payments.timelines import Expand, Expandable, Timelines
from landbridge.web.body import as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, Number, WireStruct, moment


class TransferSource(WireStruct, frozen=True):
    """Who pays."""

    user_id: UUID


class TransferDestination(WireStruct, frozen=True):
    """Who is paid: exactly one of a user, and an address that the payer has registered."""

    user_id: UUID | None = None
    wallet_address: str | None = None


class NewWalletTransfer(WireStruct, frozen=True):
    """Coins from a user's wallet to another on the same chain, or to an address outside.

    `fee` is the organisation's own, on top of the amount.
    """

    request_id: UUID
    source: TransferSource
    destination: TransferDestination
    amount: Number
    currency: str
    chain: Chain
    fee: FeeAsked | None = None
    require_approval: bool | None = False


class TransferSourceReply(WireStruct, frozen=True):
    """The wallet that pays."""

    user_id: UUID
    wallet_address: str
    wallet_type: str
    user: PartyReply | None


class TransferDestinationReply(WireStruct, frozen=True):
    """Where the coins go; `walletType` only for wallets of ours, `user` only if it is known."""

    user_id: UUID | None
    wallet_address: str
    wallet_type: str | None
    user: PartyReply | None


class TransferReceiptReply(WireStruct, frozen=True):
    """By what the chain knows the transfer; null until it has it."""

    transaction_hash: str | None
    user_op_hash: str | None


class TransferFeeReply(WireStruct, frozen=True):
    """The fee; it goes out in the transaction of the transfer, so it stands where that stands."""

    fee_id: UUID
    fee_type: FeeType
    fee_amount: Number
    fee_percent: Number | None
    status: Status
    transaction_hash: str | None
    failed_reason: str | None


class WalletTransferDetailsReply(WireStruct, frozen=True):
    """The transfer itself; `amount` is what arrives."""

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    chain: str
    currency: str
    contract_address: str
    status: Status
    failed_reason: str | None
    source: TransferSourceReply
    destination: TransferDestinationReply
    amount: Number
    amount_include_developer_fee: Number
    receipt: TransferReceiptReply
    developer_fee: TransferFeeReply | None
    approval: ApprovalReply | None


class WalletTransferReply(Expandable, frozen=True, kw_only=True):
    """A wallet transfer as a transfer record."""

    transfer_type: str
    transfer_details: WalletTransferDetailsReply


class WalletTransferPage(WireStruct, frozen=True):
    """A page, newest first; `nextCursor` goes back as `createdBefore` or as `cursor`."""

    count: int
    records: list[WalletTransferReply]
    next_cursor: Moment | None


class WalletTransferRoutes(Controller):
    """Send coins and look up what was sent."""

    path = "/v2/wallets/transfers"
    tags = ("Transfers",)

    @post(status_code=200, summary="Create a wallet transfer")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewWalletTransfer],
        wallet_transfers: NamedDependency[WalletTransfers],
        manner: NamedDependency[Manner],
    ) -> WalletTransferReply:
        """Holds the coins and sends them (CREATED), or waits for an admin (PENDING_APPROVAL).

        The same `requestId` with the same body answers the same transfer.
        """
        wanted = _wanted(data)
        asked = as_asked(data)
        made = await wallet_transfers.create(
            request.user, data.request_id, wanted, asked, manner=manner
        )
        return with_dry_run(wallet_transfer_reply(made), manner)

    @get(summary="List wallet transfers")
    async def page(
        self,
        request: ApiRequest,
        wallet_transfers: NamedDependency[WalletTransfers],
        window: NamedDependency[Window],
        user_id: Annotated[str | None, QueryParameter(name="userId")] = None,
    ) -> WalletTransferPage:
        """Newest first, sent by one user or by the whole organisation."""
        wanted = optional_id("userId", user_id)
        found = await wallet_transfers.page(request.user.org_id, wanted, window)
        return WalletTransferPage(
            count=len(found),
            records=[wallet_transfer_reply(each) for each in found],
            next_cursor=moment(found[-1].transfer.record.updated_at) if found else None,
        )

    @get("/{transferId:str}", summary="Retrieve a wallet transfer")
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        wallet_transfers: NamedDependency[WalletTransfers],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> WalletTransferReply:
        """One wallet transfer."""
        transfer_id = known_id(transferId, "transaction", TransactionNotFound)
        found = await wallet_transfers.get(request.user.org_id, transfer_id)
        return await timelines.beside(
            wallet_transfer_reply(found), found.transfer.record, expand, request.user
        )


def _wanted(data: NewWalletTransfer) -> Wanted:
    to = data.destination
    return Wanted(
        source_user_id=data.source.user_id,
        destination=Asked(
            side="destination",
            is_flat=True,
            user_id=to.user_id,
            wallet_address=to.wallet_address,
        ),
        chain=data.chain,
        currency=data.currency,
        amount=data.amount,
        fee=Fee(data.fee.type, data.fee.value) if data.fee else None,
        require_approval=bool(data.require_approval),
    )


def wallet_transfer_reply(seen: Seen) -> WalletTransferReply:
    """A wallet transfer as it is answered."""
    transfer, cards = seen.transfer, seen.cards
    record, details, asset = transfer.record, transfer.details, transfer.asset
    to = details.destination_user_id
    return WalletTransferReply(
        transfer_type=KIND,
        transfer_details=WalletTransferDetailsReply(
            id=record.id,
            request_id=record.request_id,
            created_at=moment(record.created_at),
            updated_at=moment(record.updated_at),
            chain=asset.chain,
            currency=asset.currency,
            contract_address=TOKENS[Chain(asset.chain), asset.currency].address,
            status=transfer.status,
            failed_reason=details.failed_reason,
            source=TransferSourceReply(
                user_id=record.user_id,
                wallet_address=details.source_address,
                wallet_type=WALLET_TYPE,
                user=party(record.user_id, cards),
            ),
            destination=TransferDestinationReply(
                user_id=to,
                wallet_address=details.destination_address,
                wallet_type=WALLET_TYPE if details.destination_account_id else None,
                user=party(to, cards),
            ),
            amount=transfer.amount.decimal,
            amount_include_developer_fee=transfer.gross.decimal,
            receipt=TransferReceiptReply(
                transaction_hash=details.transaction_hash, user_op_hash=details.user_op_hash
            ),
            developer_fee=_fee(transfer),
            approval=approval_reply(seen.approval),
        ),
    )


def _fee(transfer: WalletTransfer) -> TransferFeeReply | None:
    fee, details = transfer.details.fee, transfer.details
    if fee is None:
        return None
    return TransferFeeReply(
        fee_id=derived_id(transfer.record.id, "developer-fee"),
        fee_type=fee.type,
        fee_amount=transfer.fee.decimal,
        fee_percent=fee.value if fee.type is FeeType.PERCENT else None,
        status=transfer.status,
        transaction_hash=details.transaction_hash,
        failed_reason=details.failed_reason,
    )
