"""Review routes: /v2/reviews/kyc. Not in the contract; for reviewers, by dashboard or by API."""

from datetime import date
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.model import UserCard
from landbridge.customers.verification.api import ListedUser, listed_user
from landbridge.customers.verification.model import (
    KycStatus,
    QueuedCase,
    QueuedHit,
    VerificationCase,
    list_of,
)
from landbridge.customers.verification.reviews import (
    KycReviews,
    ReviewChoice,
    ReviewDecisionRequest,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.formats.schemas import prose
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import or_empty, query, some_of, with_schema
from landbridge.platform.http.list_query import cursor_after, parse_choices
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of
from landbridge.providers.identity.port import (
    REASON_LENGTH_MAX,
    REASONS_MAX,
    TEXT_LENGTH_MAX,
    sanitize,
)
from landbridge.providers.screening.model import ListCategory, category_of

_PARTS_MAX = 200
_VERSION_MAX = 2**31 - 1

_Reason = Annotated[str, with_schema(prose(REASON_LENGTH_MAX))]
_Text = Annotated[str, with_schema(or_empty(prose(TEXT_LENGTH_MAX)))]
Reasons = Annotated[list[_Reason], msgspec.Meta(max_length=REASONS_MAX)]


class RejectedDocument(WireStruct, frozen=True):
    """Rejected document, and the reason."""

    id: UUID
    reject_reasons: Reasons | None = None


class DecisionBody(WireStruct, frozen=True):
    """Submitted decision. `comment` is shown to the user, `note` never is."""

    decision: ReviewChoice
    reject_reasons: Reasons | None = None
    comment: _Text | None = None
    note: _Text | None = None
    fields: Annotated[list[_Reason], msgspec.Meta(max_length=_PARTS_MAX)] | None = None
    documents: Annotated[list[RejectedDocument], msgspec.Meta(max_length=_PARTS_MAX)] | None = None
    version: Annotated[int, msgspec.Meta(ge=1, le=_VERSION_MAX)] | None = None


class ReviewedDocument(WireStruct, frozen=True):
    """Document as submitted."""

    id: UUID
    ubo_id: UUID | None
    type: str
    sub_type: str
    issued_country: str
    issued_date: date | None
    expiry_date: date | None
    number: str | None
    description: str | None
    file_id: str | None
    url: str | None


class ReviewedScreening(WireStruct, frozen=True):
    """Hits of the submitted names; a `category` of each says whether its list names sanctions.

    `unread` are names that could not be compared because of their script.
    """

    list_version: str | None
    hits: list[dict[str, Any]]
    unread: list[str]


class PastDecision(WireStruct, frozen=True):
    """Earlier decision on the case, and its author."""

    at: Moment
    actor: str
    status: KycStatus
    reject_reasons: list[str]
    comment: str | None
    note: str | None


class ReviewedCase(WireStruct, frozen=True):
    """What the queue and the review itself say about a case."""

    id: UUID
    version: int
    user: ListedUser
    rails: Rail
    status: KycStatus
    created_at: Moment
    updated_at: Moment
    submitted_at: Moment


class ReviewReply(ReviewedCase, frozen=True):
    """Case with all information for a reviewer; `kycInfo` is the submitted data."""

    kyc_info: dict[str, Any]
    ultimate_beneficial_owners: list[dict[str, Any]]
    documents: list[ReviewedDocument]
    screening: ReviewedScreening
    history: list[PastDecision]


class ListedHit(WireStruct, frozen=True):
    """Hit without names; `score` is 0 to 100. `category` says what its `list` names."""

    list: str
    category: ListCategory
    program: str
    score: int


class ListedScreening(WireStruct, frozen=True):
    """Summary of the screening; names are in the review itself."""

    list_version: str | None
    hits: list[ListedHit]
    unread_count: int


class ListedReview(ReviewedCase, frozen=True):
    """Case in the queue; submitted data is in the review itself."""

    documents_count: int
    screening: ListedScreening


class ReviewPage(WireStruct, frozen=True):
    """Page of cases, oldest first; pass `nextCursor` as `cursor`."""

    count: int
    reviews: list[ListedReview]
    next_cursor: str | msgspec.UnsetType = msgspec.UNSET


class ReviewRoutes(Controller):
    """Routes of the review queue and of decisions, for reviewers' keys."""

    path = "/v2/reviews/kyc"
    tags = ("Reviews",)

    @get(summary="List KYC reviews", operation_id="kycReviews.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        kyc_reviews: NamedDependency[KycReviews],
        queue: NamedDependency[QueueWindow],
        status: Annotated[
            list[str] | None,
            query(None, some_of(KycStatus), description="MANUAL_REVIEW if left out."),
        ] = None,
    ) -> ReviewPage:
        """List summaries, longest waiting first; each review has the full content."""
        statuses = parse_choices("status", status, KycStatus) or {KycStatus.MANUAL_REVIEW}
        found = await kyc_reviews.page(request.user, statuses, queue)
        return ReviewPage(
            count=len(found),
            reviews=[_listed(case, card) for case, card in found],
            next_cursor=cursor_after([case for case, _ in found]),
        )

    @get("/{caseId:str}", summary="Retrieve a KYC review", operation_id="kycReviews.retrieve")
    async def retrieve(
        self, request: ApiRequest, caseId: FromPath[str], kyc_reviews: NamedDependency[KycReviews]
    ) -> ReviewReply:
        """Return one case in any status."""
        return _shape(*await kyc_reviews.get(request.user, known_id(caseId, "case")))

    @post(
        "/{caseId:str}",
        status_code=200,
        summary="Decide a KYC review",
        operation_id="kycReviews.decide",
    )
    async def decide(
        self,
        request: ApiRequest,
        caseId: FromPath[str],
        data: JSONBody[DecisionBody],
        kyc_reviews: NamedDependency[KycReviews],
    ) -> ReviewReply:
        """Decide a case; of two concurrent decisions one succeeds, the other returns 409."""
        case_id = known_id(caseId, "case")
        updated = await kyc_reviews.decide(request.user, case_id, _decision_request(data))
        return _shape(*updated)


def _decision_request(data: DecisionBody) -> ReviewDecisionRequest:
    return ReviewDecisionRequest(
        choice=data.decision,
        reject_reasons=_reasons("rejectReasons", data.reject_reasons),
        comment=_text("comment", data.comment, TEXT_LENGTH_MAX),
        note=_text("note", data.note, TEXT_LENGTH_MAX),
        fields=tuple(
            _required(f"fields[{index}]", each) for index, each in enumerate(data.fields or ())
        ),
        documents=tuple(
            (each.id, _reasons(f"documents[{index}].rejectReasons", each.reject_reasons))
            for index, each in enumerate(data.documents or ())
        ),
        version=data.version,
    )


def _reasons(field: str, reasons: list[str] | None) -> tuple[str, ...]:
    return tuple(_required(f"{field}[{index}]", each) for index, each in enumerate(reasons or ()))


def _required(field: str, text: str) -> str:
    checked = _text(field, text, REASON_LENGTH_MAX)
    if checked is None:
        raise FieldInvalid(f"{field} is empty", field=field)
    return checked


def _text(field: str, text: str | None, length_max: int) -> str | None:
    """Return a validated text of one or several lines; None if it is empty."""
    if text is None or not text.strip():
        return None
    if len(text) > length_max:
        raise FieldInvalid(f"{field} has more than {length_max} characters", field=field)
    if sanitize(text) != text.strip():
        raise FieldInvalid(f"{field} has control characters", field=field)
    return text.strip()


def _head(case: QueuedCase | VerificationCase, card: UserCard) -> dict[str, Any]:
    """Return the values of the members of `ReviewedCase`."""
    return {
        "id": case.id,
        "version": case.version,
        "user": listed_user(card),
        "rails": case.rail,
        "status": case.status,
        "created_at": moment(case.created_at),
        "updated_at": moment(case.updated_at),
        "submitted_at": moment(case.submitted_at),
    }


def _listed(case: QueuedCase, card: UserCard) -> ListedReview:
    return ListedReview(
        **_head(case, card),
        documents_count=case.documents_count,
        screening=ListedScreening(
            list_version=case.list_version,
            hits=[_listed_hit(each) for each in case.hits],
            unread_count=case.unread_count,
        ),
    )


def _listed_hit(hit: QueuedHit) -> ListedHit:
    return ListedHit(
        list=hit.list, category=category_of(hit.list), program=hit.program, score=hit.score
    )


def _shape(case: VerificationCase, card: UserCard) -> ReviewReply:
    snapshot, findings = case.submitted, case.findings
    return ReviewReply(
        **_head(case, card),
        kyc_info={"type": card.type, **snapshot.data},
        ultimate_beneficial_owners=[{"id": each.id, **each.data} for each in snapshot.owners],
        documents=[
            reply_of(each, ReviewedDocument, ubo_id=each.owner_id) for each in snapshot.documents
        ],
        screening=ReviewedScreening(
            list_version=findings.list_version,
            hits=[
                {**each, "list": list_of(each), "category": category_of(list_of(each))}
                for each in findings.hits
            ],
            unread=list(findings.unread),
        ),
        history=[
            reply_of(each, PastDecision, reject_reasons=list(each.reject_reasons))
            for each in findings.history
        ],
    )
