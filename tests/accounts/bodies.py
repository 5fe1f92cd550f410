"""Makers of bodies, from the tables alone: a new type is tested as soon as it has a table."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

from landbridge.accounts.tables import (
    COUNTRY,
    EMAIL,
    NAME,
    PHONE,
    TEXT,
    Field,
    NumberBy,
    PastDay,
    PostalAddress,
    Ramp,
    Table,
    Words,
    WordsBy,
)
from landbridge.accounts.types import TABLES
from landbridge.formats import banks
from landbridge.formats.banks import BankNumber
from landbridge.users.model import UserType

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
# A good number of each kind, and one that has its form but contradicts itself.
NUMBERS: dict[str, tuple[BankNumber, str, str | None]] = {
    "aba": (banks.check_aba, "021000021", "021000022"),
    "account": (banks.check_account_number, "00123456789", None),
    "alias": (banks.check_alias, "ada.example", None),
    "bank code": (banks.check_bank_code, "1007", None),
    "bic": (banks.check_bic, "BOFAUS3N", "BOFAXX3N"),
    "card": (banks.check_card, "4111111111111111", "4111111111111112"),
    "cbu": (banks.check_cbu, "2850590940090418135201", "2850590940090418135202"),
    "clabe": (banks.check_clabe, "032180000118359719", "032180000118359718"),
    "clearing": (banks.check_clearing_code, "004", None),
    "cvu": (banks.check_cvu, "0000003100010000000009", "0000003100010000000008"),
    "iban": (banks.check_iban, "DE89370400440532013000", "DE89370400440532013001"),
    "mexican phone": (banks.check_mexican_phone, "5512345678", None),
    "momo": (banks.check_mobile_money, "+254712345678", None),
    "nuban": (banks.check_nuban, "0123456789", None),
    "pix": (banks.check_pix_key, "12345678909", "12345678900"),
    "pix tax": (banks.check_pix_tax_number, "12345678909", "12345678900"),
    "sepa": (banks.check_sepa_iban, "DE89370400440532013000", "SA0380000000608010167519"),
    "spei": (banks.check_spei_code, "40012", None),
    "us": (banks.check_us_account, "000123456789", None),
}


@dataclass(frozen=True)
class Case:
    """A table on one of its ramps, with one kind of holder, and words for what decides."""

    table: Table
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
        """What decides about other members, by its name."""
        return dict(self.decided)

    def is_required(self, field: Field) -> bool:
        """Whether the field must be there in this case."""
        if isinstance(field.required, bool):
            return field.required
        return self.words[field.required.member] in field.required.words

    def is_refused(self, field: Field) -> bool:
        """Whether the field must not be there in this case."""
        return field.refused is not None and (
            self.words[field.refused.member] in field.refused.words
        )

    def number(self, field: Field) -> BankNumber | None:
        """The kind of number that the field has in this case."""
        if isinstance(field.kind, NumberBy):
            return field.kind.numbers[self.words[field.kind.member]]
        return field.kind if isinstance(field.kind, BankNumber) else None

    def value(self, field: Field) -> Any:
        """A good value for the field."""
        match field.kind:
            case Words(values):
                return self.words.get(field.name, values[0])
            case WordsBy(member, values):
                return self.words.get(field.name, values[self.words[member]][0])
            case PastDay():
                return "1990-01-31"
            case PostalAddress():
                return dict(ADDRESS)
            case BankNumber() | NumberBy():
                return good(cast("BankNumber", self.number(field)))
            case _:
                return TEXTS[field.kind]


def good(number: BankNumber) -> str:
    """A number of this kind."""
    return next(told for kind, told, _ in NUMBERS.values() if kind is number)


def wrong(number: BankNumber) -> str | None:
    """A number of this kind that contradicts itself; None where none can."""
    return next(told for kind, _, told in NUMBERS.values() if kind is number)


def cases() -> Iterator[Case]:
    """Every table, ramp, kind of holder and word that decides about other members."""
    for table in TABLES:
        for ramp in table.ramps:
            for holder in table.holder or (None,):
                for decided in _decisions(table):
                    yield Case(table, ramp, holder, decided)


def _decisions(table: Table) -> Iterator[tuple[tuple[str, str], ...]]:
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


def _words(field: Field, decided: dict[str, str]) -> tuple[str, ...]:
    """The words that a field may have, after what was decided before it."""
    if isinstance(field.kind, WordsBy):
        return field.kind.values[decided[field.kind.member]]
    assert isinstance(field.kind, Words)
    return field.kind.values


def whole(case: Case) -> dict[str, Any]:
    """A body with every member that there may be, as far as choices allow."""
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
    """The body without the member at `path`, as `us.iban`."""
    left = deepcopy(body)
    *places, name = path.split(".")
    here = left
    for place in places:
        here = here[place]
    del here[name]
    return left


def having(body: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The body with another value at `path`."""
    changed = deepcopy(body)
    *places, name = path.split(".")
    here = changed
    for place in places:
        here = here[place]
    here[name] = value
    return changed
