"""Port to identity verification providers.

It follows the steps that identity providers have in common: create an applicant, attach documents,
submit the application, and receive a result later by query or by webhook. Guarantees that every
adapter gives (tests/providers/identity/contract.py):

- `create` and `attach` are idempotent by key: a repeated call creates nothing;
- `submit` of a submitted application does nothing;
- a result is one of the types below, within their bounds. The caller passes it through
  `validate_result`, because it is foreign input;
- errors are those of core: `Rejected` (final), `Unavailable` (not done, retry) and `Unclear`
  (perhaps done: query `status` before a retry).

`comment` is written for the applicant and may be shown to them. `note` is the provider's text for
the reviewer and is never shown to the applicant: it may quote lists and suspicions.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from landbridge.platform.core.errors import Unclear
from landbridge.platform.formats.texts import is_allowed

# Limits far above what providers send. Longer input is cut, so that no result can fill the table.
REASONS_MAX = 20
REASON_LENGTH_MAX = 300
TEXT_LENGTH_MAX = 2_000
RESULTS_MAX = 500
REFERENCE_LENGTH_MAX = 200
_RETRY_AFTER_MAX = timedelta(days=1)


class ReviewOutcome(StrEnum):
    """Outcome of a review."""

    APPROVED = "APPROVED"
    DECLINED = "DECLINED"


class RejectType(StrEnum):
    """Whether a declined application can be corrected."""

    RETRY = "RETRY"  # the applicant can correct it and submit again
    FINAL = "FINAL"  # final


class ApplicationSection(StrEnum):
    """Part of an application that a result refers to."""

    PERSONAL_INFO = "personalInfo"
    COMPANY_INFO = "companyInfo"
    QUESTIONNAIRE = "questionnaire"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Result of one check: of the application, a section, a document or an owner."""

    answer: ReviewOutcome
    reject_type: RejectType | None = None
    reject_reasons: tuple[str, ...] = ()
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityReview:
    """Completed review; parts that are not listed follow the overall result.

    `fields` are the KYC data fields that must be submitted again. Documents and owners are named by
    our ids.
    """

    result: CheckResult
    note: str | None = None
    fields: tuple[str, ...] = ()
    sections: Mapping[ApplicationSection, CheckResult] = field(
        default_factory=dict[ApplicationSection, CheckResult]
    )
    documents: Mapping[UUID, CheckResult] = field(default_factory=dict[UUID, CheckResult])
    owners: Mapping[UUID, CheckResult] = field(default_factory=dict[UUID, CheckResult])


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationRequested:
    """The applicant must submit more information before the review continues: `comment`."""

    comment: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualReviewRequested:
    """The provider does not decide, so one of our reviewers must."""

    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StillPending:
    """No result yet.

    Query after `retry_after` (organisation time); None means to wait for a webhook.
    """

    retry_after: timedelta | None


@dataclass(frozen=True, slots=True)
class NotSubmitted:
    """The application was created, but never submitted."""


Verdict: TypeAlias = IdentityReview | InformationRequested | ManualReviewRequested
ApplicationStatus: TypeAlias = Verdict | StillPending | NotSubmitted


@dataclass(frozen=True, slots=True)
class IncomingReview:
    """Webhook of the provider: the application with this key has changed.

    It deliberately carries no result. The result is queried, so a webhook that is repeated, late,
    out of order or forged can do no harm.
    """

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantOwner:
    """Owner of a business who is verified with it; `facts` are KYC data as submitted."""

    id: UUID
    last_name: str | None
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedVerification:
    """Page of the provider for the person. Anyone who has the URL can act as the person.

    `expires_in_s` counts from now; None if the provider does not say.
    """

    url: str = field(repr=False)
    expires_in_s: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicant:
    """Applicant as submitted; `key` is ours, and identifies the application.

    `case_id` is ours too, and the same for all applications of this user and rail. `share_token`
    lets the provider reuse what another of its clients has verified.
    """

    key: str
    org_id: UUID
    case_id: UUID
    is_business: bool
    rail: str
    # Names on the account, which may differ from the names in the KYC data.
    last_name: str | None
    business_name: str | None
    facts: Mapping[str, Any]
    owners: Sequence[ApplicantOwner]
    share_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantDocument:
    """Document of an application; `read` fetches its file, None if it has a `url` instead."""

    id: UUID
    owner_id: UUID | None
    type: str
    sub_type: str
    issued_country: str
    number: str | None
    url: str | None
    read: Callable[[], Awaitable[bytes]] | None


class Identity(Protocol):
    """Identity verification provider."""

    def is_synchronous(self, org_id: UUID, rail: str) -> bool:
        """Return whether no result needs a call to the outside: then a request may wait for it."""
        ...

    async def create(self, applicant: Applicant) -> str:
        """Create the application; return the provider's reference, the same for the same key."""
        ...

    async def attach(self, reference: str, document: ApplicantDocument) -> None:
        """Add a document; a document with a known id stays unchanged."""
        ...

    async def submit(self, reference: str) -> StillPending:
        """Start the verification; return when the first query is useful."""
        ...

    async def status(self, reference: str, *, waited: timedelta) -> ApplicationStatus:
        """Return the status, `waited` after submission in the organisation's time."""
        ...

    async def open_link(self, reference: str) -> HostedVerification | None:
        """Return the provider's page for the person; None if it has none."""
        ...

    def read_review(self, raw: bytes, headers: Mapping[str, str]) -> IncomingReview:
        """Decode a webhook; raise `Rejected` unless the provider sent it."""
        ...


def validate_reference(reference: object) -> str:
    """Validate an application reference from a provider; raise `Unclear` for a bad one."""
    if (
        isinstance(reference, str)
        and 1 <= len(reference) <= REFERENCE_LENGTH_MAX
        and reference.isascii()
        and reference.isprintable()
    ):
        return reference
    raise Unclear("the identity provider's name for an application can't be one")


def validate_result(status: ApplicationStatus) -> ApplicationStatus:
    """Return a provider's result within bounds: texts without control characters, cut to length.

    Raises `Unclear` for a contradictory result. It is queried again, and approves or rejects no
    applicant.
    """
    match status:
        case IdentityReview():
            return _validate_review(status)
        case InformationRequested():
            comment = sanitize(status.comment)
            if comment is None:
                raise Unclear("information is requested, but not which")
            return InformationRequested(comment=comment, note=sanitize(status.note))
        case ManualReviewRequested():
            return ManualReviewRequested(note=sanitize(status.note))
        case StillPending(retry_after=after) if after is not None:
            return StillPending(retry_after=min(max(after, timedelta()), _RETRY_AFTER_MAX))
        case StillPending() | NotSubmitted():
            return status


def sanitize(text: str | None, *, length_max: int = TEXT_LENGTH_MAX) -> str | None:
    """Return a foreign text in a form that can be stored and shown; None if nothing remains."""
    if text is None:
        return None
    # Some characters can't be stored; others would show a text in another order than written.
    cleaned = "".join(each for each in text if each == "\n" or is_allowed(each))
    return cleaned.strip()[:length_max].strip() or None


def _validate_review(review: IdentityReview) -> IdentityReview:
    parts = (review.sections, review.documents, review.owners)
    if any(len(each) > RESULTS_MAX for each in (*parts, review.fields)):
        raise Unclear("a review has more parts than any application")
    result = _validate_check(review.result)
    is_final = result.reject_type is RejectType.FINAL
    for part in (*review.sections.values(), *review.documents.values(), *review.owners.values()):
        declines = part.answer is ReviewOutcome.DECLINED
        if declines and result.answer is ReviewOutcome.APPROVED:
            raise Unclear("a review approves the whole and declines a part")
        if declines and part.reject_type is RejectType.FINAL and not is_final:
            raise Unclear("a review declines a part for good, but not the whole")
    if review.fields and result.answer is ReviewOutcome.APPROVED:
        raise Unclear("a review approves the whole and rejects fields")
    return replace(
        review,
        result=result,
        note=sanitize(review.note),
        fields=tuple(
            text
            for each in review.fields
            if (text := sanitize(each, length_max=REASON_LENGTH_MAX)) is not None
        ),
        sections={key: _validate_check(each) for key, each in review.sections.items()},
        documents={key: _validate_check(each) for key, each in review.documents.items()},
        owners={key: _validate_check(each) for key, each in review.owners.items()},
    )


def _validate_check(result: CheckResult) -> CheckResult:
    if (result.answer is ReviewOutcome.DECLINED) != (result.reject_type is not None):
        raise Unclear("a decline must state whether it is final, an approval must not")
    reasons = (sanitize(each, length_max=REASON_LENGTH_MAX) for each in result.reject_reasons)
    return replace(
        result,
        reject_reasons=tuple(each for each in reasons if each is not None)[:REASONS_MAX],
        comment=sanitize(result.comment),
    )
