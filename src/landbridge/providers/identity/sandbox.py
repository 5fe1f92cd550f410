"""Simulated verification: reserved last names decide its result.

Stores nothing. The reference encodes the result and is computed from the applicant alone, so the
same application has the same reference in every process. Source: contract, users 3.6.
"""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

from landbridge.platform.core.errors import Rejected
from landbridge.providers.identity.port import (
    Applicant,
    ApplicantDocument,
    ApplicationSection,
    ApplicationStatus,
    CheckResult,
    IdentityReview,
    IncomingReview,
    InformationRequested,
    ManualReviewRequested,
    RejectType,
    ReviewOutcome,
    StillPending,
)

# Delays long enough for a client that polls every few seconds to see PENDING. Real verification
# takes minutes for individuals and days for businesses.
INDIVIDUAL_DELAY = timedelta(seconds=10)
BUSINESS_DELAY = timedelta(seconds=30)


class ScriptedResult(StrEnum):
    """Simulated result. All but DELAYED are reserved names; the first match wins."""

    REJECTION = "REJECTION"
    RETRY = "RETRY"
    INFORMATION = "INFORMATION"
    REVIEW = "REVIEW"
    PENDING = "PENDING"
    APPROVAL = "APPROVAL"
    DELAYED = "DELAYED"


class TestNameField(StrEnum):
    """KYC data field that contains the deciding name."""

    PERSON = "lastName"
    BUSINESS = "businessName"
    OWNERS = "ultimateBeneficialOwners"


_RESERVED = tuple(result for result in ScriptedResult if result is not ScriptedResult.DELAYED)
# Our own reserved names count only in KYC data, where they can be corrected. The contract's
# reserved names also count in the name of the account.
_CONTRACT_RESULTS = {ScriptedResult.REJECTION, ScriptedResult.PENDING, ScriptedResult.APPROVAL}
_PREFIX = "sandbox"


class SandboxIdentity:
    """Returns the result that the name scripts; otherwise approves after a short delay."""

    def is_synchronous(self, org_id: UUID, rail: str) -> bool:
        """Return True: no provider has to be waited for."""
        del org_id, rail
        return True

    async def create(self, applicant: Applicant) -> str:
        """Decide the result from the applicant; return it as the reference."""
        result, field = choose_result(applicant)
        return f"{_PREFIX}:{result}:{field}:{applicant.key}"

    async def attach(self, reference: str, document: ApplicantDocument) -> None:
        """Accept any document."""
        del reference, document

    async def submit(self, reference: str) -> StillPending:
        """Return when to query: now, after the delay, or never (None)."""
        return _time_left(*_read(reference), timedelta())

    async def status(self, reference: str, *, waited: timedelta) -> ApplicationStatus:
        """Return the result once its delay is over."""
        result, field = _read(reference)
        time_left = _time_left(result, field, waited)
        if time_left.retry_after != timedelta():
            return time_left
        match result:
            case ScriptedResult.REJECTION:
                return IdentityReview(result=_declined(RejectType.FINAL, "DECLINED"))
            case ScriptedResult.RETRY:
                return _retry(field)
            case ScriptedResult.INFORMATION:
                return InformationRequested(comment="Tell us where the funds come from.")
            case ScriptedResult.REVIEW:
                return ManualReviewRequested(note="The reserved name requests a review.")
            case ScriptedResult.PENDING | ScriptedResult.APPROVAL | ScriptedResult.DELAYED:
                return IdentityReview(result=CheckResult(answer=ReviewOutcome.APPROVED))

    async def open_link(self, reference: str) -> None:
        """Return None: there is no provider, so there is no page."""
        del reference

    def read_review(self, raw: bytes, headers: Mapping[str, str]) -> IncomingReview:
        """Reject every message: the sandbox sends none."""
        del raw, headers
        raise Rejected("the sandbox has no messages")


def choose_result(applicant: Applicant) -> tuple[ScriptedResult, TestNameField]:
    """Return the scripted result of this applicant, and the field with the deciding name."""
    if applicant.is_business:
        names = [(TestNameField.OWNERS, owner.last_name) for owner in applicant.owners]
        names.append((TestNameField.BUSINESS, applicant.facts.get("businessName")))
        account = (TestNameField.BUSINESS, applicant.business_name)
    else:
        names = [(TestNameField.PERSON, applicant.facts.get("lastName"))]
        account = (TestNameField.PERSON, applicant.last_name)
    for result in _RESERVED:
        for field, name in [*names, account] if result in _CONTRACT_RESULTS else names:
            if isinstance(name, str) and name.strip().upper() == result:
                return result, field
    return ScriptedResult.DELAYED, account[0]


def _time_left(result: ScriptedResult, field: TestNameField, waited: timedelta) -> StillPending:
    match result:
        case ScriptedResult.PENDING:
            return StillPending(retry_after=None)
        case ScriptedResult.DELAYED:
            delay = INDIVIDUAL_DELAY if field is TestNameField.PERSON else BUSINESS_DELAY
            return StillPending(retry_after=max(delay - waited, timedelta()))
        case _:
            return StillPending(retry_after=timedelta())


def _read(reference: str) -> tuple[ScriptedResult, TestNameField]:
    match reference.split(":", 3):
        case [prefix, result, field, _] if (
            prefix == _PREFIX and result in set(ScriptedResult) and field in set(TestNameField)
        ):
            return ScriptedResult(result), TestNameField(field)
        case _:
            raise Rejected("the sandbox has made no such application")


def _declined(reject_type: RejectType, reason: str) -> CheckResult:
    return CheckResult(
        answer=ReviewOutcome.DECLINED,
        reject_type=reject_type,
        reject_reasons=(reason,),
        comment="This is the sandbox: a reserved name decided.",
    )


def _retry(field: TestNameField) -> IdentityReview:
    """Return a decline that can be corrected by another name in this field."""
    result = _declined(RejectType.RETRY, "NAME_MISMATCH")
    match field:
        case TestNameField.PERSON:
            sections = {ApplicationSection.PERSONAL_INFO: result}
        case TestNameField.BUSINESS:
            sections = {ApplicationSection.COMPANY_INFO: result}
        case TestNameField.OWNERS:
            sections = dict[ApplicationSection, CheckResult]()
    return IdentityReview(result=result, fields=(field,), sections=sections)
