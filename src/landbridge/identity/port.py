"""The port to whoever checks who people are.

In the shape that identity providers have: an applicant is created, documents are attached, the
whole is submitted, and some time later there is an answer, which is asked for or comes in by
itself. Guarantees that every adapter gives (tests/identity/contract.py):

- `create` and `attach` may be called again with the same key: nothing is made twice;
- `submit` of what was submitted already does nothing;
- an answer is one of the types below, within their bounds: `checked` is what the caller runs over
  it, for an answer is foreign input;
- errors are those of core: `Rejected` (no, for good), `Unavailable` (not done, ask again) and
  `Unclear` (perhaps done: ask `status` before doing it again).

`comment` is written for the person and may be shown to them. `note` is the provider's for the
reviewer, and is never shown: it may quote lists and suspicions.
"""

import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from landbridge.core.errors import Unclear

# Far beyond what providers send; what is longer is cut, so that one answer can't fill the table.
REASONS_MAX = 20
REASON_LENGTH_MAX = 300
TEXT_LENGTH_MAX = 2_000
PARTS_MAX = 500
REFERENCE_LENGTH_MAX = 200
_ASK_AFTER_MAX = timedelta(days=1)


class Answer(StrEnum):
    """What a review came to."""

    APPROVED = "APPROVED"
    DECLINED = "DECLINED"


class RejectType(StrEnum):
    """What can be done about a decline."""

    RETRY = "RETRY"  # mend it and submit again
    FINAL = "FINAL"  # for good


class Section(StrEnum):
    """The part of an application that a result is about."""

    PERSONAL_INFO = "personalInfo"
    COMPANY_INFO = "companyInfo"
    QUESTIONNAIRE = "questionnaire"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was found of the whole, a section, a document or an owner."""

    answer: Answer
    reject_type: RejectType | None = None
    reject_reasons: tuple[str, ...] = ()
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A review that has come to its end; parts that are not named follow the whole.

    `fields` are the members of KYC data that have to be told anew. Documents and owners are named
    by our ids.
    """

    result: Result
    note: str | None = None
    fields: tuple[str, ...] = ()
    sections: Mapping[Section, Result] = field(default_factory=dict[Section, Result])
    documents: Mapping[UUID, Result] = field(default_factory=dict[UUID, Result])
    owners: Mapping[UUID, Result] = field(default_factory=dict[UUID, Result])


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationAsked:
    """The person must tell or send something before it goes on; `comment` says what."""

    comment: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualReviewAsked:
    """The provider does not decide: somebody here must."""

    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StillPending:
    """No answer yet. `ask_after` is in the organisation's time; None: wait until told."""

    ask_after: timedelta | None


@dataclass(frozen=True, slots=True)
class NotSubmitted:
    """The application was made, but never submitted."""


Verdict: TypeAlias = Review | InformationAsked | ManualReviewAsked
Standing: TypeAlias = Verdict | StillPending | NotSubmitted


@dataclass(frozen=True, slots=True)
class IncomingReview:
    """A message of the provider's own accord: there is news about the application of this key.

    It carries no answer on purpose. The answer is asked for, so a message that comes twice, late,
    out of order or from somebody else can't do harm.
    """

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """An owner of a business who is checked with it; `facts` are KYC data as they were told."""

    id: UUID
    last_name: str | None
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicant:
    """Who is to be checked, as told at submission. `key` is ours: one key, one application."""

    key: str
    is_business: bool
    rail: str
    # What the account says, which may be another name than KYC data has.
    last_name: str | None
    business_name: str | None
    facts: Mapping[str, Any]
    owners: Sequence[Owner]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document of the application; `read` fetches its file, None if it has a `url` instead."""

    id: UUID
    owner_id: UUID | None
    type: str
    sub_type: str
    issued_country: str
    number: str | None
    url: str | None
    read: Callable[[], Awaitable[bytes]] | None


class Identity(Protocol):
    """Somebody who checks identities."""

    # Whether it answers from memory: then a request may wait for it.
    acts_at_once: bool

    async def create(self, applicant: Applicant) -> str:
        """The provider's name for this application, the same for the same key."""
        ...

    async def attach(self, reference: str, document: Document) -> None:
        """Add a document; one that was added before, by its id, stays as it is."""
        ...

    async def submit(self, reference: str) -> StillPending:
        """Let the check begin; answers when it is worth asking about it."""
        ...

    async def status(self, reference: str, *, waited: timedelta) -> Standing:
        """How it stands, `waited` after submission in the organisation's time."""
        ...

    def read_review(self, raw: bytes, headers: Mapping[str, str]) -> IncomingReview:
        """What a message to us says; raises `Rejected` unless it is the provider's own."""
        ...


def checked_reference(reference: object) -> str:
    """A name of an application as a provider answered it; raises `Unclear`."""
    if (
        isinstance(reference, str)
        and 1 <= len(reference) <= REFERENCE_LENGTH_MAX
        and reference.isascii()
        and reference.isprintable()
    ):
        return reference
    raise Unclear("the identity provider's name for an application can't be one")


def checked(standing: Standing) -> Standing:
    """A provider's answer within bounds: texts without control characters, cut to length.

    Raises `Unclear` for one that contradicts itself, so that it is asked for again and nobody is
    approved or rejected by it.
    """
    match standing:
        case Review():
            return _checked_review(standing)
        case InformationAsked():
            comment = clean(standing.comment)
            if comment is None:
                raise Unclear("information is asked for, but not which")
            return InformationAsked(comment=comment, note=clean(standing.note))
        case ManualReviewAsked():
            return ManualReviewAsked(note=clean(standing.note))
        case StillPending(ask_after=after) if after is not None:
            return StillPending(ask_after=min(max(after, timedelta()), _ASK_AFTER_MAX))
        case StillPending() | NotSubmitted():
            return standing


def clean(text: str | None, *, length_max: int = TEXT_LENGTH_MAX) -> str | None:
    """A text of somebody else's that can be kept and shown: None if nothing is left of it."""
    if text is None:
        return None
    # Control characters and halves of surrogate pairs can't be stored or are not to be shown.
    kept = "".join(
        each for each in text if each == "\n" or unicodedata.category(each) not in {"Cc", "Cs"}
    )
    return kept.strip()[:length_max].strip() or None


def _checked_review(review: Review) -> Review:
    parts = (review.sections, review.documents, review.owners)
    if any(len(each) > PARTS_MAX for each in (*parts, review.fields)):
        raise Unclear("a review has more parts than any application")
    result = _checked_result(review.result)
    is_final = result.reject_type is RejectType.FINAL
    for part in (*review.sections.values(), *review.documents.values(), *review.owners.values()):
        declines = part.answer is Answer.DECLINED
        if declines and result.answer is Answer.APPROVED:
            raise Unclear("a review approves the whole and declines a part")
        if declines and part.reject_type is RejectType.FINAL and not is_final:
            raise Unclear("a review declines a part for good, but not the whole")
    if review.fields and result.answer is Answer.APPROVED:
        raise Unclear("a review approves the whole and rejects fields")
    return replace(
        review,
        result=result,
        note=clean(review.note),
        fields=tuple(
            text
            for each in review.fields
            if (text := clean(each, length_max=REASON_LENGTH_MAX)) is not None
        ),
        sections={key: _checked_result(each) for key, each in review.sections.items()},
        documents={key: _checked_result(each) for key, each in review.documents.items()},
        owners={key: _checked_result(each) for key, each in review.owners.items()},
    )


def _checked_result(result: Result) -> Result:
    if (result.answer is Answer.DECLINED) != (result.reject_type is not None):
        raise Unclear("a decline says whether it is final, an approval never does")
    reasons = (clean(each, length_max=REASON_LENGTH_MAX) for each in result.reject_reasons)
    return replace(
        result,
        reject_reasons=tuple(each for each in reasons if each is not None)[:REASONS_MAX],
        comment=clean(result.comment),
    )
