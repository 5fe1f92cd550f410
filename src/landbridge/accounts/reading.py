"""Reads what was told about an account by the table of its type.

Two outcomes for what is wrong, and one rule between them: what can't be an account at all (a member
missing, misshapen, or one too many) is refused and nothing is kept; a number that has its form but
contradicts itself (check digits, country, range) is kept with the account, which is then rejected.
Source: contract, errors 4 (account validation failure).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

import msgspec

from landbridge.accounts.errors import AccountDataInvalid
from landbridge.accounts.tables import (
    Choice,
    Field,
    HolderKey,
    Kind,
    NumberBy,
    PastDay,
    PostalAddress,
    Ramp,
    Table,
    Text,
    When,
    Words,
    WordsBy,
)
from landbridge.accounts.types import BY_TYPE, NAMES
from landbridge.core.errors import FieldInvalid, Refused
from landbridge.formats.banks import BankNumber
from landbridge.formats.people import check_birth_date, check_past_date
from landbridge.formats.places import Address, check_address
from landbridge.users.model import UserType

HOLDER = "accountHolder"

Told = Mapping[str, Any]


class Wrong(msgspec.Struct, frozen=True, kw_only=True):
    """A number that contradicts itself, by its place in the request."""

    field: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An account in canonical form; `holder` is None where the type has none."""

    table: Table
    ramp: Ramp
    holder: dict[str, Any] | None
    bank: dict[str, Any]
    wrong: tuple[Wrong, ...]

    @property
    def currency(self) -> str:
        """As `usd`."""
        return str(self.bank["currency"])


def read(told: Told, *, today: date) -> Reading:
    """The account that a request tells of.

    Raises `AccountDataInvalid` for the bank object and `FieldInvalid` for everything else, each
    naming the member at fault.
    """
    table, ramp = _table(told)
    reader = _Reader(today)
    holder = _read_holder(reader, table, told.get(HOLDER)) if table.holder else None
    try:
        bank = _read_bank(reader, table, cast("Told", told[table.name]))
        _check_holder_key(reader, table.holder_key, bank=bank, holder=holder or {})
    except FieldInvalid as error:
        raise told_apart(error) from error
    return Reading(table=table, ramp=ramp, holder=holder, bank=bank, wrong=tuple(reader.wrong))


def told_apart(error: FieldInvalid) -> Refused:
    """The same error; as `AccountDataInvalid` where it is about the bank data."""
    place = (error.field or "").partition(".")[0]
    return AccountDataInvalid(error.message, field=error.field) if place in NAMES else error


def _table(told: Told) -> tuple[Table, Ramp]:
    """The table for this type on this ramp; checks that its bank object is there, and alone."""
    name = str(told.get("type", ""))
    if name not in NAMES:
        raise FieldInvalid(f"type must be one of {', '.join(NAMES)}", field="type")
    ramps = [ramp for ramp in Ramp if (name, ramp) in BY_TYPE]
    if told.get("rail") not in ramps:
        raise FieldInvalid(f"rail must be {' or '.join(ramps)} for type {name}", field="rail")
    if name not in told:
        raise AccountDataInvalid(f"{name} is required: it holds the bank data", field=name)
    for other in NAMES:
        if other != name and other in told:
            raise AccountDataInvalid(f"{other} does not belong to type {name}", field=other)
    ramp = Ramp(told["rail"])
    return BY_TYPE[name, ramp], ramp


def _read_holder(reader: "_Reader", table: Table, told: Told | None) -> dict[str, Any]:
    if told is None:
        raise FieldInvalid(f"{HOLDER} is required for type {table.name}", field=HOLDER)
    types = list(table.holder)
    if told.get("type") not in types:
        raise FieldInvalid(f"{HOLDER}.type must be {' or '.join(types)}", field=f"{HOLDER}.type")
    holder_type = UserType(told["type"])
    members = reader.fields(HOLDER, table.holder[holder_type], told)
    return {"type": holder_type.value, **members}


def _read_bank(reader: "_Reader", table: Table, told: Told) -> dict[str, Any]:
    for choice in table.choices:
        _check_choice(table.name, choice, told)
    return reader.fields(table.name, table.fields, told)


def _check_choice(place: str, choice: Choice, told: Told) -> None:
    names = [f"{place}.{member}" for member in choice.members]
    found = [f"{place}.{member}" for member in choice.members if member in told]
    if len(found) < choice.at_least:
        raise FieldInvalid(f"{' or '.join(names)} is required", field=names[0])
    if len(found) > choice.at_most:
        raise FieldInvalid(f"{found[1]} can't stand beside {found[0]}", field=found[1])


def _check_holder_key(
    reader: "_Reader", key: HolderKey | None, *, bank: Told, holder: dict[str, Any]
) -> None:
    """Where no key is told, a member of the holder is the key."""
    if key is None or any(name in bank for name in key.unless):
        return
    field = f"{HOLDER}.{key.member}"
    if key.member not in holder:
        raise FieldInvalid(
            f"{field} is required when none of {', '.join(key.unless)} is told", field=field
        )
    holder[key.member] = reader.number(field, key.number, holder[key.member])


class _Reader:
    """Reads fields by their table, and gathers the numbers that contradict themselves."""

    def __init__(self, today: date) -> None:
        self._today = today
        self.wrong: list[Wrong] = []

    def fields(self, place: str, fields: Iterable[Field], told: Told) -> dict[str, Any]:
        """The canonical members of one object; members without a field are ignored."""
        read: dict[str, Any] = {}
        for field in fields:
            path, value = f"{place}.{field.name}", told.get(field.name, field.default)
            if value is None:
                _check_absent(path, field, read)
            else:
                _check_allowed(path, field, read)
                read[field.name] = self._value(path, field.kind, value, read)
        return read

    def number(self, path: str, number: BankNumber, text: str) -> str:
        """A number that has its form; noted as wrong if it contradicts itself."""
        canonical = number.shape(path, text)
        if reason := number.why_not(canonical):
            self.wrong.append(Wrong(field=path, reason=f"{path}: {reason}"))
        return canonical

    def _value(self, path: str, kind: Kind, value: Any, read: Told) -> Any:
        match kind:
            case Words() | WordsBy():
                return _word(path, kind, value, read)
            case Text():
                return kind.check(path, value)
            case BankNumber():
                return self.number(path, kind, value)
            case NumberBy():
                return self.number(path, kind.numbers[read[kind.member]], value)
            case PastDay():
                return self._day(path, date.fromisoformat(value), is_birth=kind.is_birth)
            case PostalAddress():
                address = check_address(path, msgspec.convert(value, Address))
                return {name: each for name, each in msgspec.to_builtins(address).items() if each}

    def _day(self, path: str, day: date, *, is_birth: bool) -> str:
        check = check_birth_date if is_birth else check_past_date
        return check(path, day, today=self._today).isoformat()


def _word(path: str, kind: Words | WordsBy, value: str, read: Told) -> str:
    if isinstance(kind, WordsBy):
        decided = read[kind.member]
        words, when = kind.values[decided], f" when {kind.member} is {decided}"
    else:
        words, when = kind.values, ""
    asked = value.strip().casefold()
    for word in words:
        if word.casefold() == asked:
            return word
    one = "one of " if len(words) > 1 else ""
    raise FieldInvalid(f"{path} must be {one}{', '.join(words)}{when}", field=path)


def _check_absent(path: str, field: Field, read: Told) -> None:
    if field.required is True:
        raise FieldInvalid(f"{path} is required", field=path)
    if isinstance(field.required, When) and _holds(field.required, read):
        raise FieldInvalid(f"{path} is required when {field.required}", field=path)


def _check_allowed(path: str, field: Field, read: Told) -> None:
    if field.refused is not None and _holds(field.refused, read):
        raise FieldInvalid(f"{path} must be left out when {field.refused}", field=path)


def _holds(when: When, read: Told) -> bool:
    return read.get(when.member) in when.words
