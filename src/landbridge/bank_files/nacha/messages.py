"""What a NACHA file says, without its columns.

Amounts are whole cents of US dollars. Names, account numbers and texts are personal data: they
stand here in clear, and are sealed wherever they are kept.
"""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

# Bounds that the columns set.
CENTS_MAX = 10**10 - 1
BATCH_CENTS_MAX = 10**12 - 1
ENTRIES_MAX = 10**6 - 1
BATCHES_MAX = 10**6 - 1

CHECKING_CREDIT = "22"
CHECKING_PRENOTE = "23"
SAVINGS_CREDIT = "32"
SAVINGS_PRENOTE = "33"
PRENOTES = frozenset({CHECKING_PRENOTE, SAVINGS_PRENOTE})
# What we send: money to somebody's account, or the question whether there is such an account.
SENT = frozenset({CHECKING_CREDIT, SAVINGS_CREDIT}) | PRENOTES


class SecCode(StrEnum):
    """The standard entry class: on what authority a batch stands, and how its records look."""

    PPD = "PPD"
    """To a person. We write it."""
    CCD = "CCD"
    """To a business. We write it."""
    COR = "COR"
    """Notifications of change, from a bank."""
    WEB = "WEB"
    """Authorised on a web page. A bank may return others' entries of the same company to us."""
    TEL = "TEL"
    """As WEB, by telephone."""


@dataclass(frozen=True, slots=True)
class Return:
    """Why a bank gave an entry back."""

    code: str
    original_trace: str
    # The first eight digits of the routing number of the bank that it was for.
    original_rdfi: str
    died_on: date | None = None
    information: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a bank says we should change before the next payment to the same account."""

    code: str
    original_trace: str
    original_rdfi: str
    # As the bank wrote it: an account number, a routing number, a name. Personal data.
    corrected: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One payment, prenote, return or notification of change."""

    transaction_code: str
    routing_number: str
    account_number: str
    cents: int
    individual_id: str
    name: str
    # The ODFI's eight digits and seven running ones.
    trace_number: str
    addenda: tuple[str, ...] = ()
    returned: Return | None = None
    correction: Correction | None = None

    @property
    def is_credit(self) -> bool:
        """Whether the account gets money; returns count as what they return."""
        return self.transaction_code[1] <= "4"

    @property
    def record_count(self) -> int:
        """How many lines it takes."""
        return 1 + len(self.addenda) + (self.returned is not None) + (self.correction is not None)


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries of one company that are meant for one day."""

    company_name: str
    company_id: str
    sec_code: SecCode
    description: str
    # None where a bank that returns something leaves it out.
    effective_on: date | None
    # The first eight digits of the routing number of the bank that sends it into the network.
    odfi: str
    number: int
    entries: tuple[Entry, ...]

    @property
    def record_count(self) -> int:
        """How many lines its entries take, without header and control."""
        return sum(each.record_count for each in self.entries)

    @property
    def entry_hash(self) -> int:
        """The sum of the first eight digits of all routing numbers, its last ten digits."""
        return sum(int(each.routing_number[:8]) for each in self.entries) % 10**10

    @property
    def credit_cents(self) -> int:
        """What accounts get."""
        return sum(each.cents for each in self.entries if each.is_credit)

    @property
    def debit_cents(self) -> int:
        """What is taken from accounts."""
        return sum(each.cents for each in self.entries if not each.is_credit)


@dataclass(frozen=True, slots=True)
class NachaFile:
    """A file; `created_at` is to the minute and written in New York's time."""

    immediate_destination: str
    immediate_origin: str
    destination_name: str
    origin_name: str
    created_at: datetime
    # A to Z or 0 to 9: tells files of one day apart.
    id_modifier: str
    batches: tuple[Batch, ...]

    @property
    def record_count(self) -> int:
        """How many lines its entries take."""
        return sum(each.record_count for each in self.batches)

    @property
    def entry_hash(self) -> int:
        """As a batch's, over all of them."""
        return sum(each.entry_hash for each in self.batches) % 10**10

    @property
    def credit_cents(self) -> int:
        """What accounts get."""
        return sum(each.credit_cents for each in self.batches)

    @property
    def debit_cents(self) -> int:
        """What is taken from accounts."""
        return sum(each.debit_cents for each in self.batches)
