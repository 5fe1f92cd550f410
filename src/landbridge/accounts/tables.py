"""The words in which account types are described: fields, conditions, choices, tables.

A type of account is data (accounts/types); what reads it is `reading.py`. A new country is a new
table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from landbridge.core.errors import Broken
from landbridge.formats.banks import BankNumber
from landbridge.formats.people import check_email, check_name, check_phone
from landbridge.formats.places import check_country
from landbridge.formats.texts import TEXT_LENGTH_MAX, check_text
from landbridge.kyc.model import Rail as KycRail
from landbridge.users.model import UserType


class Ramp(StrEnum):
    """Which way money goes: into coins (onramp) or out of them (offramp)."""

    ONRAMP = "onramp"
    OFFRAMP = "offramp"


@dataclass(frozen=True, slots=True)
class Words:
    """One of these words, in any case; kept as it is spelled here."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WordsBy:
    """One of some words; the word of another member decides which."""

    member: str
    values: Mapping[str, tuple[str, ...]]

    @property
    def all(self) -> tuple[str, ...]:
        """Every word that there may be."""
        return tuple(dict.fromkeys(word for words in self.values.values() for word in words))


@dataclass(frozen=True, slots=True)
class Text:
    """A text whose form has one check; `expected` says it in the reference."""

    expected: str
    check: Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class NumberBy:
    """A number whose kind another member decides."""

    member: str
    numbers: Mapping[str, BankNumber]


@dataclass(frozen=True, slots=True)
class PastDay:
    """A day in the past; `is_birth` if somebody was born on it."""

    is_birth: bool


@dataclass(frozen=True, slots=True)
class PostalAddress:
    """An address with its six members."""


Kind: TypeAlias = Words | WordsBy | Text | BankNumber | NumberBy | PastDay | PostalAddress

TEXT = Text(f"text of 1 to {TEXT_LENGTH_MAX} characters", check_text)
NAME = Text("name", check_name)
EMAIL = Text("e-mail address", check_email)
PHONE = Text("phone number with its country code", check_phone)
COUNTRY = Text("ISO 3166-1 alpha-3 code", check_country)
ADDRESS = PostalAddress()


@dataclass(frozen=True, slots=True)
class When:
    """A condition: a member that stands earlier in the table has one of these words."""

    member: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.member} is {' or '.join(self.words)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A member: how it is checked, and when it must or must not be there."""

    name: str
    kind: Kind
    required: bool | When = False
    refused: When | None = None
    default: str | None = None

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The members that decide about this one."""
        conditions = [each for each in (self.required, self.refused) if isinstance(each, When)]
        names = [each.member for each in conditions]
        if isinstance(self.kind, NumberBy | WordsBy):
            names.append(self.kind.member)
        return tuple(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How many of these members there must be, and how many there may be."""

    members: tuple[str, ...]
    at_least: int
    at_most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderKey:
    """A member of the holder that is the account's number when none of `unless` is told."""

    unless: tuple[str, ...]
    member: str
    number: BankNumber


@dataclass(frozen=True, slots=True)
class Member:
    """The value that this member has."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One type of account, on the ramps that it serves.

    `numbers` are the members that a list shows, masked, as the account's number: the first that is
    told. `payment_rail` and `bank_country` are shown with the account. `kyc` is the rail on which
    the user must be verified, `kyc_by_currency` its exceptions. `needed_to_pay` are members that
    the contract makes optional, and without which money could not get there.
    """

    name: str
    ramps: tuple[Ramp, ...]
    fields: tuple[Field, ...]
    choices: tuple[Choice, ...] = ()
    # By what the holder is; empty where the type has no holder.
    holder: Mapping[UserType, tuple[Field, ...]] = field(
        default_factory=dict[UserType, tuple[Field, ...]]
    )
    holder_key: HolderKey | None = None
    kyc: KycRail
    kyc_by_currency: Mapping[str, KycRail] = field(default_factory=dict[str, KycRail])
    payment_rail: str | Member
    bank_country: str | Member
    numbers: tuple[str, ...]
    needed_to_pay: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for fields in (self.fields, *self.holder.values()):
            seen: set[str] = set()
            for each in fields:
                if missing := set(each.depends_on) - seen:
                    raise Broken(f"{self.name}: {each.name} depends on {missing}, which is later")
                seen.add(each.name)
        if "currency" not in {each.name for each in self.fields}:
            raise Broken(f"{self.name} has no currency")

    def field(self, name: str) -> Field:
        """The member of this name of the bank object."""
        return next(each for each in self.fields if each.name == name)

    @property
    def currencies(self) -> tuple[str, ...]:
        """The currencies that such an account may have."""
        kind = self.field("currency").kind
        return kind.values if isinstance(kind, Words) else ()

    def kyc_rail(self, currency: str) -> KycRail:
        """The rail on which a user must be verified to have such an account."""
        return self.kyc_by_currency.get(currency, self.kyc)


def one_of(*words: str) -> Words:
    """One of these words."""
    return Words(words)
