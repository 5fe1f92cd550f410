"""A check that is made up: reserved last names say how it ends.

Keeps nothing. What decides stands in the reference, which is made of the applicant alone, so the
same application has the same reference in every process. Source: contract, users 3.6.
"""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from landbridge.core.errors import Rejected
from landbridge.identity.port import (
    Answer,
    Applicant,
    Document,
    IncomingReview,
    InformationAsked,
    ManualReviewAsked,
    RejectType,
    Result,
    Review,
    Section,
    Standing,
    StillPending,
)

# Long enough for PENDING to be seen by a program that asks every few seconds; real checks take
# minutes for individuals and days for businesses.
INDIVIDUAL_DELAY = timedelta(seconds=10)
BUSINESS_DELAY = timedelta(seconds=30)


class Ending(StrEnum):
    """How a check ends. All but DELAYED are reserved names; the first that is met wins."""

    REJECTION = "REJECTION"
    RETRY = "RETRY"
    INFORMATION = "INFORMATION"
    REVIEW = "REVIEW"
    PENDING = "PENDING"
    APPROVAL = "APPROVAL"
    DELAYED = "DELAYED"


class Place(StrEnum):
    """The member of KYC data that holds the name which decides."""

    PERSON = "lastName"
    BUSINESS = "businessName"
    OWNERS = "ultimateBeneficialOwners"


_RESERVED = tuple(ending for ending in Ending if ending is not Ending.DELAYED)
# Ours are looked for in KYC data only, so that they can be mended there. The account's own name
# counts too for those of the contract.
_OF_THE_CONTRACT = {Ending.REJECTION, Ending.PENDING, Ending.APPROVAL}
_PREFIX = "sandbox"


class SandboxIdentity:
    """Answers as the name says, else approves after a short while."""

    acts_at_once = True

    async def create(self, applicant: Applicant) -> str:
        """Decide now how it will end."""
        ending, place = ending_of(applicant)
        return f"{_PREFIX}:{ending}:{place}:{applicant.key}"

    async def attach(self, reference: str, document: Document) -> None:
        """Any document will do."""
        del reference, document

    async def submit(self, reference: str) -> StillPending:
        """Say when it is worth asking: now, after the delay, or never."""
        return _time_left(*_read(reference), timedelta())

    async def status(self, reference: str, *, waited: timedelta) -> Standing:
        """The end, once its time has come."""
        ending, place = _read(reference)
        left = _time_left(ending, place, waited)
        if left.ask_after != timedelta():
            return left
        match ending:
            case Ending.REJECTION:
                return Review(result=_declined(RejectType.FINAL, "DECLINED"))
            case Ending.RETRY:
                return _retry(place)
            case Ending.INFORMATION:
                return InformationAsked(comment="Tell us where the funds come from.")
            case Ending.REVIEW:
                return ManualReviewAsked(note="The reserved name asks for a review.")
            case Ending.PENDING | Ending.APPROVAL | Ending.DELAYED:
                return Review(result=Result(answer=Answer.APPROVED))

    def read_review(self, raw: bytes, headers: Mapping[str, str]) -> IncomingReview:
        """Refuse: the sandbox sends no messages."""
        del raw, headers
        raise Rejected("the sandbox has no messages")


def ending_of(applicant: Applicant) -> tuple[Ending, Place]:
    """How the check of this applicant ends, and by which name."""
    if applicant.is_business:
        told = [(Place.OWNERS, owner.last_name) for owner in applicant.owners]
        told.append((Place.BUSINESS, applicant.facts.get("businessName")))
        account = (Place.BUSINESS, applicant.business_name)
    else:
        told = [(Place.PERSON, applicant.facts.get("lastName"))]
        account = (Place.PERSON, applicant.last_name)
    for ending in _RESERVED:
        for place, name in [*told, account] if ending in _OF_THE_CONTRACT else told:
            if isinstance(name, str) and name.strip().upper() == ending:
                return ending, place
    return Ending.DELAYED, account[0]


def _time_left(ending: Ending, place: Place, waited: timedelta) -> StillPending:
    match ending:
        case Ending.PENDING:
            return StillPending(ask_after=None)
        case Ending.DELAYED:
            delay = INDIVIDUAL_DELAY if place is Place.PERSON else BUSINESS_DELAY
            return StillPending(ask_after=max(delay - waited, timedelta()))
        case _:
            return StillPending(ask_after=timedelta())


def _read(reference: str) -> tuple[Ending, Place]:
    match reference.split(":", 3):
        case [prefix, ending, place, _] if (
            prefix == _PREFIX and ending in set(Ending) and place in set(Place)
        ):
            return Ending(ending), Place(place)
        case _:
            raise Rejected("the sandbox has made no such application")


def _declined(reject_type: RejectType, reason: str) -> Result:
    return Result(
        answer=Answer.DECLINED,
        reject_type=reject_type,
        reject_reasons=(reason,),
        comment="This is the sandbox: a reserved name decided.",
    )


def _retry(place: Place) -> Review:
    """A decline that can be mended: by another name."""
    result = _declined(RejectType.RETRY, "NAME_MISMATCH")
    match place:
        case Place.PERSON:
            sections = {Section.PERSONAL_INFO: result}
        case Place.BUSINESS:
            sections = {Section.COMPANY_INFO: result}
        case Place.OWNERS:
            sections = dict[Section, Result]()
    return Review(result=result, fields=(place,), sections=sections)
