"""Routes of wallet transfers: /v2/wallets/transfers. Source: interface/crypto-transfer."""

from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import UNSET

from landbridge.ledger.path_params import known_transfer
from landbridge.payments.engine.dry_run_schemas import with_dry_run
from landbridge.payments.engine.fees import FeeType
from landbridge.payments.engine.outgoing_transfers import OutgoingTransferStatus
from landbridge.payments.engine.request_options import RequestOptions
from landbridge.payments.engine.schemas import (
    WALLET_TYPE,
    ApprovalReply,
    PartyReply,
    approval_reply,
    party,
)
from landbridge.payments.engine.timelines import Expand, TimelineExpandable, Timelines
from landbridge.payments.transfers.model import KIND, WalletTransfer
from landbridge.payments.transfers.service import NewWalletTransfer, TransferView, WalletTransfers
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.list_query import UserFilter, optional_id
from landbridge.platform.http.responses import Moment, Number, WireStruct, moment, or_unset
from landbridge.providers.chains.tokens import TOKENS, Chain


class TransferSourceReply(WireStruct, frozen=True):
    """Paying wallet."""

    user_id: UUID
    wallet_address: str
    wallet_type: str
    user: PartyReply | None


class TransferDestinationReply(WireStruct, frozen=True):
    """Recipient; `walletType` only for internal wallets, `user` only if known."""

    user_id: UUID | None
    wallet_address: str
    wallet_type: str | None
    user: PartyReply | None


class TransferReceiptReply(WireStruct, frozen=True, kw_only=True):
    """Chain references of a transfer, once the chain has it."""

    transaction_hash: str | msgspec.UnsetType = msgspec.UNSET
    user_op_hash: str | None


class TransferFeeReply(WireStruct, frozen=True, kw_only=True):
    """Fee of a transfer; it is sent in the same transaction, so it shares the transfer's status."""

    fee_id: UUID
    fee_type: FeeType
    fee_amount: Number
    fee_percent: Number | None
    status: OutgoingTransferStatus
    transaction_hash: str | msgspec.UnsetType = msgspec.UNSET
    failed_reason: str | None


class WalletTransferDetailsReply(WireStruct, frozen=True):
    """Details of a wallet transfer; `amount` is what arrives."""

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    chain: str
    currency: str
    contract_address: str
    status: OutgoingTransferStatus
    failed_reason: str | None
    source: TransferSourceReply
    destination: TransferDestinationReply
    amount: Number
    amount_include_developer_fee: Number
    receipt: TransferReceiptReply
    developer_fee: TransferFeeReply | None
    approval: ApprovalReply | msgspec.UnsetType = msgspec.UNSET


class WalletTransferReply(TimelineExpandable, frozen=True, kw_only=True):
    """Wallet transfer as a transfer record."""

    transfer_type: str
    transfer_details: WalletTransferDetailsReply


class WalletTransferPage(WireStruct, frozen=True):
    """Page of transfers, newest first; `nextCursor` goes into `createdBefore` or `cursor`."""

    count: int
    records: list[WalletTransferReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class WalletTransferRoutes(Controller):
    """Routes of wallet transfers."""

    path = "/v2/wallets/transfers"
    tags = ("Transfers",)

    @post(status_code=200, summary="Create a wallet transfer", operation_id="transfers.create")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewWalletTransfer],
        wallet_transfers: NamedDependency[WalletTransfers],
        options: NamedDependency[RequestOptions],
    ) -> WalletTransferReply:
        """Hold the coins and send them (CREATED), or wait for an admin (PENDING_APPROVAL).

        The same `requestId` with the same body returns the same transfer.
        """
        created = await wallet_transfers.create(request.user, data, options)
        return with_dry_run(wallet_transfer_reply(created), options)

    @get(summary="List wallet transfers", operation_id="transfers.list")
    async def page(
        self,
        request: ApiRequest,
        wallet_transfers: NamedDependency[WalletTransfers],
        window: NamedDependency[PageWindow],
        user_id: UserFilter = None,
    ) -> WalletTransferPage:
        """List the transfers sent by one user or by the whole organisation, newest first."""
        owner_id = optional_id("userId", user_id)
        found = await wallet_transfers.page(request.user.org_id, owner_id, window)
        return WalletTransferPage(
            count=len(found),
            records=[wallet_transfer_reply(each) for each in found],
            next_cursor=moment(found[-1].transfer.record.updated_at) if found else msgspec.UNSET,
        )

    @get(
        "/{transferId:str}", summary="Retrieve a wallet transfer", operation_id="transfers.retrieve"
    )
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        wallet_transfers: NamedDependency[WalletTransfers],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> WalletTransferReply:
        """Return one wallet transfer."""
        transfer_id = known_transfer(transferId)
        found = await wallet_transfers.get(request.user.org_id, transfer_id)
        return await timelines.attach(
            wallet_transfer_reply(found), found.transfer.record, expand, request.user
        )


def wallet_transfer_reply(view: TransferView) -> WalletTransferReply:
    """Build the reply of a wallet transfer."""
    transfer, cards = view.transfer, view.cards
    record, details, asset = transfer.record, transfer.details, transfer.asset
    to = details.destination_user_id
    return WalletTransferReply(
        transfer_type=KIND,
        metadata=record.metadata or UNSET,
        transfer_details=WalletTransferDetailsReply(
            id=record.id,
            request_id=record.request_id,
            created_at=moment(record.created_at),
            updated_at=moment(record.updated_at),
            chain=asset.chain,
            currency=asset.currency,
            contract_address=details.contract_address
            or TOKENS[Chain(asset.chain), asset.currency].address,
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
                transaction_hash=or_unset(details.transaction_hash),
                user_op_hash=details.user_op_hash,
            ),
            developer_fee=_fee(transfer),
            approval=approval_reply(view.approval),
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
        transaction_hash=or_unset(details.transaction_hash),
        failed_reason=details.failed_reason,
    )
