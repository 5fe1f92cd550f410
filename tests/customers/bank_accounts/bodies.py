"""Builders of bodies, from the tables alone: a new account type is tested once it has a table."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

from landbridge.customers.bank_accounts.field_tables import (
    COUNTRY,
    EMAIL,
    NAME,
    PHONE,
    TEXT,
    AccountField,
    AccountTypeTable,
    AddressField,
    ChoiceField,
    DependentChoiceField,
    DependentNumberField,
    PastDateField,
    Ramp,
)
from landbridge.customers.bank_accounts.types import TABLES
from landbridge.customers.users.model import UserType
from landbridge.platform.formats import bank_numbers
from landbridge.platform.formats.bank_numbers import BankNumber

ADDRESS = {
    "addressLine1": "1 Main Street",
    "addressLine2": "Floor 2",
    "city": "Springfield",
    "stateProvinceRegion": "IL",
    "postalCode": "62701",
    "country": "USA",
}
TEXTS = {
    TEXT: "Some text",
    NAME: "Ada Example",
    EMAIL: "ada@example.com",
    PHONE: "+14155550123",
    COUNTRY: "KEN",
}
# A valid number of each kind, and one in the right format with a wrong check digit.
NUMBERS: dict[str, tuple[BankNumber, str, str | None]] = {
    "aba": (bank_numbers.check_aba, "021000021", "021000022"),
    "account": (bank_numbers.check_account_number, "00123456789", None),
    "alias": (bank_numbers.check_alias, "ada.example", None),
    "bank code": (bank_numbers.check_bank_code, "1007", None),
    "bic": (bank_numbers.check_bic, "BOFAUS3N", "BOFAXX3N"),
    "card": (bank_numbers.check_card, "4111111111111111", "4111111111111112"),
    "cbu": (bank_numbers.check_cbu, "2850590940090418135201", "2850590940090418135202"),
    "clabe": (bank_numbers.check_clabe, "032180000118359719", "032180000118359718"),
    "clearing": (bank_numbers.check_clearing_code, "004", None),
    "cvu": (bank_numbers.check_cvu, "0000003100010000000009", "0000003100010000000008"),
    "iban": (bank_numbers.check_iban, "DE89370400440532013000", "DE89370400440532013001"),
    "mexican phone": (bank_numbers.check_mexican_phone, "5512345678", None),
    "momo": (bank_numbers.check_mobile_money, "+254712345678", None),
    "nuban": (bank_numbers.check_nuban, "0123456789", None),
    "pix": (bank_numbers.check_pix_key, "12345678909", "12345678900"),
    "pix tax": (bank_numbers.check_pix_tax_number, "12345678909", "12345678900"),
    "sepa": (bank_numbers.check_sepa_iban, "DE89370400440532013000", "SA0380000000608010167519"),
    "spei": (bank_numbers.check_spei_code, "40012", None),
    "us": (bank_numbers.check_us_account, "000123456789", None),
}


@dataclass(frozen=True)
class Case:
    """Table on one of its ramps, with one holder type and values for deciding fields."""

    table: AccountTypeTable
    ramp: Ramp
    holder: UserType | None
    decided: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        words = [each for _, each in self.decided]
        return "-".join(
            [self.table.name, self.ramp, *([self.holder] if self.holder else []), *words]
        )

    @property
    def words(self) -> dict[str, str]:
        """Return the values of fields that decide about other fields, by name."""
        return dict(self.decided)

    def is_required(self, field: AccountField) -> bool:
        """Return whether the field is required in this case."""
        if isinstance(field.required, bool):
            return field.required
        return self.words[field.required.member] in field.required.words

    def is_refused(self, field: AccountField) -> bool:
        """Return whether the field is forbidden in this case."""
        return field.refused is not None and (
            self.words[field.refused.member] in field.refused.words
        )

    def number(self, field: AccountField) -> BankNumber | None:
        """Return the kind of number of the field in this case."""
        if isinstance(field.kind, DependentNumberField):
            return field.kind.numbers[self.words[field.kind.member]]
        return field.kind if isinstance(field.kind, BankNumber) else None

    def value(self, field: AccountField) -> Any:
        """Return a valid value for the field."""
        match field.kind:
            case ChoiceField(values):
                return self.words.get(field.name, values[0])
            case DependentChoiceField(member, values):
                return self.words.get(field.name, values[self.words[member]][0])
            case PastDateField():
                return "1990-01-31"
            case AddressField():
                return dict(ADDRESS)
            case BankNumber() | DependentNumberField():
                return good(cast("BankNumber", self.number(field)))
            case _:
                return TEXTS[field.kind]


def good(number: BankNumber) -> str:
    """Return a valid number of this kind."""
    return next(number_ for kind, number_, _ in NUMBERS.values() if kind is number)


def wrong(number: BankNumber) -> str | None:
    """Return a number of this kind with a wrong check digit; None if it has none."""
    return next(number_ for kind, _, number_ in NUMBERS.values() if kind is number)


def cases() -> Iterator[Case]:
    """Yield every table, ramp, holder type and value that decides about other fields."""
    for table in TABLES:
        for ramp in table.ramps:
            for holder in table.holder or (None,):
                for decided in _decisions(table):
                    yield Case(table, ramp, holder, decided)


def _decisions(table: AccountTypeTable) -> Iterator[tuple[tuple[str, str], ...]]:
    deciders = {name for field in table.fields for name in field.depends_on}
    found: list[tuple[tuple[str, str], ...]] = [()]
    for field in table.fields:
        if field.name in deciders:
            found = [
                (*decided, (field.name, word))
                for decided in found
                for word in _words(field, dict(decided))
            ]
    yield from found


def _words(field: AccountField, decided: dict[str, str]) -> tuple[str, ...]:
    """Return the values of a field, given the fields decided before it."""
    if isinstance(field.kind, DependentChoiceField):
        return field.kind.values[decided[field.kind.member]]
    assert isinstance(field.kind, ChoiceField)
    return field.kind.values


def whole(case: Case) -> dict[str, Any]:
    """Build a body with every possible member, as far as choices allow."""
    table = case.table
    members = {
        field.name: case.value(field) for field in table.fields if not case.is_refused(field)
    }
    for choice in table.choices:
        for name in choice.members[choice.at_most :]:
            members.pop(name, None)
    body: dict[str, Any] = {"rail": case.ramp.value, "type": table.name, table.name: members}
    if case.holder is not None:
        holder = {field.name: case.value(field) for field in table.holder[case.holder]}
        if table.holder_key is not None:
            holder[table.holder_key.member] = good(table.holder_key.number)
        body["accountHolder"] = {"type": case.holder.value, **holder}
    return body


def without(body: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the body without the member at `path`, such as `us.iban`."""
    left = deepcopy(body)
    *parents, name = path.split(".")
    here = left
    for part in parents:
        here = here[part]
    del here[name]
    return left


def having(body: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return the body with another value at `path`."""
    changed = deepcopy(body)
    *parents, name = path.split(".")
    here = changed
    for part in parents:
        here = here[part]
    here[name] = value
    return changed
