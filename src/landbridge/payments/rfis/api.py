"""Routes of payment reviews for reviewers: /v2/reviews/transfers. Not in the contract."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.ledger.path_params import known_transfer
from landbridge.payments.rfis.model import FILES_MAX, TEXT_LENGTH_MAX, Rfi, RfiStatus
from landbridge.payments.rfis.reviews import TransferReviewCase, TransferReviews
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.files.model import FileId
from landbridge.platform.formats.schemas import prose
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import or_empty, query, some_of, stated
from landbridge.platform.http.list_query import cursor_after, parse_choices
from landbridge.platform.http.responses import Moment, WireStruct, reply_of

_Prose = Annotated[str, stated(prose(TEXT_LENGTH_MAX))]


class RfiQuestion(WireStruct, frozen=True):
    """Question about a payment."""

    question: _Prose


class RfiAnswer(WireStruct, frozen=True):
    """Answer, and the files (`POST /v2/files`) that support it."""

    answer: _Prose
    file_ids: Annotated[list[FileId], msgspec.Meta(max_length=FILES_MAX)] | None = None


class RfiClosing(WireStruct, frozen=True):
    """Reason to close the request."""

    comment: Annotated[str, stated(or_empty(prose(TEXT_LENGTH_MAX)))] | None = None


class RfiReply(WireStruct, frozen=True):
    """A request for information; its texts are null once the user was erased."""

    id: UUID
    status: RfiStatus
    question: str | None
    answer: str | None
    comment: str | None
    file_ids: list[str]
    opened_by: str
    created_at: Moment
    updated_at: Moment
    answered_at: Moment | None
    closed_at: Moment | None


class TransferReview(WireStruct, frozen=True):
    """A payment for reviewers; `rfi` is the open request, or else the last one."""

    transfer_id: UUID
    transfer_type: str
    status: str
    user_id: UUID
    created_at: Moment
    updated_at: Moment
    rfi: RfiReply | None
    rfis: list[RfiReply]


class TransferReviewPage(WireStruct, frozen=True):
    """A page of requests with their payments; pass `nextCursor` back as `cursor`."""

    count: int
    reviews: list[TransferReview]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class TransferReviewRoutes(Controller):
    """Payments in review and their requests for information; for reviewers' keys."""

    path = "/v2/reviews/transfers"
    tags = ("Reviews",)

    @get(summary="List reviews of payments", operation_id="transferReviews.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        transfer_reviews: NamedDependency[TransferReviews],
        queue: NamedDependency[QueueWindow],
        status: Annotated[
            list[str] | None,
            query(None, some_of(RfiStatus), description="OPEN and ANSWERED by default."),
        ] = None,
    ) -> TransferReviewPage:
        """List requests, the longest waiting first, each with its payment."""
        statuses = parse_choices("status", status, RfiStatus) or {
            RfiStatus.OPEN,
            RfiStatus.ANSWERED,
        }
        found = await transfer_reviews.queue(request.user, statuses, queue)
        return TransferReviewPage(
            count=len(found),
            reviews=[review_reply(each) for each in found],
            next_cursor=cursor_after([rfi for each in found for rfi in each.rfis]),
        )

    @get(
        "/{transferId:str}",
        summary="Retrieve the review of a payment",
        operation_id="transferReviews.retrieve",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        transfer_reviews: NamedDependency[TransferReviews],
    ) -> TransferReview:
        """Get any onramp or offramp with all its requests for information."""
        return review_reply(await transfer_reviews.get(request.user, known_transfer(transferId)))

    @post(
        "/{transferId:str}/rfi",
        status_code=200,
        summary="Open a request for information",
        operation_id="transferReviews.openRfi",
    )
    async def ask(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[RfiQuestion],
        transfer_reviews: NamedDependency[TransferReviews],
    ) -> TransferReview:
        """Open a request for information; the payment stays IN_REVIEW until it is closed."""
        transfer_id = known_transfer(transferId)
        return review_reply(
            await transfer_reviews.open(request.user, transfer_id, question=data.question)
        )

    @post(
        "/{transferId:str}/rfi/answer",
        status_code=200,
        summary="Answer a request for information",
        operation_id="transferReviews.answerRfi",
    )
    async def answer(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[RfiAnswer],
        transfer_reviews: NamedDependency[TransferReviews],
    ) -> TransferReview:
        """Record the customer's answer and files."""
        review = await transfer_reviews.answer(
            request.user,
            known_transfer(transferId),
            answer=data.answer,
            file_ids=data.file_ids or [],
        )
        return review_reply(review)

    @post(
        "/{transferId:str}/rfi/close",
        status_code=200,
        summary="Close a request for information",
        operation_id="transferReviews.closeRfi",
    )
    async def close(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        transfer_reviews: NamedDependency[TransferReviews],
        data: JSONBody[RfiClosing | None] = None,
    ) -> TransferReview:
        """Close the request; the payment continues from its previous status."""
        comment = data.comment if data else None
        return review_reply(
            await transfer_reviews.close(request.user, known_transfer(transferId), comment=comment)
        )


def review_reply(review: TransferReviewCase) -> TransferReview:
    """Build the reply of a review."""
    record = review.record
    return reply_of(
        record,
        TransferReview,
        transfer_id=record.id,
        transfer_type=record.kind,
        rfi=_rfi(review.latest) if review.latest else None,
        rfis=[_rfi(each) for each in review.rfis],
    )


def _rfi(rfi: Rfi) -> RfiReply:
    return reply_of(rfi, RfiReply, file_ids=list(rfi.file_ids))
