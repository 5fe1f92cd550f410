"""Cases: how far a user's verification for one rail is, and what was found.

A case is made by the first submission and lives as long as the user. Its `version` counts its
changes of status; `round` counts submissions; `claims` counts the times that somebody began to work
on it, so that whoever comes back late finds that the case is no longer theirs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.core.errors import Broken
from landbridge.core.ids import derived_id
from landbridge.core.states import Moves
from landbridge.identity.port import Review
from landbridge.kyc.model import Rail

KIND = "KYC.STATUS"
# How many of its decisions a case keeps; more are not made in earnest.
HISTORY_MAX = 100
# A call to an identity provider takes no longer than this, or counts as unclear.
CALL_TIMEOUT_S = 20
# After a step that did not come to its end the case is left alone: longer than most steps take.
_FIRST_PAUSE = timedelta(seconds=30)
# A provider that is down for a day is then asked every hour.
_PAUSE_MAX = timedelta(hours=1)
# Of the number of a round: what fits into a column.
_DIGITS_MAX = 9


class KycStatus(StrEnum):
    """How far it is. Source: contract, users 3.3."""

    INACTIVE = "INACTIVE"  # never submitted; there is no case
    CREATED = "CREATED"  # submitted; waits to be handed to the identity provider
    PENDING = "PENDING"  # waits for the identity provider
    MANUAL_REVIEW = "MANUAL_REVIEW"  # waits for a reviewer
    RFI_PENDING = "RFI_PENDING"  # waits for the user: information was asked for
    INCOMPLETE = "INCOMPLETE"  # waits for the user: something has to be mended
    ACTIVE = "ACTIVE"  # approved, until a reviewer revokes it
    REJECTED = "REJECTED"  # for good
    CONTACT_SUPPORT = "CONTACT_SUPPORT"  # waits for a new submission, after something unexpected


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

MOVES = Moves(
    start=frozenset({KycStatus.INACTIVE}),
    table={
        KycStatus.INACTIVE: frozenset({KycStatus.CREATED}),
        KycStatus.CREATED: frozenset({KycStatus.PENDING}),
        KycStatus.PENDING: _VERDICTS,
        # To itself when a new list has a name like theirs that no reviewer has seen: a decision on
        # the version before does not count.
        KycStatus.MANUAL_REVIEW: _VERDICTS - {KycStatus.CONTACT_SUPPORT},
        KycStatus.RFI_PENDING: frozenset({KycStatus.PENDING}),
        KycStatus.INCOMPLETE: frozenset({KycStatus.PENDING}),
        KycStatus.CONTACT_SUPPORT: frozenset({KycStatus.PENDING}),
        # A reviewer revokes the approval, or a new sanctions list has a name that is like theirs.
        KycStatus.ACTIVE: frozenset({KycStatus.MANUAL_REVIEW, KycStatus.REJECTED}),
        KycStatus.REJECTED: frozenset(),
    },
)

# From these a user submits again.
WAIT_FOR_USER = frozenset({KycStatus.INCOMPLETE, KycStatus.RFI_PENDING, KycStatus.CONTACT_SUPPORT})


class SubmittedOwner(msgspec.Struct, frozen=True, kw_only=True):
    """An owner as submitted."""

    id: UUID
    data: dict[str, Any]


class SubmittedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document as submitted."""

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


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What was submitted: later changes of KYC data are not part of it."""

    is_business: bool
    # As the account says.
    email: str
    first_name: str | None
    last_name: str | None
    business_name: str | None
    data: dict[str, Any]
    owners: tuple[SubmittedOwner, ...]
    documents: tuple[SubmittedDocument, ...]


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody made of the case, for the reviewers who come after."""

    at: datetime
    actor: str
    status: KycStatus
    reject_reasons: tuple[str, ...] = ()
    comment: str | None = None
    note: str | None = None


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What was found. Only `review` and `asked_for` are ever shown to the user."""

    review: Review | None = None
    # What information the user is asked for.
    asked_for: str | None = None
    # The sanctions list that names were compared with, what resembles an entry of it, and the
    # names that could not be compared.
    list_version: str | None = None
    hits: tuple[dict[str, Any], ...] = ()
    unread: tuple[str, ...] = ()
    history: tuple[Decision, ...] = ()

    def with_decision(self, decision: Decision) -> "Findings":
        """With one more decision; of very many, the last ones are kept."""
        kept = (*self.history, decision)[-HISTORY_MAX:]
        return msgspec.structs.replace(self, history=kept)


@dataclass(frozen=True, slots=True)
class QueuedHit:
    """A resemblance without names: the program of the list's entry, and 0 to 100."""

    program: str
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case as it is stored, opened.

    `snapshot` is None once the user's data is erased. `reference` is the identity provider's name
    for this round, None until it has been handed over.
    """

    org_id: UUID
    id: UUID
    user_id: UUID
    rail: Rail
    status: KycStatus
    version: int
    round: int
    claims: int
    failures: int
    reference: str | None
    snapshot: Snapshot | None
    findings: Findings
    submitted_at: datetime
    due_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def submitted(self) -> Snapshot:
        """What was submitted, of a case that was looked up as one of a user who is not erased."""
        if self.snapshot is None:
            raise Broken(f"nothing is left of case {self.id}")
        return self.snapshot

    @property
    def key(self) -> str:
        """Our key for this submission at the identity provider."""
        return f"{self.org_id.hex}-{self.id.hex}-{self.round}"

    @property
    def pause(self) -> timedelta:
        """How long the case is left alone if the step that begins now does not end."""
        doublings = min(self.failures, 10)
        return min(_FIRST_PAUSE * 2**doublings, _PAUSE_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedCase:
    """A case as the queue of reviews shows it: enough to choose one, and nothing that was told."""

    id: UUID
    version: int
    user_id: UUID
    rail: Rail
    status: KycStatus
    created_at: datetime
    updated_at: datetime
    submitted_at: datetime
    documents_count: int
    list_version: str | None
    hits: tuple[QueuedHit, ...]
    unread_count: int


def queued(case: Case) -> QueuedCase:
    """What the queue shows of a case."""
    findings = case.findings
    return QueuedCase(
        id=case.id,
        version=case.version,
        user_id=case.user_id,
        rail=case.rail,
        status=case.status,
        created_at=case.created_at,
        updated_at=case.updated_at,
        submitted_at=case.submitted_at,
        documents_count=0 if case.snapshot is None else len(case.snapshot.documents),
        list_version=findings.list_version,
        hits=tuple(QueuedHit(each["program"], each["score"]) for each in findings.hits),
        unread_count=len(findings.unread),
    )


def case_id(user_id: UUID, rail: Rail) -> UUID:
    """A user has one case for a rail."""
    return derived_id(user_id, f"kyc.status:{rail}")


def read_key(key: str) -> tuple[UUID, UUID, int] | None:
    """Organisation, case and round of a key of ours; None if it is none."""
    org, _, rest = key.partition("-")
    case, _, number = rest.partition("-")
    if not (number.isascii() and number.isdigit() and len(number) <= _DIGITS_MAX):
        return None
    try:
        return UUID(hex=org), UUID(hex=case), int(number)
    except ValueError:
        return None


MESSAGES: Mapping[KycStatus, str] = {
    KycStatus.INACTIVE: "Nothing has been submitted for this rail.",
    KycStatus.CREATED: "The application has been received.",
    KycStatus.PENDING: "The application is being checked.",
    KycStatus.MANUAL_REVIEW: "Compliance is looking at the application.",
    KycStatus.RFI_PENDING: "More information is needed. Send it, then submit again.",
    KycStatus.INCOMPLETE: "Something was not accepted. Mend it, then submit again.",
    KycStatus.ACTIVE: "The rail can be used.",
    KycStatus.REJECTED: "The application was declined for good.",
    KycStatus.CONTACT_SUPPORT: "Something unexpected happened. Contact support, or submit again.",
}
