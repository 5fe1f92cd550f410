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
    """The bank's report on one of our files and its payments."""
    NACHA = "nacha"
    """Returns and notifications of change from the ACH network."""
    REFUSED = "refused"
    """A file that can't be read; none of its content is used."""


class StatementLineKind(StrEnum):
    """Kind of a line."""

    CREDIT = "CREDIT"
    """Incoming money: a deposit, or a returned payment of ours."""
    DEBIT = "DEBIT"
    """Outgoing money: a payment of ours, or a charge of the bank."""
    STATUS = "STATUS"
    """The bank's report on a payment or on a whole file."""
    RETURN = "RETURN"
    """A returned ACH payment or prenote."""
    CHANGE = "CHANGE"
    """A notification of change, or another ACH entry that a reviewer has to read."""
    STATEMENT = "STATEMENT"
    """A statement that does not continue the previous one, or is of an unknown account."""
    FILE = "FILE"
    """A file that can't be read."""


class StatementLineStatus(StrEnum):
    """Status of a line, and what it waits for."""

    NEW = "NEW"
    """Waits for the worker, which matches it with a payment or deposit."""
    MATCHED = "MATCHED"
    """Final: it is matched with a payment, or became an incoming payment."""
    UNMATCHED = "UNMATCHED"
    """Waits for a reviewer: no payment fits, or none may be changed automatically."""
    RESOLVED = "RESOLVED"
    """Final: a reviewer has resolved it."""


class LineResolutionKind(StrEnum):
    """How a reviewer resolves a line."""

    NO_ACTION = "NO_ACTION"
    """Nothing has to be done: a fee, interest, or information about an account."""
    HANDLED = "HANDLED"
    """It was handled elsewhere: with the bank or the user, or by a correction."""
    DUPLICATE = "DUPLICATE"
    """Another line reports the same movement."""
    SETTLE = "SETTLE"
    """The bank has paid the payment that it names, which is settled."""
    FAIL = "FAIL"
    """The bank has not paid the payment that it names, or returned it; the payment fails."""
    RETURN = "RETURN"
    """The bank returned the payment that it names after settlement; its record is reopened."""
    REVERSAL = "REVERSAL"
    """The bank reversed a deposit; its coins are taken back, or the user owes them."""
    DEPOSIT = "DEPOSIT"
    """External money: it becomes an incoming payment."""


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
