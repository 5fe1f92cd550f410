"""Types that describe account types: fields, conditions, choices, tables.

An account type is data (bank_accounts/types), interpreted by `parsing.py`. A new country is a new
table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from landbridge.customers.kyc.model import Rail as KycRail
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats import schemas
from landbridge.platform.formats.addresses import check_country
from landbridge.platform.formats.bank_numbers import BankNumber
from landbridge.platform.formats.people import check_email, check_name, check_phone
from landbridge.platform.formats.texts import TEXT_LENGTH_MAX, check_text
from landbridge.platform.http.constraints import Keywords


class Ramp(StrEnum):
    """Direction of a payment: fiat to stablecoin (onramp) or stablecoin to fiat (offramp)."""

    ONRAMP = "onramp"
    OFFRAMP = "offramp"


@dataclass(frozen=True, slots=True)
class ChoiceField:
    """One of `choices`, accepted in any letter case; stored as spelled in `choices`."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DependentChoiceField:
    """Choice for which the value of another member determines the permitted values."""

    member: str
    values: Mapping[str, tuple[str, ...]]

    @property
    def all(self) -> tuple[str, ...]:
        """Return every possible value."""
        return tuple(
            dict.fromkeys(choice for choices in self.values.values() for choice in choices)
        )


@dataclass(frozen=True, slots=True)
class TextField:
    """Text with one format check; `expected` describes it in the reference."""

    expected: str
    check: Callable[[str, str], str]
    form: Keywords = field(hash=False)


@dataclass(frozen=True, slots=True)
class DependentNumberField:
    """Number with a format determined by another member."""

    member: str
    numbers: Mapping[str, BankNumber]


@dataclass(frozen=True, slots=True)
class PastDateField:
    """Date in the past; `is_birth` for a birth date."""

    is_birth: bool


@dataclass(frozen=True, slots=True)
class AddressField:
    """Postal address, an object of six members."""


Kind: TypeAlias = (
    ChoiceField
    | DependentChoiceField
    | TextField
    | BankNumber
    | DependentNumberField
    | PastDateField
    | AddressField
)

TEXT = TextField(f"text of 1 to {TEXT_LENGTH_MAX} characters", check_text, schemas.line())
NAME = TextField("name", check_name, schemas.NAME)
EMAIL = TextField("e-mail address", check_email, schemas.EMAIL)
PHONE = TextField("phone number with its country code", check_phone, schemas.PHONE)
COUNTRY = TextField("ISO 3166-1 alpha-3 code", check_country, schemas.COUNTRY)
ADDRESS = AddressField()


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """Condition: a member listed earlier in the table has one of these values."""

    member: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.member} is {' or '.join(self.words)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountField:
    """Member with its check, and the conditions under which it is required or forbidden."""

    name: str
    kind: Kind
    required: bool | FieldCondition = False
    refused: FieldCondition | None = None
    default: str | None = None

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Return the members that this one depends on."""
        conditions = [
            each for each in (self.required, self.refused) if isinstance(each, FieldCondition)
        ]
        names = [each.member for each in conditions]
        if isinstance(self.kind, DependentNumberField | DependentChoiceField):
            names.append(self.kind.member)
        return tuple(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCardinality:
    """Minimum and maximum number of the named members that may be present."""

    members: tuple[str, ...]
    at_least: int
    at_most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderKey:
    """Holder's member that serves as account number if no member in `unless` is present."""

    unless: tuple[str, ...]
    member: str
    number: BankNumber


@dataclass(frozen=True, slots=True)
class FieldReference:
    """Reference to the value of another member."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTypeTable:
    """One account type, on the ramps that it supports.

    `numbers` are the candidates for the account number that a list shows, masked: the first one
    present. `payment_rail` and `bank_country` are shown with the account. `kyc` is the rail on
    which the user must be verified, `kyc_by_currency` its exceptions. `needed_to_pay` are members
    that are optional in the contract but required for a payment.
    """

    name: str
    ramps: tuple[Ramp, ...]
    fields: tuple[AccountField, ...]
    choices: tuple[FieldCardinality, ...] = ()
    # By holder type; empty for account types without a holder.
    holder: Mapping[UserType, tuple[AccountField, ...]] = field(
        default_factory=dict[UserType, tuple[AccountField, ...]]
    )
    holder_key: HolderKey | None = None
    kyc: KycRail
    kyc_by_currency: Mapping[str, KycRail] = field(default_factory=dict[str, KycRail])
    payment_rail: str | FieldReference
    bank_country: str | FieldReference
    numbers: tuple[str, ...]
    needed_to_pay: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for fields in (self.fields, *self.holder.values()):
            earlier_fields: set[str] = set()
            for each in fields:
                if missing := set(each.depends_on) - earlier_fields:
                    raise InvariantBroken(
                        f"{self.name}: {each.name} depends on {missing}, which is later"
                    )
                earlier_fields.add(each.name)
        if "currency" not in {each.name for each in self.fields}:
            raise InvariantBroken(f"{self.name} has no currency")

    def field(self, name: str) -> AccountField:
        """Return the field of the bank object with this name."""
        return next(each for each in self.fields if each.name == name)

    @property
    def currencies(self) -> tuple[str, ...]:
        """Return the permitted currencies of such an account."""
        kind = self.field("currency").kind
        return kind.values if isinstance(kind, ChoiceField) else ()

    def kyc_rail(self, currency: str) -> KycRail:
        """Return the rail on which a user must be verified to have such an account."""
        return self.kyc_by_currency.get(currency, self.kyc)


def one_of(*choices: str) -> ChoiceField:
    """Return the field for one of these values."""
    return ChoiceField(choices)
