"""Routes of reviews of payments: /v2/reviews/transfers. Ours; for people who decide."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.core.pages import Window
from landbridge.ledger.errors import TransactionNotFound
from landbridge.rfis.model import FILES_MAX, Rfi, Status
from landbridge.rfis.reviewing import Review, Reviewing
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import words
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment

# Times have microseconds, so this is the next moment after one.
_NEXT = timedelta(microseconds=1)


class Question(WireStruct, frozen=True):
    """What is asked about a payment."""

    question: str


class Answer(WireStruct, frozen=True):
    """What was answered, and the files (`POST /v2/files`) that prove it."""

    answer: str
    file_ids: Annotated[list[str], msgspec.Meta(max_length=FILES_MAX)] | None = None


class Closing(WireStruct, frozen=True):
    """Why nothing is asked any more."""

    comment: str | None = None


class RfiReply(WireStruct, frozen=True):
    """A request for information; its texts are null once the user was erased."""

    id: UUID
    status: Status
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
    """A payment as a reviewer sees it; `rfi` is the open request, or else the last one."""

    transfer_id: UUID
    transfer_type: str
    status: str
    user_id: UUID
    created_at: Moment
    updated_at: Moment
    rfi: RfiReply | None
    rfis: list[RfiReply]


class TransferReviewPage(WireStruct, frozen=True):
    """A page of requests with their payments; `nextCursor` goes back as `createdAfter`."""

    count: int
    reviews: list[TransferReview]
    next_cursor: Moment | None


class TransferReviewRoutes(Controller):
    """Payments that wait for a person, and what is asked about them; for reviewers' keys."""

    path = "/v2/reviews/transfers"
    tags = ("Reviews",)

    @get(summary="List reviews of payments")
    async def page(
        self,
        request: ApiRequest,
        *,
        reviewing: NamedDependency[Reviewing],
        window: NamedDependency[Window],
        status: Annotated[
            list[str] | None, QueryParameter(description="OPEN and ANSWERED if left out.")
        ] = None,
    ) -> TransferReviewPage:
        """The longest waiting first; each with the one request that it is listed for."""
        statuses = words("status", status, Status) or {Status.OPEN, Status.ANSWERED}
        found = await reviewing.queue(request.user, statuses, window)
        last = found[-1].latest if found else None
        return TransferReviewPage(
            count=len(found),
            reviews=[review_reply(each) for each in found],
            next_cursor=moment(last.created_at + _NEXT) if last else None,
        )

    @get("/{transferId:str}", summary="Retrieve the review of a payment")
    async def retrieve(
        self, request: ApiRequest, transferId: FromPath[str], reviewing: NamedDependency[Reviewing]
    ) -> TransferReview:
        """Any onramp or offramp, with everything that was asked about it."""
        return review_reply(await reviewing.get(request.user, _known(transferId)))

    @post("/{transferId:str}/rfi", status_code=200, summary="Ask about a payment")
    async def ask(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[Question],
        reviewing: NamedDependency[Reviewing],
    ) -> TransferReview:
        """The payment waits in IN_REVIEW until the request is closed."""
        transfer_id = _known(transferId)
        return review_reply(await reviewing.open(request.user, transfer_id, question=data.question))

    @post("/{transferId:str}/rfi/answer", status_code=200, summary="Put down an answer")
    async def answer(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[Answer],
        reviewing: NamedDependency[Reviewing],
    ) -> TransferReview:
        """What the customer said, and the files that they sent."""
        answered = await reviewing.answer(
            request.user,
            _known(transferId),
            answer=data.answer,
            file_ids=data.file_ids or [],
        )
        return review_reply(answered)

    @post("/{transferId:str}/rfi/close", status_code=200, summary="Close a request")
    async def close(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        reviewing: NamedDependency[Reviewing],
        data: JSONBody[Closing | None] = None,
    ) -> TransferReview:
        """The payment goes on where it was."""
        comment = data.comment if data else None
        return review_reply(
            await reviewing.close(request.user, _known(transferId), comment=comment)
        )


def review_reply(review: Review) -> TransferReview:
    """A review on the wire."""
    record = review.record
    return TransferReview(
        transfer_id=record.id,
        transfer_type=record.kind,
        status=record.status,
        user_id=record.user_id,
        created_at=moment(record.created_at),
        updated_at=moment(record.updated_at),
        rfi=_rfi(review.latest) if review.latest else None,
        rfis=[_rfi(each) for each in review.rfis],
    )


def _rfi(rfi: Rfi) -> RfiReply:
    return RfiReply(
        id=rfi.id,
        status=rfi.status,
        question=rfi.question,
        answer=rfi.answer,
        comment=rfi.comment,
        file_ids=list(rfi.file_ids),
        opened_by=rfi.opened_by,
        created_at=moment(rfi.created_at),
        updated_at=moment(rfi.updated_at),
        answered_at=moment(rfi.answered_at) if rfi.answered_at else None,
        closed_at=moment(rfi.closed_at) if rfi.closed_at else None,
    )


def _known(text: str) -> UUID:
    return known_id(text, "transaction", TransactionNotFound)
