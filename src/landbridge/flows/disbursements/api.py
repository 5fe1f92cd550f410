"""Routes of disbursements: /v2/disbursements. Ours; docs/reference/disbursements.md."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from landbridge.core.pages import Window
from landbridge.flows.disbursements.model import KIND, Disbursement, Status
from landbridge.flows.disbursements.service import Disbursements
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import Role
from landbridge.payments.disbursing import Purpose
from landbridge.payments.timelines import Expand, Expandable, Timelines
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, Number, WireStruct, moment


class DisbursementPaymentReply(WireStruct, frozen=True):
    """The payment that the disbursement belongs to."""

    id: UUID
    type: str


class DisbursementSourceReply(WireStruct, frozen=True):
    """The organisation's own address, and the house account that the coins are booked from."""

    wallet_address: str
    role: Role


class DisbursementDestinationReply(WireStruct, frozen=True):
    """Where the coins go; `userId` is null for an address outside."""

    wallet_address: str
    user_id: UUID | None


class DisbursementReceiptReply(WireStruct, frozen=True):
    """By what the chain knows it; null until the chain has confirmed it."""

    transaction_hash: str | None
    user_op_hash: str | None


class DisbursementDetailsReply(WireStruct, frozen=True):
    """The disbursement itself.

    `refusalCount` is how often the chain has refused its order, `lastRefusal` the last reason.
    `blockedReason` is why the order is not given now.
    """

    id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    status: Status
    purpose: Purpose
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


class DisbursementReply(Expandable, frozen=True, kw_only=True):
    """A disbursement as a transfer record."""

    transfer_type: str
    transfer_details: DisbursementDetailsReply


class DisbursementPage(WireStruct, frozen=True):
    """A page, newest first; `nextCursor` goes back as `createdBefore` or as `cursor`."""

    count: int
    records: list[DisbursementReply]
    next_cursor: Moment | None


class DisbursementRoutes(Controller):
    """Look up what the house pays beside payments: fees, and surplus coins that go back."""

    path = "/v2/disbursements"
    tags = ("Transactions",)

    @get(summary="List disbursements")
    async def page(
        self,
        request: ApiRequest,
        disbursements: NamedDependency[Disbursements],
        window: NamedDependency[Window],
        user_id: Annotated[str | None, QueryParameter(name="userId")] = None,
    ) -> DisbursementPage:
        """Newest first, to one user or of the whole organisation."""
        wanted = optional_id("userId", user_id)
        found = await disbursements.page(request.user.org_id, wanted, window)
        return DisbursementPage(
            count=len(found),
            records=[disbursement_reply(each) for each in found],
            next_cursor=moment(found[-1].record.updated_at) if found else None,
        )

    @get("/{disbursementId:str}", summary="Retrieve a disbursement")
    async def retrieve(
        self,
        request: ApiRequest,
        disbursementId: FromPath[str],
        disbursements: NamedDependency[Disbursements],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> DisbursementReply:
        """One disbursement."""
        wanted = known_id(disbursementId, "transaction", TransactionNotFound)
        found = await disbursements.get(request.user.org_id, wanted)
        reply = disbursement_reply(found)
        return await timelines.beside(reply, found.record, expand, request.user)


def disbursement_reply(disbursement: Disbursement) -> DisbursementReply:
    """Return a disbursement as it is answered."""
    record, details, money = disbursement.record, disbursement.details, disbursement.money
    return DisbursementReply(
        transfer_type=KIND,
        transfer_details=DisbursementDetailsReply(
            id=record.id,
            request_id=record.request_id,
            created_at=moment(record.created_at),
            updated_at=moment(record.updated_at),
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
            refusal_count=details.payment_tries,
            last_refusal=details.payment_refusal,
            blocked_reason=disbursement.blocked_reason,
        ),
    )
