"""Resolutions: states, details, transitions, and refusals.

A resolution is a record of its own beside its payment. It has no postings: the advance of the
payment has them, in the transaction that completes the resolution.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import AdvanceTransfer, DueCheck, Transfer
from landbridge.payments.approvals.model import WHY_EXPIRED, WHY_REJECTED
from landbridge.payments.engine.resolution_actions import ResolutionAction, ResolutionInstruction
from landbridge.payments.engine.wait_states import WaitParty, WaitState, WaitStates
from landbridge.platform.core.transitions import Transitions

KIND = "RESOLUTION"

EVIDENCE_LENGTH_MAX = 2_000

# Delay between the hold on a payment and the execution of the decision. A provider call lasts at
# most half as long (payments/engine/outgoing_orders.py), so calls made before the hold have ended.
QUIET_PERIOD = timedelta(minutes=2)
# Delay before a resolution checks again a payment that is in review.
REVIEW_PAUSE = timedelta(minutes=10)


class ResolutionStatus(StrEnum):
    """Status of a resolution."""

    PENDING_APPROVAL = "PENDING_APPROVAL"  # waits for a second person; the worker expires it
    APPROVED = "APPROVED"  # the worker puts the payment on hold, then executes the decision
    COMPLETED = "COMPLETED"  # executed
    VOID = "VOID"  # the payment continued by itself before the execution
    REJECTED = "REJECTED"  # an approver rejected it
    EXPIRED = "EXPIRED"  # not approved in time


TRANSITIONS: Transitions[ResolutionStatus] = Transitions(
    start=frozenset({ResolutionStatus.PENDING_APPROVAL}),
    table={
        ResolutionStatus.PENDING_APPROVAL: frozenset(
            {ResolutionStatus.APPROVED, ResolutionStatus.REJECTED, ResolutionStatus.EXPIRED}
        ),
        ResolutionStatus.APPROVED: frozenset({ResolutionStatus.COMPLETED, ResolutionStatus.VOID}),
        ResolutionStatus.COMPLETED: frozenset(),
        ResolutionStatus.VOID: frozenset(),
        ResolutionStatus.REJECTED: frozenset(),
        ResolutionStatus.EXPIRED: frozenset(),
    },
)

WAITS = WaitStates(
    TRANSITIONS,
    {
        ResolutionStatus.PENDING_APPROVAL: WaitState(WaitParty.ADMIN),
        ResolutionStatus.APPROVED: WaitState(WaitParty.WORKER, timedelta(hours=1)),
    },
)


class ResolutionDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Details of a resolution; changes and postponements add the last three as facts."""

    transfer_id: UUID
    transfer_kind: str
    # Subject of the decision: `order` of `ResolutionChoices`.
    order: str
    instruction: ResolutionInstruction
    # Facts of the refund's new destination; empty if it stays the same.
    destination: dict[str, Any]
    requested_by: str
    failed_reason: str | None = None
    # Time since which the payment is on hold, and the version that it had then.
    quiet_since: datetime | None = None
    quiet_version: int | None = None


class PaymentResolution(msgspec.Struct, frozen=True, kw_only=True):
    """Resolution, decoded once from its record."""

    record: Transfer
    details: ResolutionDetails
    status: ResolutionStatus


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence of a reviewer; None once the user was erased."""

    transfer_id: UUID
    text: str | None


def as_resolution(record: Transfer) -> PaymentResolution:
    """Decode a resolution record."""
    return PaymentResolution(
        record=record,
        details=record.decode(ResolutionDetails),
        status=ResolutionStatus(record.status),
    )


def is_quiet(resolution: PaymentResolution, target: Transfer, at: datetime) -> bool:
    """Return whether the payment is on hold for so long that no call for its order is running."""
    details = resolution.details
    if target.due_at is None:
        return True
    return (
        details.quiet_since is not None
        and details.quiet_version == target.version
        and at - details.quiet_since >= QUIET_PERIOD
        and target.due_at > at
    )


def approved(resolution: PaymentResolution, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance of an approved resolution: the worker continues at once."""
    return _move(
        resolution, ResolutionStatus.APPROVED, change_type="approve", actor=actor, at=at, due_at=at
    )


def rejected(resolution: PaymentResolution, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance of a rejected resolution; the payment is left unchanged."""
    return _ended(
        resolution,
        ResolutionStatus.REJECTED,
        WHY_REJECTED,
        change_type="reject",
        actor=actor,
        at=at,
    )


def expired(resolution: PaymentResolution, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance of a resolution that was not approved in time."""
    return _ended(
        resolution,
        ResolutionStatus.EXPIRED,
        WHY_EXPIRED,
        change_type="expire",
        actor=actor,
        at=at,
        timing=DueCheck.OVERDUE,
    )


def voided(resolution: PaymentResolution, reason: str, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance of a decision that does not apply any more."""
    return _ended(resolution, ResolutionStatus.VOID, reason, change_type="void", actor=actor, at=at)


def completed(resolution: PaymentResolution, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance of a decision that is executed in the same transaction."""
    return _move(resolution, ResolutionStatus.COMPLETED, change_type="complete", actor=actor, at=at)


def quiet_facts(target: Transfer, at: datetime) -> dict[str, Any]:
    """Return the facts of a postponement: since when the payment is on hold."""
    return {"quiet_since": at.isoformat(), "quiet_version": target.version}


def request_of(
    transfer_id: UUID, instruction: ResolutionInstruction, digest: str
) -> dict[str, Any]:
    """Return the request values that replays are compared with; `digest` replaces the evidence."""
    return {
        "transferId": str(transfer_id),
        "action": instruction.action.value,
        "transactionHash": instruction.transaction_hash,
        "address": instruction.address,
        "accountId": None if instruction.account_id is None else str(instruction.account_id),
        "evidence": digest,
    }


def evidence_required(action: ResolutionAction) -> str:
    """Return what the evidence of an action has to show, for replies and pages."""
    return _EVIDENCE[action]


_EVIDENCE = {
    ResolutionAction.CONFIRM: "that the provider executed the order",
    ResolutionAction.FAIL: "that the provider did not execute the order, and never will",
    ResolutionAction.REDIRECT: (
        "that nothing of the refund arrived, and who requested the destination"
    ),
    ResolutionAction.SETTLE_OUTSIDE: "that the owner has received the refund by other means",
    ResolutionAction.PAYOUT_RETURNED: "that the payout came back to our bank account",
    ResolutionAction.DEPOSIT_REVERSED: "that the bank reversed the deposit",
    ResolutionAction.RELEASE: "why the hit of the screening does not apply",
    ResolutionAction.REJECT: "why the hit of the screening applies, and who was informed",
    ResolutionAction.RECOVER: "that the money was paid back to our bank account",
    ResolutionAction.WRITE_OFF: "why the money will not be paid back",
}


def _ended(
    resolution: PaymentResolution,
    status: ResolutionStatus,
    reason: str,
    *,
    change_type: str,
    actor: str,
    at: datetime,
    timing: DueCheck = DueCheck.ANY,
) -> AdvanceTransfer:
    return _move(
        resolution,
        status,
        change_type=change_type,
        actor=actor,
        at=at,
        timing=timing,
        facts={"failed_reason": reason},
    )


def _move(
    resolution: PaymentResolution,
    status: ResolutionStatus,
    *,
    change_type: str,
    actor: str,
    at: datetime,
    due_at: datetime | None = None,
    timing: DueCheck = DueCheck.ANY,
    facts: Mapping[str, Any] | None = None,
) -> AdvanceTransfer:
    return AdvanceTransfer(
        resolution.record,
        path=(status,),
        change_type=change_type,
        actor=actor,
        at=at,
        timing=timing,
        due_at=due_at,
        facts=facts or {},
    )
