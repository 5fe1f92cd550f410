"""What a bank tells us in its files, line by line, and what becomes of each line."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.core.money import Money
from landbridge.core.states import Moves

# How the change log calls lines.
KIND = "BANK.LINE"

# Who is named in a line that was resolved is kept for questions for so long.
WORDS_KEPT = timedelta(days=90)

# What a person who resolves may write.
COMMENT_LENGTH_MAX = 2000


class Told(StrEnum):
    """The kind of file that a bank gave us."""

    CAMT_053 = "camt.053"
    """A statement."""
    PAIN_002 = "pain.002"
    """What became of a file of ours, and of its payments."""
    NACHA = "nacha"
    """Returns and notifications of change from the ACH network."""
    REFUSED = "refused"
    """One that can't be read: nothing of it counts."""


class LineKind(StrEnum):
    """What a line tells of."""

    CREDIT = "CREDIT"
    """Money that came: a deposit, or a payment of ours that came back."""
    DEBIT = "DEBIT"
    """Money that went: a payment of ours, or the bank's own."""
    STATUS = "STATUS"
    """What the bank says of a payment, or of a whole file."""
    RETURN = "RETURN"
    """An ACH payment or prenote that came back."""
    CHANGE = "CHANGE"
    """A notification of change, or another entry of an ACH file: a person reads it."""
    STATEMENT = "STATEMENT"
    """A statement that does not follow on those before it, or is not of an account of ours."""
    FILE = "FILE"
    """A file that can't be read."""


class LineStatus(StrEnum):
    """What a line waits for, and who moves it on."""

    NEW = "NEW"
    """The worker, which asks what it is of."""
    MATCHED = "MATCHED"
    """Nothing: it is of a payment, or makes a receipt."""
    UNMATCHED = "UNMATCHED"
    """A person: it fits nothing, or nothing may follow from it by itself."""
    RESOLVED = "RESOLVED"
    """Nothing: a person has said what it was."""


LINE_MOVES = Moves(
    start=frozenset({LineStatus.NEW, LineStatus.UNMATCHED}),
    table={
        LineStatus.NEW: frozenset({LineStatus.MATCHED, LineStatus.UNMATCHED}),
        LineStatus.MATCHED: frozenset[LineStatus](),
        LineStatus.UNMATCHED: frozenset({LineStatus.RESOLVED}),
        LineStatus.RESOLVED: frozenset[LineStatus](),
    },
)


class Resolution(StrEnum):
    """What a person makes of a line."""

    NO_ACTION = "NO_ACTION"
    """There is nothing to do: a fee or interest, or news for the files."""
    HANDLED = "HANDLED"
    """It was set right elsewhere: with the bank, the user, or by a correction of the books."""
    DUPLICATE = "DUPLICATE"
    """It was told before."""
    SETTLE = "SETTLE"
    """The payment that it names was paid: that is settled."""
    FAIL = "FAIL"
    """The payment that it names was not paid, or came back: that has failed."""
    RETURN = "RETURN"
    """The payment that it names came back after it was settled: its record is reopened."""
    REVERSAL = "REVERSAL"
    """The bank took a deposit back: what it paid is reversed, or owed by its user."""
    DEPOSIT = "DEPOSIT"
    """Money that came from outside: it becomes a receipt."""


class LineWords(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of a line is sealed: all that the bank wrote.

    `codes` are reasons or statuses as the bank spells them; `note` is ours, with figures.
    """

    statement_id: str | None = None
    bank_reference: str | None = None
    end_to_end_id: str | None = None
    instruction_id: str | None = None
    message_id: str | None = None
    trace_number: str | None = None
    # Ours, which may be a virtual one.
    account_number: str | None = None
    party_name: str | None = None
    party_account: str | None = None
    party_bank: str | None = None
    remittance: str | None = None
    rail: str | None = None
    codes: tuple[str, ...] = ()
    corrected: str | None = None
    file_name: str | None = None
    note: str | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A line as a file tells of it.

    `source` is what it stands in. `has_reference` is whether the bank gave it a name of its own, by
    which it is known again in another statement. `is_back` is of what came back: a return, a
    rejection or a reversal. With a `reason` it waits for a person from the start.
    """

    kind: LineKind
    fingerprint: bytes
    source: bytes
    words: LineWords
    money: Money | None = None
    booked_on: date | None = None
    has_reference: bool = True
    is_back: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line and what has become of it; `words` is None once they are not needed any more.

    `transfer_id` is the record that its resolution reopened or reversed.
    """

    org_id: UUID
    id: UUID
    account_id: UUID
    file_id: UUID
    kind: LineKind
    currency: str
    money: Money | None
    booked_on: date | None
    is_back: bool
    status: LineStatus
    reason: str | None
    payment_key: UUID | None
    receipt_id: UUID | None
    transfer_id: UUID | None
    words: LineWords | None
    resolution: Resolution | None
    resolved_by: str | None
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementHead:
    """A statement without its lines; balances in smallest units, None where they are not told."""

    statement_id: str
    number: int | None
    opening_units: int | None
    closing_units: int | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A file of the bank's that was taken, and what it says in figures.

    `left_out_count` are entries that are not booked, or of nothing; `known_count` lines were known
    from another file. Sums are of what was booked, in smallest units of the account's currency.
    """

    org_id: UUID
    id: UUID
    account_id: UUID
    name: str
    digest: bytes
    format: Told
    line_count: int
    known_count: int
    left_out_count: int
    credit_units: int
    debit_units: int
    began_at: datetime
    taken_at: datetime | None
