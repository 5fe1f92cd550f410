"""Incoming payments: statuses and stored fields."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.platform.core.errors import Refused, ResourceConflict
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions

# Kind of incoming payments in the change log.
KIND = "INCOMING_PAYMENT"

# Retention of the sender and message of a returned payment.
TEXT_RETENTION = timedelta(days=90)

# Time limit of the matching: it takes seconds, unless the price is missing.
MATCHED_WITHIN = timedelta(hours=1)

# Length limit of a reviewer's comment.
COMMENT_LENGTH_MAX = 2000


class IncomingPaymentStatus(StrEnum):
    """Status of an incoming payment: what it waits for, and who acts next."""

    SCREENING = "SCREENING"
    """Waits for the screening provider, or for two reviewers after a hit."""
    NEW = "NEW"
    """Waits for the worker, which matches it with the transfer or account that it pays."""
    MATCHED = "MATCHED"
    """Final: it is matched with a transfer or a virtual account, which continues from here."""
    UNMATCHED = "UNMATCHED"
    """Waits for a reviewer to match or return it; only where unmatched deposits are held."""
    RETURNING = "RETURNING"
    """Waits for the bank, which returns it. The worker polls until the sender has it."""
    RETURNED = "RETURNED"
    """Final: the sender has it back. A reviewer reopens it if the bank returns that payment."""


TRANSITIONS = Transitions(
    start=frozenset({IncomingPaymentStatus.SCREENING, IncomingPaymentStatus.NEW}),
    table={
        IncomingPaymentStatus.SCREENING: frozenset(
            {IncomingPaymentStatus.NEW, IncomingPaymentStatus.RETURNING}
        ),
        IncomingPaymentStatus.NEW: frozenset(
            {
                IncomingPaymentStatus.MATCHED,
                IncomingPaymentStatus.UNMATCHED,
                IncomingPaymentStatus.RETURNING,
            }
        ),
        IncomingPaymentStatus.MATCHED: frozenset[IncomingPaymentStatus](),
        IncomingPaymentStatus.UNMATCHED: frozenset(
            {
                IncomingPaymentStatus.MATCHED,
                IncomingPaymentStatus.RETURNING,
                IncomingPaymentStatus.RETURNED,
            }
        ),
        IncomingPaymentStatus.RETURNING: frozenset({IncomingPaymentStatus.RETURNED}),
        IncomingPaymentStatus.RETURNED: frozenset[IncomingPaymentStatus](),
    },
    reopens={IncomingPaymentStatus.RETURNED: frozenset({IncomingPaymentStatus.RETURNING})},
)


class IncomingPaymentSender(msgspec.Struct, frozen=True, kw_only=True):
    """Sender as reported by the bank; the routing number may be a BIC or a sort code."""

    name: str | None = None
    bank_name: str | None = None
    routing_number: str | None = None
    account_number: str | None = None


class IncomingPaymentTexts(msgspec.Struct, frozen=True, kw_only=True):
    """Personal fields of an incoming payment; `comment` was written by the deciding person."""

    reference: str | None = None
    description: str | None = None
    sender: IncomingPaymentSender | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCredit:
    """Credit as reported by the bank.

    `bank_reference` is the bank's own id of the credit, `reference` the sender's message;
    `account_number` is the number of our account. `at` is the time of the report, `arrived_at` a
    time by which the bank had the money (None: the same), and `clears_at` the time from which it
    can be used (None: at once). All times are on the organisation's clock.
    """

    org_id: UUID
    bank_reference: str
    account_number: str
    reference: str | None
    money: Money
    rail: str
    sender: IncomingPaymentSender | None
    description: str | None
    at: datetime
    clears_at: datetime | None = None
    arrived_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingPaymentFields:
    """Credit and its status, without personal fields.

    It arrived at the bank by `arrived_at`, and was reported at `received_at`, which may be later.
    `return_attempts` is how often the bank has refused the return for good. `decided_by` is the
    person who decided; None if no decision was needed.
    """

    org_id: UUID
    id: UUID
    bank_reference: str
    account_number: str
    money: Money
    rail: str
    status: IncomingPaymentStatus
    transfer_id: UUID | None
    user_id: UUID | None
    version: int
    received_at: datetime
    arrived_at: datetime
    clears_at: datetime
    updated_at: datetime
    due_at: datetime | None
    return_attempts: int
    decided_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingPayment(IncomingPaymentFields):
    """Credit with its personal fields.

    These are None once its user was erased; if it was returned, after `TEXT_RETENTION`.
    """

    reference: str | None
    sender: IncomingPaymentSender | None
    description: str | None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class OverduePayment:
    """Deposit that exceeds the SLA of its status; `units` are in smallest units of `asset`."""

    org_id: UUID
    id: UUID
    status: IncomingPaymentStatus
    since: datetime
    asset: str
    units: int


def return_refusal(payment: IncomingPayment, now: datetime) -> Refused | None:
    """Return why a person can't return a deposit; None if they can.

    A new deposit that the worker could not match within an hour, because there was no price, can be
    returned too.
    """
    if payment.status is IncomingPaymentStatus.NEW and now - payment.received_at > MATCHED_WITHIN:
        return None
    return decision_refusal(payment)


def settlement_refusal(payment: IncomingPayment) -> Refused | None:
    """Return why a deposit can't be settled outside; None if it can."""
    if payment.status is IncomingPaymentStatus.RETURNING:
        return None
    return ResourceConflict(f"this deposit is {payment.status}: it is not being returned")


def decision_refusal(payment: IncomingPayment) -> Refused | None:
    """Return why a person's decision is refused; None while the deposit awaits one."""
    refusal: Refused | None = None
    match payment.status:
        case IncomingPaymentStatus.UNMATCHED:
            pass
        case IncomingPaymentStatus.SCREENING:
            refusal = ResourceConflict("this deposit waits for its screening: decide on that")
        case IncomingPaymentStatus.NEW:
            refusal = ResourceConflict("this deposit is not processed yet; try again in a moment")
        case IncomingPaymentStatus.MATCHED:
            refusal = ResourceConflict("this deposit is matched already")
        case IncomingPaymentStatus.RETURNING | IncomingPaymentStatus.RETURNED:
            refusal = ResourceConflict("this deposit is being returned to its sender")
    return refusal
