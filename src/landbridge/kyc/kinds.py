"""Kinds of fields: what may be told, what is kept of it, and how it is described.

Of each kind, `wire` is how requirements name its type, `expected` what the reference says of it,
`read` answers what is kept of a value that is not null, and `schema` is its JSON Schema.

Guarantees: whatever JSON is told, `read` answers the canonical value, as JSON has it, or raises
`FieldInvalid` naming the field; every text, list and number is bounded.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, NoReturn, TypeAlias, cast

import msgspec

from landbridge.core.errors import FieldInvalid
from landbridge.core.shapes import refuse
from landbridge.formats.people import check_birth_date, check_past_date
from landbridge.formats.places import Address, check_address
from landbridge.formats.texts import TEXT_LENGTH_MAX, check_text
from landbridge.users.policy import Policy

PROSE_LENGTH_MAX = 2000
LIST_LENGTH_MAX = 20
# Percent; four places are more than any register has.
_SHARE_MAX = 100
_SHARE_PLACES = 4
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_BREAKS = re.compile(r"[\r\n\t]+")

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Context:
    """What checks depend on besides the value."""

    today: date
    policy: Policy


@dataclass(frozen=True, slots=True)
class Text:
    """A text whose form has one check."""

    expected: str
    check: Callable[[str, str], str]
    format: str | None = None
    wire: ClassVar[str] = "string"

    def read(self, field: str, value: Any, context: Context) -> str:
        """The text in canonical form."""
        del context
        return self.check(field, _text(field, value))

    def schema(self) -> Schema:
        """A string."""
        return {"type": "string"} | ({"format": self.format} if self.format else {})


@dataclass(frozen=True, slots=True)
class Words:
    """One of these words."""

    values: tuple[str, ...]
    wire: ClassVar[str] = "string"

    @property
    def expected(self) -> str:
        """The words."""
        return f"one of {', '.join(f'`{each}`' for each in self.values)}"

    def read(self, field: str, value: Any, context: Context) -> str:
        """The word."""
        del context
        if not isinstance(value, str) or value not in self.values:
            raise FieldInvalid(f"{field} must be one of {', '.join(self.values)}", field=field)
        return value

    def schema(self) -> Schema:
        """An enumeration."""
        return {"type": "string", "enum": list(self.values)}


@dataclass(frozen=True, slots=True)
class Several:
    """A list of 1 to `LIST_LENGTH_MAX` different things.

    `is_joined`: answers have the elements in one text with commas between them, as the contract
    has it, and so they may be told.
    """

    each: Text | Words
    is_joined: bool = False
    wire: ClassVar[str] = "array"

    @property
    def expected(self) -> str:
        """What each is."""
        text = ", or one text with commas" if self.is_joined else ""
        return f"list of 1 to {LIST_LENGTH_MAX}{text}, each: {self.each.expected}"

    def read(self, field: str, value: Any, context: Context) -> list[str]:
        """The list without repetitions."""
        is_text = self.is_joined and isinstance(value, str)
        told = elements(field, value.split(",") if is_text else value)
        if not 1 <= len(told) <= LIST_LENGTH_MAX:
            raise FieldInvalid(f"{field} must have 1 to {LIST_LENGTH_MAX} elements", field=field)
        found = [
            self.each.read(f"{field}[{place}]", _stripped(each), context)
            for place, each in enumerate(told)
        ]
        return list(dict.fromkeys(found))

    def schema(self) -> Schema:
        """An array."""
        return {"type": "array", "items": self.each.schema()}


@dataclass(frozen=True, slots=True)
class Day:
    """A date without a time."""

    expected: str
    check: Callable[[str, date, date], date]
    wire: ClassVar[str] = "date"

    def read(self, field: str, value: Any, context: Context) -> str:
        """The date as `2026-01-31`."""
        return self.check(field, day(field, value), context.today).isoformat()

    def schema(self) -> Schema:
        """A date."""
        return {"type": "string", "format": "date"}


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    expected: ClassVar[str] = "`true` or `false`"
    wire: ClassVar[str] = "boolean"

    def read(self, field: str, value: Any, context: Context) -> bool:
        """The claim."""
        del context
        if not isinstance(value, bool):
            raise FieldInvalid(f"{field} must be true or false", field=field)
        return value

    def schema(self) -> Schema:
        """A boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Share:
    """A share in percent. It is kept as a text, which JSON can't round."""

    expected: ClassVar[str] = f"number from 0 to {_SHARE_MAX}, at most {_SHARE_PLACES} decimals"
    wire: ClassVar[str] = "number"

    def read(self, field: str, value: Any, context: Context) -> str:
        """The share without useless zeros."""
        del context
        wrong = FieldInvalid(f"{field} must be a {self.expected}", field=field)
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise wrong
        share = Decimal(value) if isinstance(value, int) else value
        if not 0 <= share <= _SHARE_MAX:
            raise wrong
        exact = share.quantize(Decimal(1).scaleb(-_SHARE_PLACES))
        if exact != share:
            raise wrong
        return f"{abs(exact).normalize():f}"

    def schema(self) -> Schema:
        """A number."""
        return {"type": "number", "minimum": 0, "maximum": _SHARE_MAX}


@dataclass(frozen=True, slots=True)
class PostalAddress:
    """An address where users may live."""

    expected: ClassVar[str] = "address; it replaces the one before as a whole"
    wire: ClassVar[str] = "object"

    def read(self, field: str, value: Any, context: Context) -> dict[str, Any]:
        """The address in canonical form."""
        told = members(field, value)
        try:
            address = msgspec.convert(told, Address)
        except msgspec.ValidationError as error:
            _refuse_within(field, error)
        address = check_address(field, address)
        context.policy.check_supported(field, address)
        return cast("dict[str, Any]", msgspec.to_builtins(address))

    def schema(self) -> Schema:
        """An object."""
        return {"$ref": "#/components/schemas/Address"}


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """An object whose members are fields themselves; told members replace, others stay."""

    fields: Mapping[str, "Kind"]
    wire: ClassVar[str] = "object"
    expected: ClassVar[str] = "object; members that are told replace those before, others stay"

    def read(self, field: str, value: Any, context: Context) -> dict[str, Any]:
        """What is told, as if nothing had been told before."""
        return changed(self.fields, {}, members(field, value), context, under=f"{field}.")

    def schema(self) -> Schema:
        """An object."""
        return object_schema(self.fields)


def changed(
    fields: Mapping[str, "Kind"],
    before: Mapping[str, Any],
    told: Mapping[str, Any],
    context: Context,
    *,
    under: str = "",
) -> dict[str, Any]:
    """What stands in `fields` after `told`: null takes away, members without a field are ignored.

    `under` stands before the names of fields in errors, as in `ultimateBeneficialOwners[1].`.
    """
    after = dict(before)
    for name, kind in fields.items():
        if name not in told:
            continue
        value, field = told[name], f"{under}{name}"
        if value is None:
            after.pop(name, None)
        elif isinstance(kind, Questionnaire):
            merged = changed(
                kind.fields,
                after.pop(name, {}),
                members(field, value),
                context,
                under=f"{field}.",
            )
            # An empty object says no more than none.
            after |= {name: merged} if merged else {}
        else:
            after[name] = kind.read(field, value, context)
    return {name: after[name] for name in fields if name in after}


def prose(field: str, text: str) -> str:
    """A longer text; line breaks become blanks."""
    return check_text(field, _BREAKS.sub(" ", text), length_max=PROSE_LENGTH_MAX)


def past_day(field: str, told: date, today: date) -> date:
    """A day before today."""
    return check_past_date(field, told, today=today)


def birth_day(field: str, told: date, today: date) -> date:
    """A day on which somebody who lives was born."""
    return check_birth_date(field, told, today=today)


def any_day(field: str, told: date, today: date) -> date:
    """Any day."""
    del field, today
    return told


def day(field: str, value: Any) -> date:
    """The date that a text spells."""
    wrong = FieldInvalid(f"{field} must be a date, as in 2026-01-31", field=field)
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        raise wrong
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise wrong from error


def members(field: str, value: Any) -> Mapping[str, Any]:
    """The members of an object."""
    if not isinstance(value, dict):
        raise FieldInvalid(f"{field} must be an object", field=field)
    return cast("dict[str, Any]", value)


def elements(field: str, value: Any) -> Sequence[Any]:
    """The elements of an array."""
    if not isinstance(value, list):
        raise FieldInvalid(f"{field} must be an array", field=field)
    return cast("list[Any]", value)


def object_schema(fields: Mapping[str, "Kind"]) -> Schema:
    """An object with these fields, none of them required."""
    return {"type": "object", "properties": {name: each.schema() for name, each in fields.items()}}


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise FieldInvalid(f"{field} must be a text", field=field)
    return value


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _refuse_within(field: str, error: msgspec.ValidationError) -> NoReturn:
    """What `refuse` raises, with the name of the object in front."""
    try:
        refuse(str(error))
    except FieldInvalid as inner:
        raise FieldInvalid(f"{field}.{inner.message}", field=f"{field}.{inner.field}") from error


Kind: TypeAlias = Text | Words | Several | Day | Flag | Share | PostalAddress | Questionnaire

TEXT = Text(f"text of 1 to {TEXT_LENGTH_MAX} characters", check_text)
