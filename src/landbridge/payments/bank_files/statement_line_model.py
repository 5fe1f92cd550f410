"""Lines of a bank's files with their statuses, and the files and statements that contain them."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.platform.core.money import Money

# Kind of statement lines in the change log.
KIND = "BANK.LINE"

# Retention of personal data in a resolved line, for inquiries.
TEXT_RETENTION = timedelta(days=90)

# Length limit of a reviewer's comment.
COMMENT_LENGTH_MAX = 2000


class InboundFileKind(StrEnum):
    """Kind of an inbound bank file."""

    CAMT_053 = "camt.053"
    """A statement."""
    PAIN_002 = "pain.002"
    """What became of a file of ours, and of its payments."""
    NACHA = "nacha"
    """Returns and notifications of change from the ACH network."""
    REFUSED = "refused"
    """One that can't be read: nothing of it counts."""


class StatementLineKind(StrEnum):
    """Subject of a line."""

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


class StatementLineStatus(StrEnum):
    """What a line waits for, and what moves it on."""

    NEW = "NEW"
    """The worker, which asks what it is of."""
    MATCHED = "MATCHED"
    """Nothing: it is of a payment, or makes a receipt."""
    UNMATCHED = "UNMATCHED"
    """A person: it fits nothing, or nothing may follow from it by itself."""
    RESOLVED = "RESOLVED"
    """Nothing: a person has said what it was."""


class LineResolutionKind(StrEnum):
    """How a reviewer resolves a line."""

    NO_ACTION = "NO_ACTION"
    """There is nothing to do: a fee or interest, or news for the files."""
    HANDLED = "HANDLED"
    """It was set right elsewhere: with the bank, the user, or by a correction of the books."""
    DUPLICATE = "DUPLICATE"
    """Another line reports the same."""
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


class StatementLineTexts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Encrypted part of a line: all that the bank wrote.

    `codes` are reasons or statuses as the bank spells them; `note` is ours, with figures.
    """

    statement_id: str | None = None
    bank_reference: str | None = None
    end_to_end_id: str | None = None
    instruction_id: str | None = None
    message_id: str | None = None
    trace_number: str | None = None
    # Number of the account that was credited or debited; it may be a virtual account's.
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
class StatementLineDraft:
    """Line as decoded from a file.

    `source` identifies the statement or file that contains it. `has_reference` means that it has a
    reference of the bank, by which it is recognized in another statement. `is_back` marks a return,
    rejection or reversal. With a `reason` it starts in manual review. `identity` has the texts of a
    credit's fingerprint, including its day.
    """

    kind: StatementLineKind
    fingerprint: bytes
    source: bytes
    texts: StatementLineTexts
    money: Money | None = None
    booked_on: date | None = None
    has_reference: bool = True
    is_back: bool = False
    reason: str | None = None
    identity: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementLineFields:
    """Line and its status, without the bank's texts.

    `transfer_id` is the record that its resolution reopened or reversed.
    """

    org_id: UUID
    id: UUID
    account_id: UUID
    file_id: UUID
    kind: StatementLineKind
    currency: str
    money: Money | None
    booked_on: date | None
    status: StatementLineStatus
    reason: str | None
    payment_key: UUID | None
    incoming_payment_id: UUID | None
    transfer_id: UUID | None
    resolution: LineResolutionKind | None
    resolved_by: str | None
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementLine(StatementLineFields):
    """Line with the bank's texts; `texts` is None after their retention."""

    is_back: bool
    texts: StatementLineTexts | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementHead:
    """Statement without its lines; balances in smallest units, None where they are missing.

    `closing_on` is the booking day of the closing balance.
    """

    statement_id: str
    number: int | None
    opening_units: int | None
    closing_units: int | None
    created_at: datetime
    closing_on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundFileFields:
    """Figures of an ingested bank file, without its name.

    `omitted_count` is the number of entries that are not booked or have a zero amount;
    `known_count` is the number of lines known from another file. Sums are of booked entries, in
    smallest units of the account's currency.
    """

    org_id: UUID
    id: UUID
    account_id: UUID
    digest: bytes
    format: InboundFileKind
    line_count: int
    known_count: int
    omitted_count: int
    credit_units: int
    debit_units: int
    started_at: datetime
    ingested_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundFile(InboundFileFields):
    """Ingested bank file with its name."""

    name: str
