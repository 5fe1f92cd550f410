"""Receipts: fiat that arrived, and what becomes of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.core.errors import Refused, ResourceConflict
from landbridge.core.money import Money
from landbridge.core.states import Moves

# How the change log calls receipts.
KIND = "RECEIPT"

# Who sent what went back, and what they wrote, is kept for questions for so long.
WORDS_KEPT = timedelta(days=90)

# A deposit is matched within seconds; only a price that is not known makes it wait.
MATCHED_WITHIN = timedelta(hours=1)

# What a person who decides may write.
COMMENT_LENGTH_MAX = 2000


class Status(StrEnum):
    """What a receipt waits for, and who moves it on."""

    NEW = "NEW"
    """The worker asks whose it is: a record that waits for it, or nobody's."""
    MATCHED = "MATCHED"
    """Nothing: it pays a record, or belongs to an account; what becomes of it is told there."""
    UNMATCHED = "UNMATCHED"
    """A person, who says whose it is or sends it back; only where what is nobody's is held."""
    RETURNING = "RETURNING"
    """The bank: it is nobody's and goes back to its sender. The worker asks until it is there."""
    RETURNED = "RETURNED"
    """Nothing: the sender has it again. A reviewer reopens it if the bank gives that back."""


MOVES = Moves(
    start=frozenset({Status.NEW}),
    table={
        Status.NEW: frozenset({Status.MATCHED, Status.UNMATCHED, Status.RETURNING}),
        Status.MATCHED: frozenset[Status](),
        Status.UNMATCHED: frozenset({Status.MATCHED, Status.RETURNING, Status.RETURNED}),
        Status.RETURNING: frozenset({Status.RETURNED}),
        Status.RETURNED: frozenset[Status](),
    },
    reopens={Status.RETURNED: frozenset({Status.RETURNING})},
)


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """Who sent it, as far as the bank says; the routing number may be a BIC or a sort code."""

    name: str | None = None
    bank_name: str | None = None
    routing_number: str | None = None
    account_number: str | None = None


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """What of a receipt is personal; `comment` is that of the person who decided on it."""

    reference: str | None = None
    description: str | None = None
    sender: Sender | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A credit as the bank tells of it.

    `bank_reference` is the bank's own name for the credit, `reference` what the sender wrote;
    `account_number` is ours. `at` is when we are told, `arrived_at` by when the bank had it (None:
    the same) and `clears_at` when it can be used (None: at once), all in the organisation's time.
    """

    org_id: UUID
    bank_reference: str
    account_number: str
    reference: str | None
    money: Money
    rail: str
    sender: Sender | None
    description: str | None
    at: datetime
    clears_at: datetime | None = None
    arrived_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A credit and what has become of it.

    It arrived at the bank by `arrived_at`, and we were told at `received_at`, which may be later.
    What was personal is None once its user was erased; of what was nobody's, `WORDS_KEPT` after it
    went back. `return_tries` is how often its bank has refused for good to give it back.
    `decided_by` is who said what becomes of it, None where nobody had to.
    """

    org_id: UUID
    id: UUID
    bank_reference: str
    account_number: str
    reference: str | None
    money: Money
    rail: str
    sender: Sender | None
    description: str | None
    status: Status
    transfer_id: UUID | None
    user_id: UUID | None
    version: int
    received_at: datetime
    arrived_at: datetime
    clears_at: datetime
    updated_at: datetime
    due_at: datetime | None
    return_tries: int
    decided_by: str | None = None
    comment: str | None = None


def why_not_return(receipt: Receipt, now: datetime) -> Refused | None:
    """Return why a person can't send a deposit back; None if they can.

    One that the worker could not match for an hour, for want of a price, waits for them as well.
    """
    if receipt.status is Status.NEW and now - receipt.received_at > MATCHED_WITHIN:
        return None
    return why_not_decide(receipt)


def why_not_settle(receipt: Receipt) -> Refused | None:
    """Return why a deposit's return can't be settled outside; None if it can."""
    if receipt.status is Status.RETURNING:
        return None
    return ResourceConflict(f"this deposit is {receipt.status}: it is not on its way back")


def why_not_decide(receipt: Receipt) -> Refused | None:
    """The refusal of a person's decision; None while the deposit waits for one."""
    refusal: Refused | None = None
    match receipt.status:
        case Status.UNMATCHED:
            pass
        case Status.NEW:
            refusal = ResourceConflict("nobody has looked at this deposit yet; wait a moment")
        case Status.MATCHED:
            refusal = ResourceConflict("this deposit is matched already")
        case Status.RETURNING | Status.RETURNED:
            refusal = ResourceConflict("this deposit goes back to its sender")
    return refusal
