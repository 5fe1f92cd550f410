"""What the messages say, without their XML.

Amounts are `Money` of the assets in rails/currencies.py. Countries are ISO 3166-1 alpha-2 codes.
Names, account numbers, addresses and remittance texts are personal: none of it belongs in a log or
in an error.
"""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from landbridge.bank_files.iso20022.reasons import DUPLICATES
from landbridge.core.money import Money


class Service(StrEnum):
    """By which rail the bank is to pay; one for a whole file."""

    SEPA = "SEPA"
    SEPA_INSTANT = "SEPA_INSTANT"
    SWIFT = "SWIFT"
    WIRE = "WIRE"  # between banks of the United States


class Charges(StrEnum):
    """Who bears the banks' charges. In SEPA nobody chooses: leave it out there."""

    SHARED = "SHAR"
    DEBTOR = "DEBT"
    CREDITOR = "CRED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """Who pays or is paid. An address needs its town and country; it has at most two lines."""

    name: str
    country: str | None = None
    town: str | None = None
    postcode: str | None = None
    address_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClearingMember:
    """A bank by its number in a national clearing, as in `USABA` and nine digits."""

    system: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Debtor:
    """The account that is debited: an IBAN or another number, at a bank that has one name."""

    party: Party
    iban: str | None = None
    account_number: str | None = None
    bic: str | None = None
    clearing_member: ClearingMember | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditTransfer:
    """One payment of a file, to an IBAN or to another number at a bank.

    `end_to_end_id` is our own, and the instruction's id too. `purpose` is a code of ISO's list, as
    in `SALA`, or a text of up to 35 characters; SEPA takes codes alone.
    """

    end_to_end_id: str
    money: Money
    creditor: Party
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
    """A file of payments from one account, in one currency, by one rail, on one day.

    `created_at` counts whole seconds.
    """

    message_id: str
    created_at: datetime
    initiator_name: str
    initiator_id: str | None
    debtor: Debtor
    service: Service
    execution_date: date
    transfers: tuple[CreditTransfer, ...]


# What ends a payment that we gave: the bank will not carry it out.
_REJECTIONS = frozenset({"RJCT", "CANC"})


def _is_rejected(status: str | None, reason_codes: tuple[str, ...]) -> bool:
    """A second copy that is refused says nothing against the first, which may be paid already."""
    return status in _REJECTIONS and not DUPLICATES.intersection(reason_codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionStatus:
    """What the bank says of one payment; `reason_codes` are ISO's or the bank's (reasons.py)."""

    end_to_end_id: str
    status: str
    reason_codes: tuple[str, ...] = ()

    @property
    def is_rejected(self) -> bool:
        """Whether the bank will not pay. Everything else leaves the payment as it is."""
        return _is_rejected(self.status, self.reason_codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReport:
    """What the bank says of a file, and of those payments that it names.

    `group_status` is None where the bank tells of single payments alone.
    """

    message_id: str
    created_at: datetime
    original_message_id: str
    group_status: str | None
    reason_codes: tuple[str, ...] = ()
    transactions: tuple[TransactionStatus, ...] = ()

    @property
    def is_rejected(self) -> bool:
        """Whether the bank will pay nothing of the file."""
        return _is_rejected(self.group_status, self.reason_codes)


class EntryStatus(StrEnum):
    """Whether an entry counts: only what is booked has moved money."""

    BOOKED = "BOOK"
    PENDING = "PDNG"
    INFORMATION = "INFO"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherParty:
    """Who paid us, or was paid by us, as far as the bank tells."""

    name: str | None = None
    account: str | None = None
    bic: str | None = None
    clearing_member: ClearingMember | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """One payment of an entry.

    `bank_reference` is the bank's own, and no other transaction of the entry has it. `our_account`
    is the account of ours that the payer named, which may be a virtual one. `return_code` is there
    if a payment came back, which a reversal alone does not say. `code` is the bank's word for the
    kind, as in `PMNT/RCDT/ESCT`; its sub-family is `CHRG` for what it took besides for a payment.
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
class Entry:
    """One line of a statement: what was booked, and the payments in it.

    `is_credit` is the way the money went, also for a reversal, by which the bank takes another
    entry back. The transactions always add up to `money`, which is never negative and may be zero.
    `booked_on` and `value_on` are days of the bank's.
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
class Statement:
    """What happened on one account.

    `account` is an IBAN or another number, `currency` in small letters. `number` is the bank's
    running one. Balances are negative where the account is overdrawn, None where they are not told;
    where both are, the booked entries lead from one to the other. `page` is which one it is of a
    statement with several pages: its balances are the whole statement's, and prove nothing here.
    """

    id: str
    account: str
    currency: str
    created_at: datetime
    entries: tuple[Entry, ...]
    number: int | None = None
    opening: Money | None = None
    closing: Money | None = None
    page: int | None = None
