"""Types of fields: validation, canonical form and description.

Each type has four members: `wire` is its name in requirements, `expected` its description in the
reference, `read` returns the canonical form of a value that is not null, and `schema` returns its
JSON Schema.

Guarantees: for any JSON input, `read` returns the canonical value as JSON, or raises `FieldInvalid`
naming the field; every text, list and number is bounded.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, NoReturn, TypeAlias, cast

import msgspec

from landbridge.customers.kyc.numbers import canonical_or_same
from landbridge.customers.users.country_policy import CountryPolicy
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.decode_errors import refuse
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.files.model import file_uuid
from landbridge.platform.formats.addresses import Address, check_address
from landbridge.platform.formats.people import check_birth_date, check_past_date
from landbridge.platform.formats.schemas import line
from landbridge.platform.formats.texts import TEXT_LENGTH_MAX, check_text, check_url
from landbridge.platform.http.constraints import Keywords

PROSE_LENGTH_MAX = 2000
LIST_LENGTH_MAX = 20
# Largest share, in percent. Registers use at most four decimal places.
_SHARE_MAX = 100
_SHARE_PLACES = 4
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_BREAKS = re.compile(r"[\r\n\t]+")

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ValidationContext:
    """Inputs of a check in addition to the value.

    With `keeps_wrong_numbers`, an invalid phone or tax number is stored as sent; it is reported
    when the data are submitted for verification.
    """

    today: date
    policy: CountryPolicy
    keeps_wrong_numbers: bool = False


@dataclass(frozen=True, slots=True)
class TextFieldType:
    """Text with one format check. `is_number`: `keeps_wrong_numbers` applies to this field."""

    expected: str
    check: Callable[[str, str], str]
    form: Keywords = field(hash=False)
    is_number: bool = False
    wire: ClassVar[str] = "string"

    def read(self, field: str, value: Any, context: ValidationContext) -> str:
        """Return the text in canonical form."""
        text = _text(field, value)
        if self.is_number and context.keeps_wrong_numbers:
            return canonical_or_same(self.check, field, text)
        return self.check(field, text)

    def schema(self) -> Schema:
        """Return the schema of a string."""
        return dict(self.form)


@dataclass(frozen=True, slots=True)
class ChoiceFieldType:
    """One value of an enumeration."""

    values: tuple[str, ...]
    wire: ClassVar[str] = "string"

    @property
    def expected(self) -> str:
        """Return the permitted values."""
        return f"one of {', '.join(f'`{each}`' for each in self.values)}"

    def read(self, field: str, value: Any, context: ValidationContext) -> str:
        """Return the value."""
        del context
        if not isinstance(value, str) or value not in self.values:
            hint = case_hint(value, self.values)
            raise FieldInvalid(
                f"{field} must be one of {', '.join(self.values)}{hint}", field=field
            )
        return value

    def schema(self) -> Schema:
        """Return the schema of an enumeration."""
        return {"type": "string", "enum": list(self.values)}


@dataclass(frozen=True, slots=True)
class ListFieldType:
    """List of 1 to `LIST_LENGTH_MAX` distinct elements.

    With `is_joined`, responses contain the elements in one text, separated by commas, as the
    contract requires; input in this form is accepted too.
    """

    each: TextFieldType | ChoiceFieldType
    is_joined: bool = False
    wire: ClassVar[str] = "array"

    @property
    def expected(self) -> str:
        """Return the description of an element."""
        text = ", or one text with commas" if self.is_joined else ""
        return f"list of 1 to {LIST_LENGTH_MAX}{text}, each: {self.each.expected}"

    def read(self, field: str, value: Any, context: ValidationContext) -> list[str]:
        """Return the list without repetitions."""
        is_text = self.is_joined and isinstance(value, str)
        items = elements(field, value.split(",") if is_text else value)
        if not 1 <= len(items) <= LIST_LENGTH_MAX:
            raise FieldInvalid(f"{field} must have 1 to {LIST_LENGTH_MAX} elements", field=field)
        found = [
            self.each.read(f"{field}[{index}]", _stripped(each), context)
            for index, each in enumerate(items)
        ]
        return list(dict.fromkeys(found))

    def schema(self) -> Schema:
        """Return the schema of an array."""
        bounds = {"minItems": 1, "maxItems": LIST_LENGTH_MAX}
        return {"type": "array", "items": self.each.schema(), **bounds}


@dataclass(frozen=True, slots=True)
class DateFieldType:
    """Date without a time."""

    expected: str
    check: Callable[[str, date, date], date]
    wire: ClassVar[str] = "date"

    def read(self, field: str, value: Any, context: ValidationContext) -> str:
        """Return the date as `2026-01-31`."""
        return self.check(field, day(field, value), context.today).isoformat()

    def schema(self) -> Schema:
        """Return the schema of a date."""
        return {"type": "string", "format": "date"}


@dataclass(frozen=True, slots=True)
class BooleanFieldType:
    """True or false."""

    expected: ClassVar[str] = "`true` or `false`"
    wire: ClassVar[str] = "boolean"

    def read(self, field: str, value: Any, context: ValidationContext) -> bool:
        """Return the boolean."""
        del context
        if not isinstance(value, bool):
            raise FieldInvalid(f"{field} must be true or false", field=field)
        return value

    def schema(self) -> Schema:
        """Return the schema of a boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class PercentFieldType:
    """Share in percent, stored as text so that JSON does not round it."""

    expected: ClassVar[str] = f"number from 0 to {_SHARE_MAX}, at most {_SHARE_PLACES} decimals"
    wire: ClassVar[str] = "number"

    def read(self, field: str, value: Any, context: ValidationContext) -> str:
        """Return the share without trailing zeros."""
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
        """Return the schema of a number."""
        return {"type": "number", "minimum": 0, "maximum": _SHARE_MAX}


@dataclass(frozen=True, slots=True)
class AddressFieldType:
    """Postal address in a country where users may live."""

    expected: ClassVar[str] = "address; it replaces the one before as a whole"
    wire: ClassVar[str] = "object"

    def read(self, field: str, value: Any, context: ValidationContext) -> dict[str, Any]:
        """Return the address in canonical form."""
        parts = members(field, value)
        try:
            address = msgspec.convert(parts, Address)
        except msgspec.ValidationError as error:
            _refuse_within(field, error)
        address = check_address(field, address)
        context.policy.check_supported(field, address)
        return cast("dict[str, Any]", msgspec.to_builtins(address))

    def schema(self) -> Schema:
        """Return a reference to the schema `Address`."""
        return {"$ref": "#/components/schemas/Address"}


@dataclass(frozen=True, slots=True)
class QuestionnaireFieldType:
    """Object with fields as members; submitted members replace stored ones, the rest stay."""

    fields: Mapping[str, "Kind"]
    wire: ClassVar[str] = "object"
    expected: ClassVar[str] = "object; given members replace those before, others stay"

    def read(self, field: str, value: Any, context: ValidationContext) -> dict[str, Any]:
        """Return the submitted members as if no value were stored."""
        return changed(self.fields, {}, members(field, value), context, under=f"{field}.")

    def schema(self) -> Schema:
        """Return the schema of an object."""
        return object_schema(self.fields)


def changed(
    fields: Mapping[str, "Kind"],
    before: Mapping[str, Any],
    submitted: Mapping[str, Any],
    context: ValidationContext,
    *,
    under: str = "",
) -> dict[str, Any]:
    """Return the stored fields after an update: null removes, unknown members are ignored.

    `under` is the prefix of field names in errors, as in `ultimateBeneficialOwners[1].`.
    """
    after = dict(before)
    for name, kind in fields.items():
        if name not in submitted:
            continue
        value, field = submitted[name], f"{under}{name}"
        if value is None:
            after.pop(name, None)
        elif isinstance(kind, QuestionnaireFieldType):
            merged = changed(
                kind.fields,
                after.pop(name, {}),
                members(field, value),
                context,
                under=f"{field}.",
            )
            # An empty object carries no more information than an absent one.
            after |= {name: merged} if merged else {}
        else:
            after[name] = kind.read(field, value, context)
    return {name: after[name] for name in fields if name in after}


def prose(field: str, text: str) -> str:
    """Validate a text of several lines, and return it with spaces for line breaks."""
    return check_text(field, _BREAKS.sub(" ", text), length_max=PROSE_LENGTH_MAX)


def url_or_file(field: str, text: str) -> str:
    """Validate an http or https URL, or the id of an uploaded file, and return it."""
    return text if file_uuid(text) else check_url(field, text)


def past_day(field: str, value: date, today: date) -> date:
    """Validate a day before today."""
    return check_past_date(field, value, today=today)


def birth_day(field: str, value: date, today: date) -> date:
    """Validate a plausible birth date of a living person."""
    return check_birth_date(field, value, today=today)


def any_day(field: str, value: date, today: date) -> date:
    """Return the day unchanged; any day is valid."""
    del field, today
    return value


def day(field: str, value: Any) -> date:
    """Parse the date in a text."""
    wrong = FieldInvalid(f"{field} must be a date, as in 2026-01-31", field=field)
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        raise wrong
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise wrong from error


def members(field: str, value: Any) -> Mapping[str, Any]:
    """Return the members of a JSON object; raises `FieldInvalid` for another type."""
    if not isinstance(value, dict):
        raise FieldInvalid(f"{field} must be an object", field=field)
    return cast("dict[str, Any]", value)


def elements(field: str, value: Any) -> Sequence[Any]:
    """Return the elements of a JSON array; raises `FieldInvalid` for another type."""
    if not isinstance(value, list):
        raise FieldInvalid(f"{field} must be an array", field=field)
    return cast("list[Any]", value)


def object_schema(fields: Mapping[str, "Kind"]) -> Schema:
    """Return the schema of an object with these fields, all optional."""
    return {"type": "object", "properties": {name: each.schema() for name, each in fields.items()}}


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise FieldInvalid(f"{field} must be a text", field=field)
    return value


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _refuse_within(field: str, error: msgspec.ValidationError) -> NoReturn:
    """Raise the error of `refuse` with the name of the object as prefix."""
    try:
        refuse(str(error))
    except FieldInvalid as inner:
        raise FieldInvalid(f"{field}.{inner.message}", field=f"{field}.{inner.field}") from error


Kind: TypeAlias = (
    TextFieldType
    | ChoiceFieldType
    | ListFieldType
    | DateFieldType
    | BooleanFieldType
    | PercentFieldType
    | AddressFieldType
    | QuestionnaireFieldType
)

TEXT = TextFieldType(f"text of 1 to {TEXT_LENGTH_MAX} characters", check_text, line())
