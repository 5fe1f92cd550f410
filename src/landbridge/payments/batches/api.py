"""Routes of batches: /v2/wallets/transfers/batches. Source: interface/crypto-transfer."""

from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import UNSET

from landbridge.ledger.path_params import known_transfer
from landbridge.payments.batches.model import KIND
from landbridge.payments.batches.service import Batches, BatchView, NewBatch
from landbridge.payments.engine.dry_run_schemas import with_dry_run
from landbridge.payments.engine.outgoing_transfers import OutgoingTransferStatus
from landbridge.payments.engine.request_options import RequestOptions
from landbridge.payments.engine.schemas import WALLET_TYPE, ApprovalReply, approval_reply
from landbridge.payments.engine.timelines import Expand, TimelineExpandable, Timelines
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.list_query import UserFilter, optional_id
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment, reply_of
from landbridge.providers.chains.tokens import TOKENS, Chain


class BatchSourceReply(WireStruct, frozen=True):
    """Paying wallet."""

    user_id: UUID
    wallet_address: str
    wallet_type: str


class BatchItemReply(WireStruct, frozen=True):
    """Recipient; `userId` is null for an address that no user registered."""

    amount: DecimalText
    user_id: UUID | None
    wallet_address: str


class BatchDestinationReply(WireStruct, frozen=True):
    """Recipients, in the order of the request."""

    batch: list[BatchItemReply]


class BatchReceiptReply(WireStruct, frozen=True):
    """Chain references of a batch, null until the chain has it; and its approval."""

    transaction_hash: str | None
    user_op_hash: str | None
    approval: ApprovalReply | msgspec.UnsetType = msgspec.UNSET


class BatchDetailsReply(WireStruct, frozen=True):
    """Details of a batch."""

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    chain: str
    currency: str
    contract_address: str
    status: OutgoingTransferStatus
    failed_reason: str | None
    source: BatchSourceReply
    destination: BatchDestinationReply
    receipt: BatchReceiptReply


class BatchReply(TimelineExpandable, frozen=True, kw_only=True):
    """Batch as a transfer record."""

    transfer_type: str
    transfer_details: BatchDetailsReply


class BatchPage(WireStruct, frozen=True):
    """Page of batches, newest first; `nextCursor` goes into `createdBefore` or `cursor`."""

    count: int
    records: list[BatchReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class BatchRoutes(Controller):
    """Routes of batches."""

    path = "/v2/wallets/transfers/batches"
    tags = ("Batches",)

    # Rate-limited as costly, because checking fifty addresses takes thirty milliseconds.
    @post(
        status_code=200,
        summary="Create a batch transfer",
        costly=True,
        operation_id="batches.create",
    )
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewBatch],
        batches: NamedDependency[Batches],
        options: NamedDependency[RequestOptions],
    ) -> BatchReply:
        """Hold the sum and send it (CREATED), or wait for an admin (PENDING_APPROVAL).

        The same `requestId` with the same body returns the same batch.
        """
        created = await batches.create(request.user, data, options)
        return with_dry_run(batch_reply(created), options)

    @get(summary="List batch transfers", operation_id="batches.list")
    async def page(
        self,
        request: ApiRequest,
        batches: NamedDependency[Batches],
        window: NamedDependency[PageWindow],
        user_id: UserFilter = None,
    ) -> BatchPage:
        """List the batches sent by one user or by the whole organisation, newest first."""
        found = await batches.page(request.user.org_id, optional_id("userId", user_id), window)
        return BatchPage(
            count=len(found),
            records=[batch_reply(each) for each in found],
            next_cursor=moment(found[-1].batch.record.updated_at) if found else msgspec.UNSET,
        )

    @get("/{transferId:str}", summary="Retrieve a batch transfer", operation_id="batches.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        batches: NamedDependency[Batches],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> BatchReply:
        """Return one batch."""
        batch_id = known_transfer(transferId)
        found = await batches.get(request.user.org_id, batch_id)
        return await timelines.attach(batch_reply(found), found.batch.record, expand, request.user)


def batch_reply(view: BatchView) -> BatchReply:
    """Build the reply of a batch."""
    batch, asset = view.batch, view.batch.asset
    record, details = batch.record, batch.details
    return BatchReply(
        transfer_type=KIND,
        metadata=record.metadata or UNSET,
        transfer_details=reply_of(
            record,
            BatchDetailsReply,
            chain=asset.chain,
            currency=asset.currency,
            contract_address=details.contract_address
            or TOKENS[Chain(asset.chain), asset.currency].address,
            status=batch.status,
            failed_reason=details.failed_reason,
            source=BatchSourceReply(
                user_id=record.user_id,
                wallet_address=details.source_address,
                wallet_type=WALLET_TYPE,
            ),
            destination=BatchDestinationReply(
                batch=[
                    BatchItemReply(
                        amount=str(batch.amount(each)),
                        user_id=each.user_id,
                        wallet_address=each.address,
                    )
                    for each in details.items
                ]
            ),
            receipt=BatchReceiptReply(
                transaction_hash=details.transaction_hash,
                user_op_hash=details.user_op_hash,
                approval=approval_reply(view.approval),
            ),
        ),
    )
