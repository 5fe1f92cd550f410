"""Applications at a connected identity provider: stored state, and decisions on answers."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.ids import as_uuid, derived_id
from landbridge.providers.identity.port import (
    Applicant,
    ApplicationStatus,
    CheckResult,
    IdentityReview,
    InformationRequested,
    ManualReviewRequested,
    NotSubmitted,
    RejectType,
    ReviewOutcome,
    StillPending,
)
from landbridge.providers.sidecar.identity_protocol import (
    ApplicationAnswer,
    ApplicationState,
    PartState,
    ReviewedPart,
)

_PREFIX = "provider"


class ApplicationProgress(StrEnum):
    """State of an application as far as we know; the comments say who has to act next."""

    ASKED = "ASKED"  # the provider: it may have the application
    CREATED = "CREATED"  # us: the provider has it, and it is not submitted
    PENDING = "PENDING"  # the provider, which checks it
    APPROVED = "APPROVED"  # nothing: final
    RETRY = "RETRY"  # the user: another application
    DECLINED = "DECLINED"  # nothing: final
    INFORMATION = "INFORMATION"  # the user
    REVIEW = "REVIEW"  # our reviewers
    REFUSED = "REFUSED"  # nothing: the provider does not take it


class ApplicationProblem(StrEnum):
    """Why an application needs a person: the provider's answer can't be acted on."""

    ANSWER_INVALID = "ANSWER_INVALID"  # malformed, too long, wrongly signed, or an error
    KEY_CONFLICT = "KEY_CONFLICT"  # the provider has something else under our key
    CONTRADICTION = "CONTRADICTION"  # the answer contradicts an earlier final one


FINAL_APPLICATIONS = frozenset({ApplicationProgress.APPROVED, ApplicationProgress.DECLINED})
# States that can't contradict a final state, because the answer may be older.
_UNDECIDED = frozenset({ApplicationState.CREATED, ApplicationState.PENDING})


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationReference:
    """Reference of an application in the port. It contains nothing about the applicant."""

    provider: str
    org_id: UUID
    key: UUID

    def __str__(self) -> str:
        return f"{_PREFIX}:{self.provider}:{self.org_id}:{self.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderApplication:
    """Application at one provider. Contains nothing about the applicant. Times are real time."""

    org_id: UUID
    key: UUID
    case_id: UUID
    provider: str
    state: ApplicationProgress
    reference: str | None
    problem: ApplicationProblem | None
    created_at: datetime

    @property
    def where(self) -> ApplicationReference:
        """Return the reference of the port."""
        return ApplicationReference(provider=self.provider, org_id=self.org_id, key=self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationDecision:
    """Effect of an answer on an application."""

    state: ApplicationProgress
    reference: str | None
    problem: ApplicationProblem | None


def application_key(applicant: Applicant) -> UUID:
    """Return our key at providers, which is the same for every attempt of an application."""
    return derived_id(applicant.case_id, f"provider.application:{applicant.key}")


def read_reference(reference: str) -> ApplicationReference | None:
    """Parse a reference; None if it is another adapter's."""
    match reference.split(":"):
        case [prefix, provider, org, key] if prefix == _PREFIX:
            org_id, key_id = as_uuid(org), as_uuid(key)
            if org_id is None or key_id is None:
                raise Rejected("there is no such application")
            return ApplicationReference(provider=provider, org_id=org_id, key=key_id)
        case _:
            return None


def decide_application(
    application: ProviderApplication, answer: ApplicationAnswer
) -> ApplicationDecision:
    """Return the effect of an answer on an application. A final state never changes."""
    kept = ApplicationDecision(
        state=application.state,
        reference=application.reference or answer.provider_reference,
        problem=application.problem,
    )
    if application.reference not in {None, answer.provider_reference}:
        return replace(kept, problem=ApplicationProblem.CONTRADICTION)
    state = ApplicationProgress[answer.state.name]
    if application.state in FINAL_APPLICATIONS:
        if answer.state in _UNDECIDED or state is application.state:
            return kept
        return replace(kept, problem=ApplicationProblem.CONTRADICTION)
    return ApplicationDecision(state=state, reference=answer.provider_reference, problem=None)


def status_in(answer: ApplicationAnswer, pending: StillPending) -> ApplicationStatus:
    """Return the port's status for an answer; `pending` if the answer is not a decision."""
    match answer.state:
        case ApplicationState.CREATED:
            return NotSubmitted()
        case ApplicationState.PENDING:
            return pending
        case ApplicationState.INFORMATION:
            return InformationRequested(comment=answer.comment or "", note=answer.note)
        case ApplicationState.REVIEW:
            return ManualReviewRequested(note=answer.note)
        case ApplicationState.APPROVED | ApplicationState.RETRY | ApplicationState.DECLINED:
            whole = ReviewedPart(
                state=PartState(answer.state),
                reject_reasons=answer.reject_reasons,
                comment=answer.comment,
            )
            return IdentityReview(
                result=_check_result(whole),
                note=answer.note,
                fields=answer.fields,
                sections={name: _check_result(each) for name, each in answer.sections.items()},
                documents={name: _check_result(each) for name, each in answer.documents.items()},
                owners={name: _check_result(each) for name, each in answer.owners.items()},
            )


_REJECT_TYPES = {PartState.RETRY: RejectType.RETRY, PartState.DECLINED: RejectType.FINAL}


def _check_result(part: ReviewedPart) -> CheckResult:
    reject_type = _REJECT_TYPES.get(part.state)
    return CheckResult(
        answer=ReviewOutcome.APPROVED if reject_type is None else ReviewOutcome.DECLINED,
        reject_type=reject_type,
        reject_reasons=part.reject_reasons,
        comment=part.comment,
    )
