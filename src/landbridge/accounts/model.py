"""Bank accounts as they are stored: what is plain, and what is sealed under the user's key."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.accounts.reading import Wrong
from landbridge.accounts.tables import Member, Ramp, Table
from landbridge.accounts.types import BY_TYPE
from landbridge.core.states import Moves
from landbridge.formats.places import find_alpha3

_SHOWN_DIGITS = 4


class Status(StrEnum):
    """What an account is waiting for, and who moves it on."""

    PENDING = "PENDING"
    """A reviewer decides: the holder's name is like a listed one, or can't be compared."""
    ACTIVE = "ACTIVE"
    """Nothing: money may go there if all that it takes was told, until it is deleted."""
    REJECTED = "REJECTED"
    """Nothing: its data are wrong or a reviewer refused it. It may still be deleted."""
    INACTIVE = "INACTIVE"
    """Nothing, for good: it was deleted, or its user erased."""


MOVES = Moves(
    start=frozenset({Status.PENDING, Status.ACTIVE, Status.REJECTED}),
    table={
        Status.PENDING: frozenset({Status.ACTIVE, Status.REJECTED, Status.INACTIVE}),
        Status.ACTIVE: frozenset({Status.INACTIVE}),
        Status.REJECTED: frozenset({Status.INACTIVE}),
        Status.INACTIVE: frozenset[Status](),
    },
)


class Likeness(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the sanctions list that a holder's name is like; `score` is 0 to 100."""

    asked_name: str
    listed_name: str
    entry_id: str
    program: str
    score: int


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What came of comparing the holder's name with the sanctions list.

    `list_version` is None if there was nothing to compare, or no list. `unread` are names in a
    script that the list is not written in: only a person can compare those.
    """

    list_version: str | None = None
    likenesses: tuple[Likeness, ...] = ()
    unread: tuple[str, ...] = ()
    # No list was loaded, though there has to be one.
    lacks_list: bool = False

    @property
    def needs_person(self) -> bool:
        """Whether a reviewer has to look."""
        return bool(self.likenesses or self.unread) or self.lacks_list


class Secret(msgspec.Struct, frozen=True, kw_only=True):
    """What is sealed: everything about the holder and the bank, and what was found about them."""

    holder: dict[str, Any] | None
    bank: dict[str, Any]
    wrong: tuple[Wrong, ...] = ()
    comparison: Comparison = Comparison()
    # A reviewer's words.
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A bank account; `secret` is None once its user was erased."""

    org_id: UUID
    id: UUID
    user_id: UUID
    request_id: UUID | None
    ramp: Ramp
    type: str
    currency: str
    status: Status
    secret: Secret | None
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def kind(self) -> str:
        """How the log of changes names it."""
        return kind_of(self.ramp)

    @property
    def table(self) -> Table:
        """The table of its type."""
        return BY_TYPE[self.type, self.ramp]

    @property
    def bank(self) -> dict[str, Any]:
        """The members of the bank object; none once erased."""
        return {} if self.secret is None else self.secret.bank

    @property
    def holder(self) -> dict[str, Any] | None:
        """The holder, where the type has one; none once erased."""
        return None if self.secret is None else self.secret.holder

    @property
    def payment_rail(self) -> str | None:
        """How money gets there, as in `ach`; None once that is erased."""
        found = self.table.payment_rail
        return self.bank.get(found.name) if isinstance(found, Member) else found

    @property
    def bank_country(self) -> str | None:
        """The country of the bank, alpha-3; None once that is erased."""
        found = self.table.bank_country
        if isinstance(found, str):
            return found
        told = self.bank.get(found.name)
        # An IBAN begins with its country.
        return find_alpha3(told[:2]) if told and found.name == "iban" else told

    @property
    def bank_name(self) -> str | None:
        """What the bank is called, as it was told."""
        return self.bank.get("bankName") or self.bank.get("financialInstitute")

    @property
    def number(self) -> str | None:
        """What an account number is for this type, masked."""
        for name in self.table.numbers:
            if name in self.bank:
                return mask(self.bank[name])
        key = self.table.holder_key
        return mask(self.holder[key.member]) if key and self.holder else None

    @property
    def invalid_fields(self) -> list[str]:
        """The numbers that contradict themselves."""
        return [] if self.secret is None else [each.field for each in self.secret.wrong]

    @property
    def missing(self) -> list[str]:
        """What was not told, and money could not get there without, by its place in the request."""
        needed = self.table.needed_to_pay
        return [f"{self.type}.{name}" for name in needed if name not in self.bank]

    @property
    def reason(self) -> str | None:
        """Why it can't be used; None if it can."""
        match self.status:
            case Status.ACTIVE:
                return self._why_not_payable()
            case Status.PENDING:
                return "the account is being reviewed"
            case Status.INACTIVE:
                return "the account was deleted"
            case Status.REJECTED:
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
    """How the log of changes names accounts of this ramp."""
    return f"ACCOUNT.{ramp.upper()}"


def mask(number: str) -> str:
    """The last four characters at most, and never more than half: `****6789`."""
    shown = min(_SHOWN_DIGITS, len(number) // 2)
    return "****" + number[len(number) - shown :]
