"""Payments that wait for a file, and files that go to a bank."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from landbridge.core.money import Money
from landbridge.core.states import Moves

# How the change log calls payments of files, and what is told of them.
KIND = "BANK.PAYMENT"
FILE_KIND = "BANK.FILE"
ACCOUNT_KIND = "BANK.ACCOUNT"


class Format(StrEnum):
    """What a file that goes to the bank is written in."""

    PAIN_001 = "pain.001"
    """ISO 20022: SEPA, SWIFT and wires."""
    NACHA = "nacha"
    """The Automated Clearing House of the United States."""


class Status(StrEnum):
    """What a payment waits for, and who moves it on."""

    QUEUED = "QUEUED"
    """Its cut-off, when the worker puts it into a file."""
    WRITTEN = "WRITTEN"
    """The bank: what it says of the payment; for ACH also the end of the time for returns."""
    SETTLED = "SETTLED"
    """Nothing: the payee has it. A reviewer reopens it if the bank gives it back after that."""
    FAILED = "FAILED"
    """Nothing: the bank refused or returned it, for good; or it was withheld from the bank."""


MOVES = Moves(
    start=frozenset({Status.QUEUED}),
    table={
        Status.QUEUED: frozenset({Status.WRITTEN, Status.FAILED}),
        Status.WRITTEN: frozenset({Status.SETTLED, Status.FAILED}),
        Status.SETTLED: frozenset[Status](),
        Status.FAILED: frozenset[Status](),
    },
    reopens={Status.SETTLED: frozenset({Status.FAILED})},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BankPayment:
    """A payment of the port, or a prenote: an entry without money that tries an account.

    `due_at` is when it is put into a file, `closes_at` when the time for returns is over (ACH that
    is at the bank; None for all else). `sealed_order` is whom it pays and with which words: gone
    once it is in a file, which holds them sealed, or at an end. All times are the organisation's.
    """

    org_id: UUID
    key: UUID
    account_id: UUID
    record_id: UUID
    returns: UUID | None
    money: Money
    rail: str
    format: Format
    is_same_day: bool
    is_prenote: bool
    payee_digest: bytes
    trace_number: str | None
    status: Status
    reason: str | None
    file_id: UUID | None
    sealed_order: bytes | None
    version: int
    queued_at: datetime
    due_at: datetime
    closes_at: datetime | None
    updated_at: datetime

    @property
    def end_to_end_id(self) -> str:
        """The name by which statements tell of it: EndToEndId and InstrId."""
        return self.key.hex


@dataclass(frozen=True, slots=True, kw_only=True)
class BankFile:
    """A file for the bank. It is claimed (numbered, with its payments), written and delivered.

    `number` counts the files of the account, without gaps. `digest` is the SHA-256 of its content,
    None until it is written; `units` is the sum of its payments.
    """

    org_id: UUID
    id: UUID
    account_id: UUID
    number: int
    name: str
    format: Format
    rail: str
    is_same_day: bool
    runs_on: date
    count: int
    units: int
    digest: bytes | None
    size: int | None
    created_at: datetime
    delivered_at: datetime | None

    @property
    def message_id(self) -> str:
        """MsgId of a pain.001, which the bank's answers name."""
        return self.id.hex
