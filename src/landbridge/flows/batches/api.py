"""Routes of batches: /v2/wallets/transfers/batches. Source: interface/crypto-transfer."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Meta

from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.pages import Window
from landbridge.flows.batches.model import ITEMS_MAX, KIND
from landbridge.flows.batches.service import Batches, Seen, Wanted, WantedItem
from landbridge.ledger.errors import TransactionNotFound
from landbridge.payments.dry_runs import with_dry_run
from landbridge.payments.ends import Asked
from landbridge.payments.manner import Manner
from landbridge.payments.remittances import Status
from landbridge.payments.shapes import WALLET_TYPE, ApprovalReply, approval_reply
from landbridge.payments.timelines import Expand, Expandable, Timelines
from landbridge.web.body import AmountText, as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment


class BatchSource(WireStruct, frozen=True):
    """Who pays."""

    user_id: UUID


class BatchItem(WireStruct, frozen=True):
    """A payee, exactly one of a user and a registered address, and a decimal string."""

    amount: AmountText
    user_id: UUID | None = None
    wallet_address: str | None = None


class BatchDestination(WireStruct, frozen=True):
    """Who is paid."""

    batch: Annotated[list[BatchItem], Meta(min_length=1, max_length=ITEMS_MAX)]


class NewBatch(WireStruct, frozen=True):
    """Coins from a user's wallet to 1 to 50 payees on the same chain: all of them or none."""

    request_id: UUID
    currency: str
    chain: Chain
    source: BatchSource
    destination: BatchDestination
    require_approval: bool | None = False


class BatchSourceReply(WireStruct, frozen=True):
    """The wallet that pays."""

    user_id: UUID
    wallet_address: str
    wallet_type: str


class BatchItemReply(WireStruct, frozen=True):
    """A payee; `userId` is null for an address that nobody here registered."""

    amount: str
    user_id: UUID | None
    wallet_address: str


class BatchDestinationReply(WireStruct, frozen=True):
    """The payees, in the order in which they were told."""

    batch: list[BatchItemReply]


class BatchReceiptReply(WireStruct, frozen=True):
    """By what the chain knows the batch, null until it has it; and its approval."""

    transaction_hash: str | None
    user_op_hash: str | None
    approval: ApprovalReply | None


class BatchDetailsReply(WireStruct, frozen=True):
    """The batch itself."""

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    chain: str
    currency: str
    contract_address: str
    status: Status
    failed_reason: str | None
    source: BatchSourceReply
    destination: BatchDestinationReply
    receipt: BatchReceiptReply


class BatchReply(Expandable, frozen=True, kw_only=True):
    """A batch as a transfer record."""

    transfer_type: str
    transfer_details: BatchDetailsReply


class BatchPage(WireStruct, frozen=True):
    """A page, newest first; `nextCursor` goes back as `createdBefore` or as `cursor`."""

    count: int
    records: list[BatchReply]
    next_cursor: Moment | None


class BatchRoutes(Controller):
    """Pay many at once and look up what was paid."""

    path = "/v2/wallets/transfers/batches"
    tags = ("Batches",)

    @post(status_code=200, summary="Create a batch transfer")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewBatch],
        batches: NamedDependency[Batches],
        manner: NamedDependency[Manner],
    ) -> BatchReply:
        """Holds the sum and sends it (CREATED), or waits for an admin (PENDING_APPROVAL).

        The same `requestId` with the same body answers the same batch.
        """
        wanted = _wanted(data)
        made = await batches.create(
            request.user, data.request_id, wanted, as_asked(data), manner=manner
        )
        return with_dry_run(batch_reply(made), manner)

    @get(summary="List batch transfers")
    async def page(
        self,
        request: ApiRequest,
        batches: NamedDependency[Batches],
        window: NamedDependency[Window],
        user_id: Annotated[str | None, QueryParameter(name="userId")] = None,
    ) -> BatchPage:
        """Newest first, sent by one user or by the whole organisation."""
        found = await batches.page(request.user.org_id, optional_id("userId", user_id), window)
        return BatchPage(
            count=len(found),
            records=[batch_reply(each) for each in found],
            next_cursor=moment(found[-1].batch.record.updated_at) if found else None,
        )

    @get("/{transferId:str}", summary="Retrieve a batch transfer")
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        batches: NamedDependency[Batches],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> BatchReply:
        """One batch."""
        batch_id = known_id(transferId, "transaction", TransactionNotFound)
        found = await batches.get(request.user.org_id, batch_id)
        return await timelines.beside(batch_reply(found), found.batch.record, expand, request.user)


def _wanted(data: NewBatch) -> Wanted:
    return Wanted(
        source_user_id=data.source.user_id,
        chain=data.chain,
        currency=data.currency,
        items=[
            WantedItem(
                Asked(
                    side=f"destination.batch[{place}]",
                    is_flat=True,
                    user_id=each.user_id,
                    wallet_address=each.wallet_address,
                ),
                each.amount,
            )
            for place, each in enumerate(data.destination.batch)
        ],
        require_approval=bool(data.require_approval),
    )


def batch_reply(seen: Seen) -> BatchReply:
    """A batch as it is answered."""
    batch, asset = seen.batch, seen.batch.asset
    record, details = batch.record, batch.details
    return BatchReply(
        transfer_type=KIND,
        transfer_details=BatchDetailsReply(
            id=record.id,
            request_id=record.request_id,
            created_at=moment(record.created_at),
            updated_at=moment(record.updated_at),
            chain=asset.chain,
            currency=asset.currency,
            contract_address=TOKENS[Chain(asset.chain), asset.currency].address,
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
                approval=approval_reply(seen.approval),
            ),
        ),
    )
