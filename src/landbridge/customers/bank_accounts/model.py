"""Stored bank accounts: plain columns, and content encrypted with the user's key."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.customers.bank_accounts.field_tables import AccountTypeTable, FieldReference, Ramp
from landbridge.customers.bank_accounts.parsing import NumberContradiction
from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.platform.core.masks import mask
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.formats.addresses import find_alpha3
from landbridge.providers.screening.model import OFAC_SDN


class BankAccountStatus(StrEnum):
    """Status of an account, with the next transition and its actor."""

    PENDING = "PENDING"
    """Waits for a reviewer: the holder or bank resembles a list entry, or can't be compared."""
    ACTIVE = "ACTIVE"
    """Accepts payouts if the account data is complete, until the account is deleted."""
    REJECTED = "REJECTED"
    """Final except for deletion: the data is wrong, or a reviewer refused the account."""
    INACTIVE = "INACTIVE"
    """Final: the account was deleted, or its user erased."""


TRANSITIONS = Transitions(
    start=frozenset(
        {BankAccountStatus.PENDING, BankAccountStatus.ACTIVE, BankAccountStatus.REJECTED}
    ),
    table={
        BankAccountStatus.PENDING: frozenset(
            {BankAccountStatus.ACTIVE, BankAccountStatus.REJECTED, BankAccountStatus.INACTIVE}
        ),
        # A sanctions list that is loaded later may name the holder.
        BankAccountStatus.ACTIVE: frozenset(
            {BankAccountStatus.PENDING, BankAccountStatus.INACTIVE}
        ),
        BankAccountStatus.REJECTED: frozenset({BankAccountStatus.INACTIVE}),
        BankAccountStatus.INACTIVE: frozenset[BankAccountStatus](),
    },
)


class AccountDecision(StrEnum):
    """Decision of a reviewer on a pending account."""

    APPROVE = "approve"
    REJECT = "reject"


class NameMatch(msgspec.Struct, frozen=True, kw_only=True):
    """List entry that resembles a name of the account; `score` is the similarity, 0 to 100."""

    asked_name: str
    listed_name: str
    entry_id: str
    program: str
    score: int
    # Default for matches stored before Landbridge supported several lists.
    list: str = OFAC_SDN


class ScreeningComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Result of the comparison of the holder's name with the lists.

    `list_version` is None if there was no name to compare, or no list. `unread` are names in a
    script that no list is written in: only a person can compare those.
    """

    list_version: str | None = None
    likenesses: tuple[NameMatch, ...] = ()
    unread: tuple[str, ...] = ()
    # A required list was not loaded.
    lacks_list: bool = False

    @property
    def needs_person(self) -> bool:
        """Return whether a review is required."""
        return bool(self.likenesses or self.unread) or self.lacks_list


class BankAccountSecret(msgspec.Struct, frozen=True, kw_only=True):
    """Encrypted content: all data of the holder and the bank, and the findings about them."""

    holder: dict[str, Any] | None
    bank: dict[str, Any]
    wrong: tuple[NumberContradiction, ...] = ()
    comparison: ScreeningComparison = ScreeningComparison()
    # Text written by a reviewer.
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSummary:
    """Short form of an account: masked number, country in alpha-3; None where unknown."""

    bank_name: str | None
    number: str | None
    bank_country: str | None

    def __str__(self) -> str:
        """Return the summary in one line, without the holder."""
        parts = (self.bank_name, self.number, self.bank_country)
        return ", ".join(each for each in parts if each)


@dataclass(frozen=True, slots=True, kw_only=True)
class BankAccountRecord:
    """Members of a bank account that are not encrypted."""

    org_id: UUID
    id: UUID
    user_id: UUID
    request_id: UUID | None
    ramp: Ramp
    type: str
    currency: str
    status: BankAccountStatus
    version: int
    created_at: datetime
    updated_at: datetime
    metadata: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BankAccount(BankAccountRecord):
    """Bank account; `secret` is None after its user was erased."""

    secret: BankAccountSecret | None

    @property
    def kind(self) -> str:
        """Return the resource type in the change log."""
        return kind_of(self.ramp)

    @property
    def table(self) -> AccountTypeTable:
        """Return the table of its type."""
        return BY_TYPE[self.type, self.ramp]

    @property
    def bank(self) -> dict[str, Any]:
        """Return the members of the bank object; empty after erasure."""
        return {} if self.secret is None else self.secret.bank

    @property
    def holder(self) -> dict[str, Any] | None:
        """Return the holder: None if the account type has none, empty after erasure."""
        return None if self.secret is None else self.secret.holder

    @property
    def payee(self) -> dict[str, Any]:
        """Return the bank and holder data that is sent to banks; empty after erasure."""
        if self.secret is None:
            return {}
        return {"type": self.type, "accountHolder": self.holder, self.type: self.bank}

    @property
    def payment_rail(self) -> str | None:
        """Return the payment method, for example `ach`; None after erasure."""
        found = self.table.payment_rail
        return self.bank.get(found.name) if isinstance(found, FieldReference) else found

    @property
    def summary(self) -> AccountSummary:
        """Return the short form of the account."""
        return summary_of(self.table, self.bank, self.holder)

    @property
    def bank_country(self) -> str | None:
        """Return the country of the bank, alpha-3; None after erasure."""
        return self.summary.bank_country

    @property
    def bank_name(self) -> str | None:
        """Return the submitted name of the bank."""
        return self.summary.bank_name

    @property
    def number(self) -> str | None:
        """Return the masked account number of this type."""
        return self.summary.number

    @property
    def invalid_fields(self) -> list[str]:
        """Return the paths of the inconsistent numbers."""
        return [] if self.secret is None else [each.field for each in self.secret.wrong]

    @property
    def missing(self) -> list[str]:
        """Return the request paths of absent members that a payment requires."""
        needed = self.table.needed_to_pay
        return [f"{self.type}.{name}" for name in needed if name not in self.bank]

    @property
    def reason(self) -> str | None:
        """Return the reason why the account is unusable; None if it is usable."""
        match self.status:
            case BankAccountStatus.ACTIVE:
                return self._why_not_payable()
            case BankAccountStatus.PENDING:
                return "the account is being reviewed"
            case BankAccountStatus.INACTIVE:
                return "the account was deleted"
            case BankAccountStatus.REJECTED:
                return self._why_rejected()

    def _why_not_payable(self) -> str | None:
        missing = " and ".join(self.missing)
        return f"money can't get there without {missing}" if missing else None

    def _why_rejected(self) -> str:
        secret = self.secret
        if secret is None or not (secret.wrong or secret.reason):
            return "the account was rejected on review"
        return secret.reason or "; ".join(each.reason for each in secret.wrong)


def kind_of(ramp: Ramp) -> str:
    """Return the resource type of accounts of this ramp in the change log."""
    return f"ACCOUNT.{ramp.upper()}"


def summary_of(
    table: AccountTypeTable, bank: Mapping[str, Any], holder: Mapping[str, Any] | None
) -> AccountSummary:
    """Return the summary of the data of an account of this type."""
    country = table.bank_country
    if isinstance(country, FieldReference):
        value = bank.get(country.name)
        # An IBAN starts with the alpha-2 code of its country.
        country = find_alpha3(value[:2]) if value and country.name == "iban" else value
    number = next((bank[name] for name in table.numbers if name in bank), None)
    if number is None and table.holder_key and holder:
        number = holder[table.holder_key.member]
    return AccountSummary(
        bank_name=bank.get("bankName") or bank.get("financialInstitute"),
        number=None if number is None else mask(number),
        bank_country=country,
    )
