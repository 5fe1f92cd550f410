"""Approvals and votes. Source: contract, lifecycles 2; interface/transfer-approvals."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from landbridge.platform.core.transitions import Transitions

KIND = "APPROVAL"
POLICY_KIND = "APPROVAL.POLICY"

# Record statuses. Every flow with approvals has the first, and flows with reviews have the second.
PENDING_APPROVAL = "PENDING_APPROVAL"
IN_REVIEW = "IN_REVIEW"
# Status of an open quote, the same in every flow.
OPEN_QUOTE = "OPEN_QUOTE"

# Largest threshold: more approvers than any team has.
THRESHOLD_MAX = 20
COMMENT_LENGTH_MAX = 1000

# Source: spec.md, Limits.
ON_CHAIN_LIFETIME = timedelta(weeks=1)
OFFRAMP_LIFETIME = timedelta(days=1)

# Time within which an approval is kept for further quotes of its payment.
CARRY_LIFETIME = OFFRAMP_LIFETIME

# Reasons that are stored as facts of a record that ended without an approval.
WHY_REJECTED = "an approver rejected it"
WHY_EXPIRED = "it was not approved in time"
WHY_WITHDRAWN = "the requester withdrew it"


class ApprovalStatus(StrEnum):
    """Status of an approval. Each comment names what it waits for, and who acts next."""

    PENDING = "PENDING"  # votes decide, or the worker expires it
    APPROVED = "APPROVED"  # final: enough votes for it
    REJECTED = "REJECTED"  # final: one vote against it
    EXPIRED = "EXPIRED"  # final: no decision in time, or the payment was cancelled


TRANSITIONS: Transitions[ApprovalStatus] = Transitions(
    start=frozenset({ApprovalStatus.PENDING}),
    table={
        ApprovalStatus.PENDING: frozenset(
            {ApprovalStatus.APPROVED, ApprovalStatus.REJECTED, ApprovalStatus.EXPIRED}
        ),
        ApprovalStatus.APPROVED: frozenset(),
        ApprovalStatus.REJECTED: frozenset(),
        ApprovalStatus.EXPIRED: frozenset(),
    },
)


class VoteChoice(StrEnum):
    """Choice of a vote."""

    APPROVE = "APPROVE"
    REJECT = "REJECT"


@dataclass(frozen=True, slots=True)
class Vote:
    """One vote; `approver_id` is the API key or the member."""

    approver_id: UUID
    choice: VoteChoice
    comment: str | None
    occurred_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPolicy:
    """Approval policy of an organisation.

    `threshold` votes approve. With `needs_second` a key's vote does not count on its own requests;
    members' votes never do. A key and the member who created it count as one person.
    """

    threshold: int = 1
    needs_second: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Approval of a payment that awaits, or awaited, an admin.

    `digest` is the SHA-256 of the requested payment: a decision on anything else is refused.
    `threshold` and `needs_second` are the policy at the time of the request.
    """

    org_id: UUID
    id: UUID
    transfer_id: UUID
    transfer_kind: str
    user_id: UUID
    status: ApprovalStatus
    digest: bytes
    threshold: int
    needs_second: bool
    initiator_id: UUID
    is_from_dashboard: bool
    expires_at: datetime
    created_at: datetime
    updated_at: datetime
    version: int
    # Id of an earlier approval that this one repeats, because its payment was quoted again.
    carried_from: UUID | None = None
    votes: tuple[Vote, ...] = ()

    @property
    def votes_for(self) -> int:
        """Number of votes for the payment."""
        return sum(vote.choice is VoteChoice.APPROVE for vote in self.votes)

    def vote_of(self, approver_id: UUID) -> Vote | None:
        """Return this approver's vote; None if there is none."""
        return next((vote for vote in self.votes if vote.approver_id == approver_id), None)

    def as_at(self, moment: datetime) -> "Approval | None":
        """Return the approval as it was at a past moment; None before its request.

        An approval changes only by votes and by its end, and both have a time.
        """
        if self.created_at > moment:
            return None
        if self.updated_at <= moment:
            return self
        votes = tuple(vote for vote in self.votes if vote.occurred_at <= moment)
        return replace(
            self,
            status=ApprovalStatus.PENDING,
            votes=votes,
            updated_at=max([self.created_at, *(vote.occurred_at for vote in votes)]),
            version=1 + len(votes),
        )

    @property
    def shows_votes(self) -> bool:
        """Return whether a record's reply shows the votes. Source: contract, lifecycles 2."""
        return self.status in {ApprovalStatus.PENDING, ApprovalStatus.REJECTED}
