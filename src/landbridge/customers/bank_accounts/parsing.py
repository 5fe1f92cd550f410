"""Validation of submitted accounts by the table of their type.

Invalid input has two outcomes. Input that cannot be an account (a member is missing, malformed or
superfluous) is rejected and not stored. A well-formed but inconsistent number (check digits,
country, range) is stored with the account, which is then rejected. Source: contract, errors 4
(account validation failure).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

import msgspec

from landbridge.customers.bank_accounts.errors import AccountDataInvalid
from landbridge.customers.bank_accounts.field_tables import (
    AccountField,
    AccountTypeTable,
    AddressField,
    ChoiceField,
    DependentChoiceField,
    DependentNumberField,
    FieldCardinality,
    FieldCondition,
    HolderKey,
    Kind,
    PastDateField,
    Ramp,
    TextField,
)
from landbridge.customers.bank_accounts.types import BY_TYPE, NAMES
from landbridge.customers.users.model import UserType
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.addresses import Address, check_address
from landbridge.platform.formats.bank_numbers import BankNumber
from landbridge.platform.formats.people import check_birth_date, check_past_date
from landbridge.platform.metadata.model import FIELD, merged

HOLDER = "accountHolder"

RequestFields = Mapping[str, Any]


class NumberContradiction(msgspec.Struct, frozen=True, kw_only=True):
    """Inconsistent number, named by its path in the request."""

    field: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedAccount:
    """Account in canonical form; `holder` is None where the type has none."""

    table: AccountTypeTable
    ramp: Ramp
    holder: dict[str, Any] | None
    bank: dict[str, Any]
    metadata: dict[str, str]
    wrong: tuple[NumberContradiction, ...]

    @property
    def currency(self) -> str:
        """Return the currency, as `usd`."""
        return str(self.bank["currency"])


def read(body: RequestFields, *, today: date) -> ParsedAccount:
    """Parse the account in a request.

    Raises `AccountDataInvalid` for the bank object and `FieldInvalid` for all other members, each
    naming the invalid member.
    """
    table, ramp = _table(body)
    metadata = merged({}, body.get(FIELD) or {})
    reader = _FieldReader(today)
    holder = _read_holder(reader, table, body.get(HOLDER)) if table.holder else None
    try:
        bank = _read_bank(reader, table, cast("RequestFields", body[table.name]))
        _check_holder_key(reader, table.holder_key, bank=bank, holder=holder or {})
    except FieldInvalid as error:
        raise as_field_errors(error) from error
    return ParsedAccount(
        table=table,
        ramp=ramp,
        holder=holder,
        bank=bank,
        metadata=metadata,
        wrong=tuple(reader.wrong),
    )


def as_field_errors(error: FieldInvalid) -> Refused:
    """Return the error, converted to `AccountDataInvalid` if it concerns the bank object."""
    path = (error.field or "").partition(".")[0]
    return AccountDataInvalid(error.message, field=error.field) if path in NAMES else error


def _table(body: RequestFields) -> tuple[AccountTypeTable, Ramp]:
    """Return the request's account type and ramp; check that it has only this bank object."""
    name = str(body.get("type", ""))
    if name not in NAMES:
        raise FieldInvalid(
            f"type must be one of {', '.join(NAMES)}{case_hint(name, NAMES)}", field="type"
        )
    ramps = [ramp for ramp in Ramp if (name, ramp) in BY_TYPE]
    if body.get("rail") not in ramps:
        raise FieldInvalid(f"rail must be {' or '.join(ramps)} for type {name}", field="rail")
    if name not in body:
        raise AccountDataInvalid(f"{name} is required: it holds the bank data", field=name)
    for other in NAMES:
        if other != name and other in body:
            raise AccountDataInvalid(f"{other} does not belong to type {name}", field=other)
    ramp = Ramp(body["rail"])
    return BY_TYPE[name, ramp], ramp


def _read_holder(
    reader: "_FieldReader", table: AccountTypeTable, body: RequestFields | None
) -> dict[str, Any]:
    if body is None:
        raise FieldInvalid(f"{HOLDER} is required for type {table.name}", field=HOLDER)
    types = list(table.holder)
    if body.get("type") not in types:
        raise FieldInvalid(f"{HOLDER}.type must be {' or '.join(types)}", field=f"{HOLDER}.type")
    holder_type = UserType(body["type"])
    members = reader.fields(HOLDER, table.holder[holder_type], body)
    return {"type": holder_type.value, **members}


def _read_bank(
    reader: "_FieldReader", table: AccountTypeTable, body: RequestFields
) -> dict[str, Any]:
    for choice in table.choices:
        _check_choice(table.name, choice, body)
    return reader.fields(table.name, table.fields, body)


def _check_choice(path: str, choice: FieldCardinality, body: RequestFields) -> None:
    names = [f"{path}.{member}" for member in choice.members]
    found = [f"{path}.{member}" for member in choice.members if member in body]
    if len(found) < choice.at_least:
        raise FieldInvalid(f"{' or '.join(names)} is required", field=names[0])
    if len(found) > choice.at_most:
        raise FieldInvalid(f"{found[1]} can't stand beside {found[0]}", field=found[1])


def _check_holder_key(
    reader: "_FieldReader", key: HolderKey | None, *, bank: RequestFields, holder: dict[str, Any]
) -> None:
    """Check that the holder's member can serve as account number if none is present."""
    if key is None or any(name in bank for name in key.unless):
        return
    field = f"{HOLDER}.{key.member}"
    if key.member not in holder:
        raise FieldInvalid(
            f"{field} is required when none of {', '.join(key.unless)} is given", field=field
        )
    holder[key.member] = reader.number(field, key.number, holder[key.member])


class _FieldReader:
    """Reads fields by their table, and collects inconsistent numbers."""

    def __init__(self, today: date) -> None:
        self._today = today
        self.wrong: list[NumberContradiction] = []

    def fields(
        self, place: str, fields: Iterable[AccountField], body: RequestFields
    ) -> dict[str, Any]:
        """Return the canonical members of one object; members without a field are ignored."""
        read: dict[str, Any] = {}
        for field in fields:
            path, value = f"{place}.{field.name}", body.get(field.name, field.default)
            if value is None:
                _check_absent(path, field, read)
            else:
                _check_allowed(path, field, read)
                read[field.name] = self._value(path, field.kind, value, read)
        return read

    def number(self, path: str, number: BankNumber, text: str) -> str:
        """Return a well-formed number; record it as invalid if it is inconsistent."""
        canonical = number.shape(path, text)
        if reason := number.why_not(canonical):
            self.wrong.append(NumberContradiction(field=path, reason=f"{path}: {reason}"))
        return canonical

    def _value(self, path: str, kind: Kind, value: Any, read: RequestFields) -> Any:
        match kind:
            case ChoiceField() | DependentChoiceField():
                return _word(path, kind, value, read)
            case TextField():
                return kind.check(path, value)
            case BankNumber():
                return self.number(path, kind, value)
            case DependentNumberField():
                return self.number(path, kind.numbers[read[kind.member]], value)
            case PastDateField():
                return self._day(path, date.fromisoformat(value), is_birth=kind.is_birth)
            case AddressField():
                address = check_address(path, msgspec.convert(value, Address))
                return {name: each for name, each in msgspec.to_builtins(address).items() if each}

    def _day(self, path: str, day: date, *, is_birth: bool) -> str:
        check = check_birth_date if is_birth else check_past_date
        return check(path, day, today=self._today).isoformat()


def _word(
    path: str, kind: ChoiceField | DependentChoiceField, value: str, read: RequestFields
) -> str:
    if isinstance(kind, DependentChoiceField):
        choice_value = read[kind.member]
        choices, condition = kind.values[choice_value], f" when {kind.member} is {choice_value}"
    else:
        choices, condition = kind.values, ""
    folded = value.strip().casefold()
    for choice in choices:
        if choice.casefold() == folded:
            return choice
    one = "one of " if len(choices) > 1 else ""
    raise FieldInvalid(f"{path} must be {one}{', '.join(choices)}{condition}", field=path)


def _check_absent(path: str, field: AccountField, read: RequestFields) -> None:
    if field.required is True:
        raise FieldInvalid(f"{path} is required", field=path)
    if isinstance(field.required, FieldCondition) and _holds(field.required, read):
        raise FieldInvalid(f"{path} is required when {field.required}", field=path)


def _check_allowed(path: str, field: AccountField, read: RequestFields) -> None:
    if field.refused is not None and _holds(field.refused, read):
        raise FieldInvalid(f"{path} must be left out when {field.refused}", field=path)


def _holds(condition: FieldCondition, read: RequestFields) -> bool:
    return read.get(condition.member) in condition.words
