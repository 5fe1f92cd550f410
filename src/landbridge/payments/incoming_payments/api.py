"""Routes of unmatched deposits for reviewers: /v2/reviews/deposits. Not in the contract."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.payments.incoming_payments.model import (
    COMMENT_LENGTH_MAX,
    IncomingPayment,
    IncomingPaymentStatus,
)
from landbridge.payments.incoming_payments.reviews import IncomingPaymentReviews
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import PagePosition, QueueWindow
from landbridge.platform.formats.schemas import prose
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import stated
from landbridge.platform.http.list_query import cursor_after
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, reply_of

_Comment = Annotated[str, stated(prose(COMMENT_LENGTH_MAX))]


class DepositMatch(WireStruct, frozen=True):
    """A match: exactly one of the two payments, with the reviewer's comment."""

    comment: _Comment
    transfer_id: UUID | None = None
    virtual_account_id: UUID | None = None


class DepositReturn(WireStruct, frozen=True):
    """Reason to return a deposit."""

    comment: _Comment


class DepositSettlement(WireStruct, frozen=True):
    """Evidence of how the sender got a deposit back."""

    comment: _Comment


class DepositSender(WireStruct, frozen=True):
    """The sender as reported by the bank."""

    name: str | None
    bank_name: str | None
    routing_number: str | None
    account_number: str | None


class DepositReview(WireStruct, frozen=True):
    """A deposit for reviewers; `accountNumber` is the account on which it arrived.

    Personal fields are null once its user was erased. `decidedBy` and `comment` belong to the
    deciding person, `transferId` is the paid transfer.
    """

    id: UUID
    status: IncomingPaymentStatus
    amount: DecimalText
    currency: str
    payment_rail: str
    bank_reference: str
    account_number: str
    reference: str | None
    description: str | None
    sender: DepositSender | None
    transfer_id: UUID | None
    decided_by: str | None
    comment: str | None
    received_at: Moment
    updated_at: Moment


class DepositReviewPage(WireStruct, frozen=True):
    """A page of unmatched deposits, oldest first; pass `nextCursor` back as `cursor`."""

    count: int
    reviews: list[DepositReview]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class DepositReviewRoutes(Controller):
    """Unmatched deposits; for reviewers' keys."""

    path = "/v2/reviews/deposits"
    tags = ("Reviews",)

    @get(summary="List unmatched deposits", operation_id="depositReviews.list")
    async def page(
        self,
        request: ApiRequest,
        incoming_payment_reviews: NamedDependency[IncomingPaymentReviews],
        queue: NamedDependency[QueueWindow],
    ) -> DepositReviewPage:
        """List unmatched deposits, the longest waiting first."""
        found = await incoming_payment_reviews.queue(request.user, queue)
        return DepositReviewPage(
            count=len(found),
            reviews=[_reply(each) for each in found],
            next_cursor=cursor_after([PagePosition(each.received_at, each.id) for each in found]),
        )

    @get(
        "/{incomingPaymentId:str}",
        summary="Retrieve a deposit",
        operation_id="depositReviews.retrieve",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        incomingPaymentId: FromPath[str],
        incoming_payment_reviews: NamedDependency[IncomingPaymentReviews],
    ) -> DepositReview:
        """Get a deposit in any status."""
        return _reply(await incoming_payment_reviews.get(request.user, _known(incomingPaymentId)))

    @post(
        "/{incomingPaymentId:str}/match",
        status_code=200,
        summary="Match a deposit manually",
        operation_id="depositReviews.match",
    )
    async def match(
        self,
        request: ApiRequest,
        incomingPaymentId: FromPath[str],
        data: JSONBody[DepositMatch],
        incoming_payment_reviews: NamedDependency[IncomingPaymentReviews],
    ) -> DepositReview:
        """Match a deposit with an onramp of exactly this amount, or with a virtual account."""
        payment_id, comment = _known(incomingPaymentId), data.comment
        match data.transfer_id, data.virtual_account_id:
            case UUID() as transfer_id, None:
                matched = await incoming_payment_reviews.match_transfer(
                    request.user, payment_id, transfer_id, comment=comment
                )
            case None, UUID() as account_id:
                matched = await incoming_payment_reviews.match_account(
                    request.user, payment_id, account_id, comment=comment
                )
            case _:
                raise FieldInvalid(
                    "give exactly one of transferId and virtualAccountId", field="transferId"
                )
        return _reply(matched)

    @post(
        "/{incomingPaymentId:str}/return",
        status_code=200,
        summary="Send a deposit back",
        operation_id="depositReviews.return",
    )
    async def send_back(
        self,
        request: ApiRequest,
        incomingPaymentId: FromPath[str],
        data: JSONBody[DepositReturn],
        incoming_payment_reviews: NamedDependency[IncomingPaymentReviews],
    ) -> DepositReview:
        """Return the whole deposit to its sender by its rail."""
        payment_id = _known(incomingPaymentId)
        sent = await incoming_payment_reviews.send_back(
            request.user, payment_id, comment=data.comment
        )
        return _reply(sent)

    @post(
        "/{incomingPaymentId:str}/settle",
        status_code=200,
        summary="Settle a return outside",
        operation_id="depositReviews.settle",
    )
    async def settle(
        self,
        request: ApiRequest,
        incomingPaymentId: FromPath[str],
        data: JSONBody[DepositSettlement],
        incoming_payment_reviews: NamedDependency[IncomingPaymentReviews],
    ) -> DepositReview:
        """Record that the sender has the deposit back by means other than the bank's return."""
        settled = await incoming_payment_reviews.settle_outside(
            request.user, _known(incomingPaymentId), comment=data.comment
        )
        return _reply(settled)


def _reply(payment: IncomingPayment) -> DepositReview:
    sender = payment.sender
    return reply_of(
        payment,
        DepositReview,
        amount=str(payment.money),
        currency=payment.money.asset.currency,
        payment_rail=payment.rail,
        sender=sender and reply_of(sender, DepositSender),
    )


def _known(text: str) -> UUID:
    return known_id(text, "deposit")
