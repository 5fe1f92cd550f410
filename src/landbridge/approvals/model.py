"""Approvals and votes. Source: contract, lifecycles 2; interface/transfer-approvals."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from landbridge.core.states import Moves

KIND = "APPROVAL"
POLICY_KIND = "APPROVAL.POLICY"

# The statuses of a record that these verbs know: every flow that can ask has the first, and where
# a review can interrupt the wait, the second.
WAITING = "PENDING_APPROVAL"
IN_REVIEW = "IN_REVIEW"

# More approvers than this have no team of ours.
THRESHOLD_MAX = 20
COMMENT_LENGTH_MAX = 1000

# Source: spec.md, Limits.
ON_CHAIN_LIFETIME = timedelta(weeks=1)
OFFRAMP_LIFETIME = timedelta(days=1)

# What a record of any kind says of its end.
WHY_REJECTED = "an approver rejected it"
WHY_EXPIRED = "nobody approved it in time"


class Status(StrEnum):
    """Where an approval stands. Each comment says what it waits for, and who moves it on."""

    PENDING = "PENDING"  # waits for votes; they decide, or the worker when the time is over
    APPROVED = "APPROVED"  # nothing: enough voted for it
    REJECTED = "REJECTED"  # nothing: one voted against it
    EXPIRED = "EXPIRED"  # nothing: nobody decided in time, or the payment was cancelled


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.PENDING}),
    table={
        Status.PENDING: frozenset({Status.APPROVED, Status.REJECTED, Status.EXPIRED}),
        Status.APPROVED: frozenset(),
        Status.REJECTED: frozenset(),
        Status.EXPIRED: frozenset(),
    },
)


class Choice(StrEnum):
    """What somebody votes."""

    APPROVE = "APPROVE"
    REJECT = "REJECT"


@dataclass(frozen=True, slots=True)
class Vote:
    """One vote; `approver_id` is the API key or the member."""

    approver_id: UUID
    choice: Choice
    comment: str | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What an organisation asks of its approvals.

    `threshold` votes approve. With `needs_second` a key does not count on what it asked for itself;
    members never do. Whoever made a key is one person with it.
    """

    threshold: int = 1
    needs_second: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A payment that waits, or waited, for an admin.

    `digest` is SHA-256 of what was asked: a decision on anything else is refused. `threshold` and
    `needs_second` are the policy as it was when this was asked.
    """

    org_id: UUID
    id: UUID
    transfer_id: UUID
    transfer_kind: str
    user_id: UUID
    status: Status
    digest: bytes
    threshold: int
    needs_second: bool
    initiator_id: UUID
    is_from_dashboard: bool
    expires_at: datetime
    created_at: datetime
    updated_at: datetime
    version: int
    votes: tuple[Vote, ...] = ()

    @property
    def for_it(self) -> int:
        """How many have voted for it."""
        return sum(vote.choice is Choice.APPROVE for vote in self.votes)

    def vote_of(self, approver_id: UUID) -> Vote | None:
        """What this approver voted, if they did."""
        return next((vote for vote in self.votes if vote.approver_id == approver_id), None)

    def as_at(self, moment: datetime) -> "Approval | None":
        """As it was at a moment of its organisation; None before it was asked for.

        Nothing but votes and its end ever changes it, and both have their time.
        """
        if self.created_at > moment:
            return None
        if self.updated_at <= moment:
            return self
        votes = tuple(vote for vote in self.votes if vote.at <= moment)
        return replace(
            self,
            status=Status.PENDING,
            votes=votes,
            updated_at=max([self.created_at, *(vote.at for vote in votes)]),
            version=1 + len(votes),
        )

    @property
    def shows_votes(self) -> bool:
        """Whether a record prints the votes. Source: contract, lifecycles 2."""
        return self.status in {Status.PENDING, Status.REJECTED}
