"""Resolutions: states, details, moves, and why a payment can't be resolved.

A resolution is a record of its own beside the payment that it is about. It posts nothing itself:
the payment's own move does, in the transaction that completes the resolution.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.approvals.model import WHY_EXPIRED, WHY_REJECTED
from landbridge.core.states import Moves
from landbridge.ledger.model import Move, Timing, Transfer
from landbridge.payments.resolving import Action, Instruction
from landbridge.payments.waits import Party, Wait, Waits

KIND = "RESOLUTION"

EVIDENCE_LENGTH_MAX = 2_000

# No call to a provider lasts longer than half of this (payments/sending.py), so none that began
# before the payment was set aside is still under way when the decision is carried out.
QUIET_PERIOD = timedelta(minutes=2)
# How soon a resolution looks again at a payment that is in review.
REVIEW_PAUSE = timedelta(minutes=10)


class Status(StrEnum):
    """Where a resolution stands."""

    PENDING_APPROVAL = "PENDING_APPROVAL"  # waits for a second person; the worker ends it when due
    APPROVED = "APPROVED"  # the worker sets the payment aside, then carries the decision out
    COMPLETED = "COMPLETED"  # carried out
    VOID = "VOID"  # the payment moved on by itself before it was carried out
    REJECTED = "REJECTED"  # an approver refused it
    EXPIRED = "EXPIRED"  # nobody approved it in time


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.PENDING_APPROVAL}),
    table={
        Status.PENDING_APPROVAL: frozenset({Status.APPROVED, Status.REJECTED, Status.EXPIRED}),
        Status.APPROVED: frozenset({Status.COMPLETED, Status.VOID}),
        Status.COMPLETED: frozenset(),
        Status.VOID: frozenset(),
        Status.REJECTED: frozenset(),
        Status.EXPIRED: frozenset(),
    },
)

WAITS = Waits(
    MOVES,
    {
        Status.PENDING_APPROVAL: Wait(Party.ADMIN),
        Status.APPROVED: Wait(Party.WORKER, timedelta(hours=1)),
    },
)


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """The details of a resolution; the last three are facts that changes and delays add."""

    transfer_id: UUID
    transfer_kind: str
    # What the decision is about: see `payments.resolving.Choices`.
    order: str
    instruction: Instruction
    # The facts of a refund's new destination.
    destination: dict[str, Any]
    requested_by: str
    failed_reason: str | None = None
    # Since when the payment is set aside, and at which version.
    quiet_since: datetime | None = None
    quiet_version: int | None = None


class PaymentResolution(msgspec.Struct, frozen=True, kw_only=True):
    """A resolution, decoded once."""

    record: Transfer
    details: Details
    status: Status


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a reviewer found out; None once the user was erased."""

    transfer_id: UUID
    text: str | None


def as_resolution(record: Transfer) -> PaymentResolution:
    """Decode a record of this kind."""
    told: dict[str, Any] = {**record.details, **record.facts}
    return PaymentResolution(
        record=record,
        details=msgspec.convert(told, Details, strict=False),
        status=Status(record.status),
    )


def is_quiet(resolution: PaymentResolution, target: Transfer, at: datetime) -> bool:
    """Whether the payment is set aside for long enough: no order of it can be under way now."""
    details = resolution.details
    if target.due_at is None:
        return True
    return (
        details.quiet_since is not None
        and details.quiet_version == target.version
        and at - details.quiet_since >= QUIET_PERIOD
        and target.due_at > at
    )


def approved(resolution: PaymentResolution, actor: str, at: datetime) -> Move:
    """A second person agrees: the worker goes on at once."""
    return _move(resolution, Status.APPROVED, what="approve", actor=actor, at=at, due_at=at)


def rejected(resolution: PaymentResolution, actor: str, at: datetime) -> Move:
    """An approver refuses; the payment is left as it is."""
    return _ended(resolution, Status.REJECTED, WHY_REJECTED, what="reject", actor=actor, at=at)


def expired(resolution: PaymentResolution, actor: str, at: datetime) -> Move:
    """Nobody decided in time."""
    return _ended(
        resolution,
        Status.EXPIRED,
        WHY_EXPIRED,
        what="expire",
        actor=actor,
        at=at,
        timing=Timing.OVERDUE,
    )


def voided(resolution: PaymentResolution, reason: str, actor: str, at: datetime) -> Move:
    """The decision does not apply any more."""
    return _ended(resolution, Status.VOID, reason, what="void", actor=actor, at=at)


def completed(resolution: PaymentResolution, actor: str, at: datetime) -> Move:
    """The decision is carried out in the same transaction."""
    return _move(resolution, Status.COMPLETED, what="complete", actor=actor, at=at)


def quiet_facts(target: Transfer, at: datetime) -> dict[str, Any]:
    """Return what a delay keeps: since when the payment is set aside."""
    return {"quiet_since": at.isoformat(), "quiet_version": target.version}


def request_of(transfer_id: UUID, instruction: Instruction, digest: str) -> dict[str, Any]:
    """Return the request as a replay is compared with; of the evidence a keyed digest."""
    return {
        "transferId": str(transfer_id),
        "action": instruction.action.value,
        "transactionHash": instruction.transaction_hash,
        "address": instruction.address,
        "accountId": None if instruction.account_id is None else str(instruction.account_id),
        "evidence": digest,
    }


def needs_evidence_of(action: Action) -> str:
    """Return what the evidence of an action has to show, for replies and pages."""
    return _EVIDENCE[action]


_EVIDENCE = {
    Action.CONFIRM: "that the provider carried the order out",
    Action.FAIL: "that the provider did not carry the order out, and never will",
    Action.REDIRECT: "that nothing of the refund arrived, and who asked for the destination",
    Action.SETTLE_OUTSIDE: "that the owner has received the refund by other means",
    Action.PAYOUT_RETURNED: "that the payout came back to our bank account",
    Action.DEPOSIT_REVERSED: "that the bank took the deposit back",
    Action.RECOVER: "that the money was paid back to our bank account",
    Action.WRITE_OFF: "why the money will not be paid back",
}


def _ended(
    resolution: PaymentResolution,
    status: Status,
    reason: str,
    *,
    what: str,
    actor: str,
    at: datetime,
    timing: Timing = Timing.ANY,
) -> Move:
    return _move(
        resolution,
        status,
        what=what,
        actor=actor,
        at=at,
        timing=timing,
        facts={"failed_reason": reason},
    )


def _move(
    resolution: PaymentResolution,
    status: Status,
    *,
    what: str,
    actor: str,
    at: datetime,
    due_at: datetime | None = None,
    timing: Timing = Timing.ANY,
    facts: Mapping[str, Any] | None = None,
) -> Move:
    return Move(
        resolution.record,
        path=(status,),
        what=what,
        actor=actor,
        at=at,
        timing=timing,
        due_at=due_at,
        facts=facts or {},
    )
