"""Routes of reviews: /v2/reviews/kyc. Ours; for people who decide, by a dashboard or by hand."""

from datetime import date, timedelta
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.core.errors import FieldInvalid
from landbridge.core.pages import Window
from landbridge.identity.port import REASON_LENGTH_MAX, REASONS_MAX, TEXT_LENGTH_MAX, clean
from landbridge.kyc.model import Rail
from landbridge.users.model import UserCard
from landbridge.verification.api import ListedUser
from landbridge.verification.model import Case, KycStatus, QueuedCase
from landbridge.verification.reviews import Choice, Reviews, Told
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import words
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment

_PARTS_MAX = 200
_VERSION_MAX = 2**31 - 1
# Times have microseconds, so this is the next moment after one.
_NEXT = timedelta(microseconds=1)

Reasons = Annotated[list[str], msgspec.Meta(max_length=REASONS_MAX)]


class RejectedDocument(WireStruct, frozen=True):
    """A document that was not accepted, and why."""

    id: UUID
    reject_reasons: Reasons | None = None


class DecisionBody(WireStruct, frozen=True):
    """A decision. `comment` is shown to the user, `note` never is."""

    decision: Choice
    reject_reasons: Reasons | None = None
    comment: str | None = None
    note: str | None = None
    fields: Annotated[list[str], msgspec.Meta(max_length=_PARTS_MAX)] | None = None
    documents: Annotated[list[RejectedDocument], msgspec.Meta(max_length=_PARTS_MAX)] | None = None
    version: Annotated[int, msgspec.Meta(ge=1, le=_VERSION_MAX)] | None = None


class ReviewedDocument(WireStruct, frozen=True):
    """A document as it was submitted."""

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
    """What resembles a name of the submission on the sanctions list.

    `unread` are names that could not be compared with it, for their script.
    """

    list_version: str | None
    hits: list[dict[str, Any]]
    unread: list[str]


class PastDecision(WireStruct, frozen=True):
    """What was made of the case before, and by whom."""

    at: Moment
    actor: str
    status: KycStatus
    reject_reasons: list[str]
    comment: str | None
    note: str | None


class ReviewReply(WireStruct, frozen=True):
    """A case with all that a reviewer needs; `kycInfo` is what was submitted."""

    id: UUID
    version: int
    user: ListedUser
    rails: Rail
    status: KycStatus
    created_at: Moment
    updated_at: Moment
    submitted_at: Moment
    kyc_info: dict[str, Any]
    ultimate_beneficial_owners: list[dict[str, Any]]
    documents: list[ReviewedDocument]
    screening: ReviewedScreening
    history: list[PastDecision]


class ListedHit(WireStruct, frozen=True):
    """A resemblance on the sanctions list, without names; `score` is 0 to 100."""

    program: str
    score: int


class ListedScreening(WireStruct, frozen=True):
    """What screening found, in short; names are in the review itself."""

    list_version: str | None
    hits: list[ListedHit]
    unread_count: int


class ListedReview(WireStruct, frozen=True):
    """A case in the queue; all that was submitted is in the review itself."""

    id: UUID
    version: int
    user: ListedUser
    rails: Rail
    status: KycStatus
    created_at: Moment
    updated_at: Moment
    submitted_at: Moment
    documents_count: int
    screening: ListedScreening


class ReviewPage(WireStruct, frozen=True):
    """A page of cases, oldest first; `nextCursor` goes back as `createdAfter`."""

    count: int
    reviews: list[ListedReview]
    next_cursor: Moment | None


class ReviewRoutes(Controller):
    """The queue of cases that wait for a person, and their decisions; for reviewers' keys."""

    path = "/v2/reviews/kyc"
    tags = ("Reviews",)

    @get(summary="List KYC reviews")
    async def page(
        self,
        request: ApiRequest,
        *,
        reviews: NamedDependency[Reviews],
        window: NamedDependency[Window],
        status: Annotated[
            list[str] | None, QueryParameter(description="MANUAL_REVIEW if left out.")
        ] = None,
    ) -> ReviewPage:
        """The longest waiting first, in short; each review has the whole of it."""
        statuses = words("status", status, KycStatus) or {KycStatus.MANUAL_REVIEW}
        found = await reviews.page(request.user, statuses, window)
        return ReviewPage(
            count=len(found),
            reviews=[_listed(case, card) for case, card in found],
            next_cursor=moment(found[-1][0].created_at + _NEXT) if found else None,
        )

    @get("/{caseId:str}", summary="Retrieve a KYC review")
    async def retrieve(
        self, request: ApiRequest, caseId: FromPath[str], reviews: NamedDependency[Reviews]
    ) -> ReviewReply:
        """One case, whatever its status."""
        return _shape(*await reviews.get(request.user, known_id(caseId, "case")))

    @post("/{caseId:str}", status_code=200, summary="Decide a KYC review")
    async def decide(
        self,
        request: ApiRequest,
        caseId: FromPath[str],
        data: JSONBody[DecisionBody],
        reviews: NamedDependency[Reviews],
    ) -> ReviewReply:
        """Of two who decide at once one does; the other is answered 409."""
        case_id = known_id(caseId, "case")
        decided = await reviews.decide(request.user, case_id, _told(data))
        return _shape(*decided)


def _told(data: DecisionBody) -> Told:
    return Told(
        choice=data.decision,
        reject_reasons=_reasons("rejectReasons", data.reject_reasons),
        comment=_text("comment", data.comment, TEXT_LENGTH_MAX),
        note=_text("note", data.note, TEXT_LENGTH_MAX),
        fields=tuple(
            _required(f"fields[{place}]", each) for place, each in enumerate(data.fields or ())
        ),
        documents=tuple(
            (each.id, _reasons(f"documents[{place}].rejectReasons", each.reject_reasons))
            for place, each in enumerate(data.documents or ())
        ),
        version=data.version,
    )


def _reasons(field: str, reasons: list[str] | None) -> tuple[str, ...]:
    return tuple(_required(f"{field}[{place}]", each) for place, each in enumerate(reasons or ()))


def _required(field: str, text: str) -> str:
    checked = _text(field, text, REASON_LENGTH_MAX)
    if checked is None:
        raise FieldInvalid(f"{field} is empty", field=field)
    return checked


def _text(field: str, text: str | None, length_max: int) -> str | None:
    """A text of one or several lines; None if it is empty."""
    if text is None or not text.strip():
        return None
    if len(text) > length_max:
        raise FieldInvalid(f"{field} has more than {length_max} characters", field=field)
    if clean(text) != text.strip():
        raise FieldInvalid(f"{field} has control characters", field=field)
    return text.strip()


def _user(card: UserCard) -> ListedUser:
    return ListedUser(id=card.id, type=card.type, name=card.name, email=card.email)


def _listed(case: QueuedCase, card: UserCard) -> ListedReview:
    return ListedReview(
        id=case.id,
        version=case.version,
        user=_user(card),
        rails=case.rail,
        status=case.status,
        created_at=moment(case.created_at),
        updated_at=moment(case.updated_at),
        submitted_at=moment(case.submitted_at),
        documents_count=case.documents_count,
        screening=ListedScreening(
            list_version=case.list_version,
            hits=[ListedHit(program=each.program, score=each.score) for each in case.hits],
            unread_count=case.unread_count,
        ),
    )


def _shape(case: Case, card: UserCard) -> ReviewReply:
    snapshot, findings = case.submitted, case.findings
    return ReviewReply(
        id=case.id,
        version=case.version,
        user=_user(card),
        rails=case.rail,
        status=case.status,
        created_at=moment(case.created_at),
        updated_at=moment(case.updated_at),
        submitted_at=moment(case.submitted_at),
        kyc_info={"type": card.type, **snapshot.data},
        ultimate_beneficial_owners=[{"id": each.id, **each.data} for each in snapshot.owners],
        documents=[
            ReviewedDocument(
                id=each.id,
                ubo_id=each.owner_id,
                type=each.type,
                sub_type=each.sub_type,
                issued_country=each.issued_country,
                issued_date=each.issued_date,
                expiry_date=each.expiry_date,
                number=each.number,
                description=each.description,
                file_id=each.file_id,
                url=each.url,
            )
            for each in snapshot.documents
        ],
        screening=ReviewedScreening(
            list_version=findings.list_version,
            hits=[dict(each) for each in findings.hits],
            unread=list(findings.unread),
        ),
        history=[
            PastDecision(
                at=moment(each.at),
                actor=each.actor,
                status=each.status,
                reject_reasons=list(each.reject_reasons),
                comment=each.comment,
                note=each.note,
            )
            for each in findings.history
        ],
    )
