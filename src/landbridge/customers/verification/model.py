"""Verification cases: status of a user for one rail, and findings.

A case is created by the first submission and exists as long as the user. Its `version` counts its
changes of status; `round` counts submissions; `claims` counts the claims by workers, so that a late
worker detects that it has lost the case.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.customers.kyc.model import Rail
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.fields import field_values
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.formats.translations import later as _
from landbridge.providers.identity.port import IdentityReview
from landbridge.providers.screening.model import OFAC_SDN

KIND = "KYC.STATUS"
# Most decisions stored for a case; more do not occur in practice.
HISTORY_MAX = 100
# Timeout of a call to an identity provider; after it the outcome is unclear.
CALL_TIMEOUT_S = 20
# First pause after an unfinished step, longer than most steps take.
_FIRST_PAUSE = timedelta(seconds=30)
# Maximum pause: a provider that is down for a day is then polled every hour.
_PAUSE_MAX = timedelta(hours=1)
# Most digits of a round number, which is limited by the database column.
_DIGITS_MAX = 9


class KycStatus(StrEnum):
    """Verification status. Source: contract, users 3.3."""

    INACTIVE = "INACTIVE"  # never submitted; no case exists
    CREATED = "CREATED"  # submitted; waits to be handed to the identity provider
    PENDING = "PENDING"  # waits for the identity provider
    MANUAL_REVIEW = "MANUAL_REVIEW"  # waits for a reviewer
    RFI_PENDING = "RFI_PENDING"  # waits for the user: information was requested
    INCOMPLETE = "INCOMPLETE"  # waits for the user: data have to be corrected
    ACTIVE = "ACTIVE"  # approved, until a reviewer revokes it
    REJECTED = "REJECTED"  # final
    CONTACT_SUPPORT = "CONTACT_SUPPORT"  # waits for a new submission, after an unexpected error


_VERDICTS = frozenset(
    {
        KycStatus.ACTIVE,
        KycStatus.INCOMPLETE,
        KycStatus.MANUAL_REVIEW,
        KycStatus.RFI_PENDING,
        KycStatus.REJECTED,
        KycStatus.CONTACT_SUPPORT,
    }
)

TRANSITIONS = Transitions(
    start=frozenset({KycStatus.INACTIVE}),
    table={
        KycStatus.INACTIVE: frozenset({KycStatus.CREATED}),
        KycStatus.CREATED: frozenset({KycStatus.PENDING}),
        KycStatus.PENDING: _VERDICTS,
        # Includes the same status: when a new list has a match that no reviewer has seen, the case
        # gets a new version, so that a decision on the previous one is rejected.
        KycStatus.MANUAL_REVIEW: _VERDICTS - {KycStatus.CONTACT_SUPPORT},
        KycStatus.RFI_PENDING: frozenset({KycStatus.PENDING}),
        KycStatus.INCOMPLETE: frozenset({KycStatus.PENDING}),
        KycStatus.CONTACT_SUPPORT: frozenset({KycStatus.PENDING}),
        # A reviewer revokes the approval, or a new sanctions list has a matching name.
        KycStatus.ACTIVE: frozenset({KycStatus.MANUAL_REVIEW, KycStatus.REJECTED}),
        KycStatus.REJECTED: frozenset(),
    },
)

# Statuses from which a user can submit again.
WAIT_FOR_USER = frozenset({KycStatus.INCOMPLETE, KycStatus.RFI_PENDING, KycStatus.CONTACT_SUPPORT})


class SubmittedOwner(msgspec.Struct, frozen=True, kw_only=True):
    """An owner as submitted."""

    id: UUID
    data: dict[str, Any]


class SubmittedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Document as submitted."""

    id: UUID
    owner_id: UUID | None
    type: str
    sub_type: str
    issued_country: str
    issued_date: date | None
    expiry_date: date | None
    number: str | None
    description: str | None
    file_id: str | None
    url: str | None


class SubmissionSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Snapshot of submitted data: later changes of KYC data are not part of it."""

    is_business: bool
    # Data from the user's account, not from the KYC profile.
    email: str
    first_name: str | None
    last_name: str | None
    business_name: str | None
    data: dict[str, Any]
    owners: tuple[SubmittedOwner, ...]
    documents: tuple[SubmittedDocument, ...]
    # Token by which the provider takes over a verification for another of its clients.
    share_token: str | None = None


class ReviewDecision(msgspec.Struct, frozen=True, kw_only=True):
    """Decision on a case, recorded for later reviewers."""

    at: datetime
    actor: str
    status: KycStatus
    reject_reasons: tuple[str, ...] = ()
    comment: str | None = None
    note: str | None = None


class CaseFindings(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of a case. Only `review` and `asked_for` are ever shown to the user."""

    review: IdentityReview | None = None
    # Text that describes the information requested from the user.
    asked_for: str | None = None
    # Lists used for the comparison, their hits, and the names that could not be compared.
    list_version: str | None = None
    hits: tuple[dict[str, Any], ...] = ()
    unread: tuple[str, ...] = ()
    history: tuple[ReviewDecision, ...] = ()

    def with_decision(self, decision: ReviewDecision) -> "CaseFindings":
        """Return the findings with one more decision; above the maximum the oldest are dropped."""
        history = (*self.history, decision)[-HISTORY_MAX:]
        return msgspec.structs.replace(self, history=history)


@dataclass(frozen=True, slots=True)
class QueuedHit:
    """Hit without names: the list, the program of its entry, and a score of 0 to 100."""

    list: str
    program: str
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCase:
    """Entry of a list of cases."""

    org_id: UUID
    id: UUID
    user_id: UUID
    rail: Rail
    status: KycStatus
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRecord(ListedCase):
    """Members of a case that are not encrypted.

    `reference` is the identity provider's name for this round, None until the case has been
    submitted to the provider.
    """

    version: int
    round: int
    claims: int
    failures: int
    reference: str | None
    submitted_at: datetime
    due_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationCase(CaseRecord):
    """Verification case, decrypted; `snapshot` is None once the user's data is erased."""

    snapshot: SubmissionSnapshot | None
    findings: CaseFindings

    @property
    def submitted(self) -> SubmissionSnapshot:
        """Return the snapshot; the caller ensures that the user is not erased."""
        if self.snapshot is None:
            raise InvariantBroken(f"nothing is left of case {self.id}")
        return self.snapshot

    @property
    def key(self) -> str:
        """Idempotency key of this submission at the identity provider."""
        return f"{self.org_id.hex}-{self.id.hex}-{self.round}"

    @property
    def pause(self) -> timedelta:
        """Return the pause before the next attempt in case the step that starts now fails."""
        doublings = min(self.failures, 10)
        return min(_FIRST_PAUSE * 2**doublings, _PAUSE_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedCase(ListedCase):
    """Entry of the review queue: enough to select a case, without submitted data."""

    version: int
    submitted_at: datetime
    documents_count: int
    list_version: str | None
    hits: tuple[QueuedHit, ...]
    unread_count: int


def queued(case: VerificationCase) -> QueuedCase:
    """Return the queue entry of a case."""
    findings = case.findings
    return QueuedCase(
        **field_values(case, ListedCase),
        version=case.version,
        submitted_at=case.submitted_at,
        documents_count=0 if case.snapshot is None else len(case.snapshot.documents),
        list_version=findings.list_version,
        hits=tuple(
            QueuedHit(list_of(each), each["program"], each["score"]) for each in findings.hits
        ),
        unread_count=len(findings.unread),
    )


def list_of(hit: Mapping[str, Any]) -> str:
    """Return the list of a stored hit; older hits, from when there was one list, do not name it."""
    name: str = hit.get("list", OFAC_SDN)
    return name


def case_id(user_id: UUID, rail: Rail) -> UUID:
    """Return the case id; a user has one case per rail."""
    return derived_id(user_id, f"kyc.status:{rail}")


def read_key(key: str) -> tuple[UUID, UUID, int] | None:
    """Parse organisation, case and round from an idempotency key; None for a foreign key."""
    org, _, rest = key.partition("-")
    case, _, number = rest.partition("-")
    if not (number.isascii() and number.isdigit() and len(number) <= _DIGITS_MAX):
        return None
    try:
        return UUID(hex=org), UUID(hex=case), int(number)
    except ValueError:
        return None


MESSAGES: Mapping[KycStatus, str] = {
    KycStatus.INACTIVE: _("Nothing has been submitted for this rail."),
    KycStatus.CREATED: _("The application has been received."),
    KycStatus.PENDING: _("The application is being checked."),
    KycStatus.MANUAL_REVIEW: _("Compliance is looking at the application."),
    KycStatus.RFI_PENDING: _("More information is needed. Send it, then submit again."),
    KycStatus.INCOMPLETE: _("Something was not accepted. Mend it, then submit again."),
    KycStatus.ACTIVE: _("The rail can be used."),
    KycStatus.REJECTED: _("The application was declined for good."),
    KycStatus.CONTACT_SUPPORT: _(
        "Something unexpected happened. Contact support, or submit again."
    ),
}
