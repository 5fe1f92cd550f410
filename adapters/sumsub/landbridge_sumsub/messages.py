"""What Sumsub answers, and what it means: one table each for statuses, reviews and labels.

Sources: docs.sumsub.com, pages named at each table.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import ApplicationAnswer, ApplicationState

# Our items of an applicant's metadata, which no applicant sees.
CONTENT, SUBMITTED, TEST_OUTCOME = "landbridge-content", "landbridge-submitted", "landbridge-test"

# reference/get-applicant-review-status and docs/applicant-statuses. A status that is not here is
# no answer.
ON_HOLD, COMPLETED = "onHold", "completed"
PENDING_STATUSES = frozenset(
    {"init", "pending", "prechecked", "queued", "awaitingService", "awaitingUser"}
)
# docs/receive-and-interpret-results-via-api: `reviewAnswer` and `reviewRejectType`. They count
# only with the status `completed`.
REVIEWS: Mapping[tuple[str | None, str | None], ApplicationState] = {
    ("GREEN", None): ApplicationState.APPROVED,
    ("RED", "RETRY"): ApplicationState.RETRY,
    ("RED", "FINAL"): ApplicationState.DECLINED,
}
# docs/rejection-labels, reference/temporary-rejection and /resubmission-requested: what an
# applicant may read, because it says no more than what to photograph or type in again.
SHOWN_LABELS = frozenset(
    {
        "ADDITIONAL_DOCUMENT_REQUIRED",
        "BACK_SIDE_MISSING",
        "BAD_AVATAR",
        "BAD_PROOF_OF_ADDRESS",
        "BLACK_AND_WHITE",
        "DOCUMENT_PAGE_MISSING",
        "INCOMPLETE_DOCUMENT",
        "INCORRECT_SOCIAL_NUMBER",
        "SCREENSHOTS",
        "UNSATISFACTORY_PHOTOS",
        "WRONG_ADDRESS",
    }
)
# docs/rejection-labels, reference/rejected and /reject-applicant: for reviewers only. They speak
# of lists, crimes and forgeries.
REVIEWER_LABELS = frozenset(
    {
        "ADVERSE_MEDIA",
        "AGE_REQUIREMENT_MISMATCH",
        "BAD_FACE_MATCHING",
        "CHECK_UNAVAILABLE",
        "COMPROMISED_PERSONS",
        "CRIMINAL",
        "EXTERNAL_DECISION_REJECTION",
        "GRAPHIC_EDITOR",
        "PEP",
        "RESTRICTED_PERSON",
        "SANCTIONS",
    }
)
# Ours: no sentence of Sumsub is forwarded.
RETRY_COMMENT = "Open the page of the identity provider again, and correct there what it names."

_ApplicantId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9]{1,64}\Z")]


class SumsubReviewResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Result of a review. Its comments are not read."""

    review_answer: str | None = None
    review_reject_type: str | None = None
    reject_labels: tuple[str, ...] | None = None


class SumsubReview(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Review of an applicant. Source: reference/get-applicant-data."""

    review_status: str
    level_name: str | None = None
    review_result: SumsubReviewResult | None = None


class SumsubMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """Item of an applicant's metadata; others than ours may have any value.

    Source: reference/create-applicant.
    """

    key: str
    value: Any = None


class SumsubApplicant(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Applicant, without anything about the person. Source: reference/get-applicant-data."""

    id: _ApplicantId
    external_user_id: str
    review: SumsubReview
    metadata: tuple[SumsubMetadata, ...] | None = None

    def item(self, key: str) -> str | None:
        """Return the value of an item of the metadata, if it is a text."""
        values = (each.value for each in self.metadata or () if each.key == key)
        return next((each for each in values if isinstance(each, str)), None)

    def metadata_with(self, items: Mapping[str, str]) -> list[SumsubMetadata]:
        """Return all of the metadata, with these items in it: Sumsub may replace what it has."""
        others = [each for each in self.metadata or () if each.key not in items]
        return [*others, *(SumsubMetadata(key=key, value=value) for key, value in items.items())]


def application_answer(
    key: UUID, applicant: SumsubApplicant, on_hold: Literal["wait", "review"]
) -> ApplicationAnswer:
    """Return the state of the application of a key; raises `NoAnswer` if it is not clear.

    Nothing is decided before our submission, whatever Sumsub says.
    """
    if applicant.external_user_id != str(key):
        raise NoAnswer("the answer is about another applicant")
    state = (
        _state(applicant.review, on_hold) if applicant.item(SUBMITTED) else ApplicationState.CREATED
    )
    result = applicant.review.review_result
    is_declined = state in {ApplicationState.RETRY, ApplicationState.DECLINED}
    labels = (result.reject_labels or ()) if is_declined and result is not None else ()
    known = sorted(SHOWN_LABELS.union(REVIEWER_LABELS).intersection(labels))
    return ApplicationAnswer(
        key=key,
        state=state,
        provider_reference=applicant.id,
        reject_reasons=tuple(sorted(SHOWN_LABELS.intersection(labels))),
        comment=RETRY_COMMENT if state is ApplicationState.RETRY else None,
        note=f"Sumsub: {', '.join(known)}" if known else None,
    )


def _state(review: SumsubReview, on_hold: Literal["wait", "review"]) -> ApplicationState:
    if review.review_status in PENDING_STATUSES:
        return ApplicationState.PENDING
    if review.review_status == ON_HOLD:
        return ApplicationState.REVIEW if on_hold == "review" else ApplicationState.PENDING
    result = review.review_result
    if review.review_status != COMPLETED or result is None:
        raise NoAnswer("the status is not known")
    found = REVIEWS.get((result.review_answer, result.review_reject_type))
    if found is None:
        raise NoAnswer("the result of a review is not known")
    return found
