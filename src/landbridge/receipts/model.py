"""Receipts: fiat that arrived, and what becomes of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.core.money import Money
from landbridge.core.states import Moves

# How the change log calls receipts.
KIND = "RECEIPT"

# Who sent what went back, and what they wrote, is kept for questions for so long.
WORDS_KEPT = timedelta(days=90)


class Status(StrEnum):
    """What a receipt waits for, and who moves it on."""

    NEW = "NEW"
    """The worker asks whose it is: a record that waits for it, or nobody's."""
    MATCHED = "MATCHED"
    """Nothing: it pays a record, or belongs to an account; what becomes of it is told there."""
    RETURNING = "RETURNING"
    """The bank: it is nobody's and goes back to its sender. The worker asks until it is there."""
    RETURNED = "RETURNED"
    """Nothing: the sender has it again."""


MOVES = Moves(
    start=frozenset({Status.NEW}),
    table={
        Status.NEW: frozenset({Status.MATCHED, Status.RETURNING}),
        Status.MATCHED: frozenset[Status](),
        Status.RETURNING: frozenset({Status.RETURNED}),
        Status.RETURNED: frozenset[Status](),
    },
)


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """Who sent it, as far as the bank says; the routing number may be a BIC or a sort code."""

    name: str | None = None
    bank_name: str | None = None
    routing_number: str | None = None
    account_number: str | None = None


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """What of a receipt is personal."""

    reference: str | None = None
    description: str | None = None
    sender: Sender | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A credit as the bank tells of it.

    `bank_reference` is the bank's own name for the credit, `reference` what the sender wrote;
    `account_number` is ours. `at` is when it arrived, `clears_at` when it can be used (None: at
    once), both in the organisation's time.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A credit and what has become of it.

    What was personal is None once its user was erased; of what was nobody's, `WORDS_KEPT` after it
    went back. `return_tries` is how often its bank has refused for good to give it back.
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
    clears_at: datetime
    updated_at: datetime
    due_at: datetime | None
    return_tries: int
