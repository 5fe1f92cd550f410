"""Contents of a NACHA file, independent of its columns.

Amounts are whole cents of US dollars. Names, account numbers and texts are personal data: they are
in clear here, and encrypted wherever they are stored.
"""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

# Maximum amounts that fit the columns.
CENTS_MAX = 10**10 - 1
BATCH_CENTS_MAX = 10**12 - 1
ENTRIES_MAX = 10**6 - 1
BATCHES_MAX = 10**6 - 1

CHECKING_CREDIT = "22"
CHECKING_PRENOTE = "23"
SAVINGS_CREDIT = "32"
SAVINGS_PRENOTE = "33"
PRENOTES = frozenset({CHECKING_PRENOTE, SAVINGS_PRENOTE})
# Transaction codes that we send: a payment to an account, or a prenote that tests whether it
# exists.
SENT_TRANSACTION_CODES = frozenset({CHECKING_CREDIT, SAVINGS_CREDIT}) | PRENOTES


class SecCode(StrEnum):
    """Standard entry class: the authorization of a batch, and the layout of its records."""

    PPD = "PPD"
    """Payments to persons; we send these."""
    CCD = "CCD"
    """Payments to businesses; we send these."""
    COR = "COR"
    """Notifications of change that a bank sends."""
    WEB = "WEB"
    """Authorised online. We send none, but may get returns of other entries of the company."""
    TEL = "TEL"
    """Authorised by telephone; we send none, as with WEB."""


@dataclass(frozen=True, slots=True)
class Return:
    """Return of an entry, with the bank's reason."""

    code: str
    original_trace: str
    # First eight digits of the routing number of the bank that received the entry.
    original_rdfi: str
    died_on: date | None = None
    information: str = ""


@dataclass(frozen=True, slots=True)
class NotificationOfChange:
    """Correction that a bank requests before the next payment to the same account."""

    code: str
    original_trace: str
    original_rdfi: str
    # The corrected value as the bank wrote it: an account number, a routing number or a name.
    # Personal data.
    corrected: str


@dataclass(frozen=True, slots=True)
class NachaEntry:
    """One payment, prenote, return or notification of change."""

    transaction_code: str
    routing_number: str
    account_number: str
    cents: int
    individual_id: str
    name: str
    # Eight digits of the originating bank (ODFI), then a sequence number of seven digits.
    trace_number: str
    addenda: tuple[str, ...] = ()
    returned: Return | None = None
    correction: NotificationOfChange | None = None

    @property
    def is_credit(self) -> bool:
        """Return whether the account receives money; a return counts as its original entry."""
        return self.transaction_code[1] <= "4"

    @property
    def record_count(self) -> int:
        """Return the number of lines of the entry in the file."""
        return 1 + len(self.addenda) + (self.returned is not None) + (self.correction is not None)


@dataclass(frozen=True, slots=True)
class NachaBatch:
    """Entries of one company with one effective date."""

    company_name: str
    company_id: str
    sec_code: SecCode
    description: str
    # None if a returning bank left it out.
    effective_on: date | None
    # First eight digits of the originating bank's routing number.
    odfi: str
    number: int
    entries: tuple[NachaEntry, ...]

    @property
    def record_count(self) -> int:
        """Return the number of lines of the entries, without header and control."""
        return sum(each.record_count for each in self.entries)

    @property
    def entry_hash(self) -> int:
        """Return the sum of the first eight digits of all routing numbers, modulo 10^10."""
        return sum(int(each.routing_number[:8]) for each in self.entries) % 10**10

    @property
    def credit_cents(self) -> int:
        """Return the total paid to accounts."""
        return sum(each.cents for each in self.entries if each.is_credit)

    @property
    def debit_cents(self) -> int:
        """Return the total debited from accounts."""
        return sum(each.cents for each in self.entries if not each.is_credit)


@dataclass(frozen=True, slots=True)
class NachaFile:
    """File; `created_at` has whole minutes and is written in New York time."""

    immediate_destination: str
    immediate_origin: str
    destination_name: str
    origin_name: str
    created_at: datetime
    # A to Z or 0 to 9; distinguishes files of the same day.
    id_modifier: str
    batches: tuple[NachaBatch, ...]

    @property
    def record_count(self) -> int:
        """Return the number of lines of all entries."""
        return sum(each.record_count for each in self.batches)

    @property
    def entry_hash(self) -> int:
        """Return the entry hash over all batches."""
        return sum(each.entry_hash for each in self.batches) % 10**10

    @property
    def credit_cents(self) -> int:
        """Return the total paid to accounts."""
        return sum(each.credit_cents for each in self.batches)

    @property
    def debit_cents(self) -> int:
        """Return the total debited from accounts."""
        return sum(each.debit_cents for each in self.batches)
