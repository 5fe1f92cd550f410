"""Routes of disbursements: /v2/disbursements. Ours; docs/reference/disbursements.md."""

from uuid import UUID

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import UNSET

from landbridge.ledger.model import HouseRole
from landbridge.ledger.path_params import known_transfer
from landbridge.payments.disbursements.model import KIND, Disbursement, DisbursementStatus
from landbridge.payments.disbursements.service import Disbursements
from landbridge.payments.engine.disbursement_requests import DisbursementPurpose
from landbridge.payments.engine.timelines import Expand, TimelineExpandable, Timelines
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.list_query import UserFilter, optional_id
from landbridge.platform.http.responses import Moment, Number, WireStruct, moment, reply_of


class DisbursementPaymentReply(WireStruct, frozen=True):
    """Payment of a disbursement."""

    id: UUID
    type: str


class DisbursementSourceReply(WireStruct, frozen=True):
    """The organisation's own address, and the house account that is debited."""

    wallet_address: str
    role: HouseRole


class DisbursementDestinationReply(WireStruct, frozen=True):
    """Recipient; `userId` is null for an external address."""

    wallet_address: str
    user_id: UUID | None


class DisbursementReceiptReply(WireStruct, frozen=True):
    """Chain references; null until the chain has confirmed it."""

    transaction_hash: str | None
    user_op_hash: str | None


class DisbursementDetailsReply(WireStruct, frozen=True):
    """Details of a disbursement.

    `refusalCount` is how often the chain has refused its order, `lastRefusal` the last reason.
    `blockedReason` is why the order is not sent now.
    """

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    status: DisbursementStatus
    purpose: DisbursementPurpose
    payment: DisbursementPaymentReply
    amount: Number
    currency: str
    chain: str
    source: DisbursementSourceReply
    destination: DisbursementDestinationReply
    receipt: DisbursementReceiptReply
    refusal_count: int
    last_refusal: str | None
    blocked_reason: str | None


class DisbursementReply(TimelineExpandable, frozen=True, kw_only=True):
    """Disbursement as a transfer record."""

    transfer_type: str
    transfer_details: DisbursementDetailsReply


class DisbursementPage(WireStruct, frozen=True):
    """Page of disbursements, newest first; `nextCursor` goes into `createdBefore` or `cursor`."""

    count: int
    records: list[DisbursementReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class DisbursementRoutes(Controller):
    """Routes of disbursements: fees, and surplus coins that are returned."""

    path = "/v2/disbursements"
    tags = ("Transactions",)

    @get(summary="List disbursements", operation_id="disbursements.list")
    async def page(
        self,
        request: ApiRequest,
        disbursements: NamedDependency[Disbursements],
        window: NamedDependency[PageWindow],
        user_id: UserFilter = None,
    ) -> DisbursementPage:
        """List the disbursements to one user or of the whole organisation, newest first."""
        recipient_id = optional_id("userId", user_id)
        found = await disbursements.page(request.user.org_id, recipient_id, window)
        return DisbursementPage(
            count=len(found),
            records=[disbursement_reply(each) for each in found],
            next_cursor=moment(found[-1].record.updated_at) if found else msgspec.UNSET,
        )

    @get(
        "/{disbursementId:str}",
        summary="Retrieve a disbursement",
        operation_id="disbursements.retrieve",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        disbursementId: FromPath[str],
        disbursements: NamedDependency[Disbursements],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> DisbursementReply:
        """Return one disbursement."""
        disbursement_id = known_transfer(disbursementId)
        found = await disbursements.get(request.user.org_id, disbursement_id)
        reply = disbursement_reply(found)
        return await timelines.attach(reply, found.record, expand, request.user)


def disbursement_reply(disbursement: Disbursement) -> DisbursementReply:
    """Build the reply of a disbursement."""
    record, details, money = disbursement.record, disbursement.details, disbursement.money
    return DisbursementReply(
        transfer_type=KIND,
        metadata=record.metadata or UNSET,
        transfer_details=reply_of(
            record,
            DisbursementDetailsReply,
            status=disbursement.status,
            purpose=details.purpose,
            payment=DisbursementPaymentReply(id=details.payment_id, type=details.payment_kind),
            amount=money.decimal,
            currency=money.asset.currency,
            chain=money.asset.chain,
            source=DisbursementSourceReply(
                wallet_address=details.source_address, role=details.role
            ),
            destination=DisbursementDestinationReply(
                wallet_address=details.address, user_id=details.user_id
            ),
            receipt=DisbursementReceiptReply(
                transaction_hash=details.transaction_hash, user_op_hash=details.user_op_hash
            ),
            refusal_count=details.payment_attempts,
            last_refusal=details.payment_refusal,
            blocked_reason=disbursement.blocked_reason,
        ),
    )
