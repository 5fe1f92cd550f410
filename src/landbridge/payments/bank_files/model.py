"""Bank payments, and the outbound files that carry them to a bank."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions

# Kind of bank payments in the change log.
KIND = "BANK.PAYMENT"
FILE_KIND = "BANK.FILE"
ACCOUNT_KIND = "BANK.ACCOUNT"


class BankFileFormat(StrEnum):
    """Format of a file for the bank."""

    PAIN_001 = "pain.001"
    """ISO 20022: SEPA, SWIFT and wires."""
    NACHA = "nacha"
    """The Automated Clearing House of the United States."""


class BankPaymentStatus(StrEnum):
    """Status of a bank payment: what it waits for, and what ends the wait."""

    QUEUED = "QUEUED"
    """Waits for its cut-off, when the worker writes it to a file."""
    WRITTEN = "WRITTEN"
    """Waits for the report of the bank and, for ACH, for the end of the return window."""
    SETTLED = "SETTLED"
    """Final: the payee has it. A reviewer reopens it if the bank returns it after that."""
    FAILED = "FAILED"
    """Final: the bank rejected or returned it, or it was never sent to the bank."""


TRANSITIONS = Transitions(
    start=frozenset({BankPaymentStatus.QUEUED}),
    table={
        BankPaymentStatus.QUEUED: frozenset({BankPaymentStatus.WRITTEN, BankPaymentStatus.FAILED}),
        BankPaymentStatus.WRITTEN: frozenset({BankPaymentStatus.SETTLED, BankPaymentStatus.FAILED}),
        BankPaymentStatus.SETTLED: frozenset[BankPaymentStatus](),
        BankPaymentStatus.FAILED: frozenset[BankPaymentStatus](),
    },
    reopens={BankPaymentStatus.SETTLED: frozenset({BankPaymentStatus.FAILED})},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BankPayment:
    """Payment of the port, or a prenote: a zero-amount entry that tests an account.

    `due_at` is when it is put into a file. `closes_at` is the end of the return window of an ACH
    payment at the bank, None for all others. `sealed_order` is the encrypted payee and texts. It is
    deleted once the payment is final, or in a file, which contains them encrypted. All times are on
    the organisation's clock.
    """

    org_id: UUID
    key: UUID
    account_id: UUID
    record_id: UUID
    returns: UUID | None
    money: Money
    rail: str
    format: BankFileFormat
    is_same_day: bool
    is_prenote: bool
    payee_digest: bytes
    trace_number: str | None
    status: BankPaymentStatus
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
        """Payment reference on statements: EndToEndId and InstrId."""
        return self.key.hex


@dataclass(frozen=True, slots=True, kw_only=True)
class BankFile:
    """File for the bank. It is claimed (numbered, with its payments), written and delivered.

    `number` counts the files of the account, without gaps. `digest` is the SHA-256 of its content,
    None until it is written; `units` is the sum of its payments.
    """

    org_id: UUID
    id: UUID
    account_id: UUID
    number: int
    name: str
    format: BankFileFormat
    rail: str
    is_same_day: bool
    execution_date: date
    count: int
    units: int
    digest: bytes | None
    size: int | None
    created_at: datetime
    delivered_at: datetime | None

    @property
    def message_id(self) -> str:
        """MsgId of a pain.001, which the bank's responses name."""
        return self.id.hex
