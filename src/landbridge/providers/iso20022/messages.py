"""Contents of the messages, independent of XML.

Amounts are `Money` of the assets in providers/rails/currencies.py. Countries are ISO 3166-1 alpha-2
codes. Names, account numbers, addresses and remittance texts are personal data: none of it belongs
in a log or an error.
"""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from landbridge.platform.core.money import Money
from landbridge.providers.iso20022.reasons import DUPLICATES


class Service(StrEnum):
    """Rail of the payments; a whole file has the same one."""

    SEPA = "SEPA"
    SEPA_INSTANT = "SEPA_INSTANT"
    SWIFT = "SWIFT"
    WIRE = "WIRE"  # wire between banks in the United States


class Charges(StrEnum):
    """Party that pays the banks' charges. SEPA prescribes it, so it is left out there."""

    SHARED = "SHAR"
    DEBTOR = "DEBT"
    CREDITOR = "CRED"


@dataclass(frozen=True, slots=True, kw_only=True)
class IsoParty:
    """Debtor or creditor. An address needs a town and country; it has at most two lines."""

    name: str
    country: str | None = None
    town: str | None = None
    postcode: str | None = None
    address_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClearingMember:
    """Bank identified by its number in a national clearing, for example `USABA` and nine digits."""

    system: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Debtor:
    """Account to debit: an IBAN or another number, at a bank identified in one way."""

    party: IsoParty
    iban: str | None = None
    account_number: str | None = None
    bic: str | None = None
    clearing_member: ClearingMember | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditTransfer:
    """One payment of a file, to an IBAN or to another number at a bank.

    `end_to_end_id` is our own, and also the instruction id. `purpose` is a code of ISO's list, for
    example `SALA`, or a text of up to 35 characters; SEPA takes codes only.
    """

    end_to_end_id: str
    money: Money
    creditor: IsoParty
    iban: str | None = None
    account_number: str | None = None
    bic: str | None = None
    clearing_member: ClearingMember | None = None
    bank_name: str | None = None
    remittance: str | None = None
    purpose: str | None = None
    uetr: UUID | None = None
    charges: Charges | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Initiation:
    """File of payments from one account, in one currency, by one rail, on one day.

    `created_at` has whole seconds.
    """

    message_id: str
    created_at: datetime
    initiator_name: str
    initiator_id: str | None
    debtor: Debtor
    service: Service
    execution_date: date
    transfers: tuple[CreditTransfer, ...]


# Statuses that end a payment of ours: the bank will not carry it out.
_REJECTIONS = frozenset({"RJCT", "CANC"})


def _is_rejected(status: str | None, reason_codes: tuple[str, ...]) -> bool:
    """Return whether the bank rejects it.

    A rejected duplicate does not count: the first copy may be paid already.
    """
    return status in _REJECTIONS and not DUPLICATES.intersection(reason_codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionStatus:
    """The bank's status of one payment; `reason_codes` are ISO's or the bank's (reasons.py)."""

    end_to_end_id: str
    status: str
    reason_codes: tuple[str, ...] = ()

    @property
    def is_rejected(self) -> bool:
        """Return whether the bank will not pay. Every other status leaves the payment unchanged."""
        return _is_rejected(self.status, self.reason_codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReport:
    """The bank's status of a file, and of the payments that it names.

    `group_status` is None if the bank reports on single payments only.
    """

    message_id: str
    created_at: datetime
    original_message_id: str
    group_status: str | None
    reason_codes: tuple[str, ...] = ()
    transactions: tuple[TransactionStatus, ...] = ()

    @property
    def is_rejected(self) -> bool:
        """Return whether the bank will pay nothing of the file."""
        return _is_rejected(self.group_status, self.reason_codes)


class EntryStatus(StrEnum):
    """Status of an entry: only booked entries have moved money."""

    BOOKED = "BOOK"
    PENDING = "PDNG"
    INFORMATION = "INFO"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherParty:
    """Counterparty of a payment, as far as the bank states it."""

    name: str | None = None
    account: str | None = None
    bic: str | None = None
    clearing_member: ClearingMember | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """One payment of an entry.

    `bank_reference` is the bank's own and unique within the entry. `our_account` is the account of
    ours that the payer named, possibly a virtual one. `return_code` is present if a payment was
    returned; a reversal alone does not imply that. `code` is the bank's code for the kind, for
    example `PMNT/RCDT/ESCT`; the sub-family `CHRG` marks a charge on a payment.
    """

    money: Money
    is_credit: bool
    bank_reference: str | None = None
    end_to_end_id: str | None = None
    instruction_id: str | None = None
    message_id: str | None = None
    uetr: UUID | None = None
    other_party: OtherParty = OtherParty()
    our_account: str | None = None
    remittance: str | None = None
    return_code: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementEntry:
    """One line of a statement: a booked amount, and the payments in it.

    `is_credit` is the direction of the money, also for a reversal, by which the bank undoes another
    entry. The transactions always add up to `money`, which is never negative and may be zero.
    `booked_on` and `value_on` are the bank's dates.
    """

    is_credit: bool
    status: EntryStatus
    money: Money
    transactions: tuple[Transaction, ...]
    reference: str | None = None
    is_reversal: bool = False
    booked_on: date | None = None
    value_on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BankStatement:
    """Statement of one account.

    `account` is an IBAN or another number, `currency` is in lower case. `number` is the bank's
    sequence number. Balances are negative if the account is overdrawn, None if they are missing; if
    both are present, the booked entries lead from one to the other. `closing_on` is the booking day
    of the closing one. `page` is the page number of a statement with several pages: its balances
    are those of the whole statement, and are not checked here.
    """

    id: str
    account: str
    currency: str
    created_at: datetime
    entries: tuple[StatementEntry, ...]
    number: int | None = None
    opening: Money | None = None
    closing: Money | None = None
    closing_on: date | None = None
    page: int | None = None
