"""Questions on a page: field, input element, and parsing of the answer.

All of this is pure, and derived from tables: a question is a field of `kyc.fields`, its texts come
from the labels. A `Form` is the data that a browser sends: all values of an input, by its name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, cast

from landbridge.customers.kyc.field_types import (
    TEXT,
    AddressFieldType,
    BooleanFieldType,
    ChoiceFieldType,
    DateFieldType,
    Kind,
    ListFieldType,
    PercentFieldType,
    TextFieldType,
    ValidationContext,
    prose,
)
from landbridge.customers.onboarding import countries, labels
from landbridge.customers.users.model import UserType
from landbridge.customers.users.page_language import language, long_date, translate
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.addresses import check_country
from landbridge.platform.formats.people import check_email, check_phone
from landbridge.platform.formats.refusal_texts import known_text
from landbridge.platform.formats.schemas import COUNTRY
from landbridge.platform.formats.texts import check_url
from landbridge.platform.formats.translations import ENGLISH
from landbridge.platform.formats.translations import later as _

Form = Mapping[str, Sequence[str]]
Errors = dict[str, str]

# Longer than any field permits: input is truncated to this, and then rejected for its length.
_ANSWER_LENGTH_MAX = 3000
_YES, _NO = "yes", "no"
# With more choices than this, a drop-down list is shown instead of radio buttons.
_RADIOS_MAX = 4
_DATE_PARTS = (("day", _("Day"), 2), ("month", _("Month"), 2), ("year", _("Year"), 4))
_ADDRESS_PARTS = (
    "addressLine1",
    "addressLine2",
    "city",
    "stateProvinceRegion",
    "postalCode",
    "country",
)
_OPTIONAL_PARTS = {"addressLine2"}
_REGION = "stateProvinceRegion"
_TYPES_BY_CHECK: Mapping[Callable[[str, str], str], str] = {
    check_email: "email",
    check_phone: "tel",
    check_url: "url",
}


class QuestionType(StrEnum):
    """Type of input element."""

    LINE = "line"
    PROSE = "prose"
    SELECT = "select"
    RADIOS = "radios"
    CHECKS = "checks"
    DATE = "date"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class FormQuestion:
    """Field on a form. `path` names it in errors; `of` is the user's type, None for an owner."""

    path: str
    kind: Kind
    of: UserType | None
    is_required: bool = True
    # Name of the field that provides the label, if it differs from the path.
    name: str | None = None

    @property
    def field_label(self) -> labels.FieldLabel:
        """Return the label of the question."""
        return labels.field_label(self.of, self.name or self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormInput:
    """Question as shown on the page. A date has three inputs, an address six."""

    id: str
    label: str
    shape: QuestionType
    hint: str | None = None
    type: str = "text"
    autocomplete: str | None = None
    inputmode: str | None = None
    value: str = ""
    values: Sequence[str] = ()
    options: Sequence[tuple[str, str]] = ()
    parts: "Sequence[FormInput]" = ()
    length_max: int | None = None
    error: str | None = None
    is_required: bool = True

    @property
    def first_id(self) -> str:
        """Return the id of the first input element, which is the target of an error link."""
        return self.parts[0].id if self.parts else self.id


def show(  # noqa: PLR0911  one for each kind
    question: FormQuestion, form: Form, errors: Mapping[str, str]
) -> FormInput:
    """Return the input of a question with its answer and error."""
    path, label, kind = question.path, question.field_label, question.kind
    blank = FormInput(
        id=path,
        label=label.label,
        hint=label.hint,
        shape=QuestionType.LINE,
        autocomplete=label.autocomplete,
        inputmode=label.inputmode,
        value=_first(form, path),
        values=form.get(path, ()),
        error=errors.get(path),
        is_required=question.is_required,
    )
    match kind:
        case AddressFieldType():
            parts = [_address_part(question, each, form, errors) for each in _ADDRESS_PARTS]
            return replace(blank, shape=QuestionType.GROUP, parts=parts)
        case DateFieldType():
            return replace(blank, shape=QuestionType.DATE, parts=_date_parts(path, label, form))
        case BooleanFieldType():
            return replace(
                blank,
                shape=QuestionType.RADIOS,
                options=[(_YES, translate("Yes")), (_NO, translate("No"))],
            )
        case ChoiceFieldType(values=values):
            shape = QuestionType.RADIOS if len(values) <= _RADIOS_MAX else QuestionType.SELECT
            return replace(blank, shape=shape, options=_options(values))
        case ListFieldType(each=ChoiceFieldType(values=values)):
            return replace(blank, shape=QuestionType.CHECKS, options=_options(values))
        case TextFieldType(check=check) if check is check_country:
            return replace(
                blank, shape=QuestionType.SELECT, options=countries.countries(language())
            )
        case TextFieldType(check=check) if check is prose:
            return replace(blank, shape=QuestionType.PROSE)
        case TextFieldType(check=check) if (type_ := _TYPES_BY_CHECK.get(check)) is not None:
            return replace(blank, type=type_)
        case _:
            return blank


def read(question: FormQuestion, form: Form, context: ValidationContext) -> tuple[Any, Errors]:
    """Parse an answer; return its JSON value, None if blank or invalid, and errors by path."""
    inputs, path, label = _read_inputs(question, form), question.path, question.field_label.label
    if isinstance(question.kind, AddressFieldType):
        blank = _blank_parts(question, cast("dict[str, str]", inputs))
        if blank:
            return None, blank if inputs or question.is_required else {}
    elif inputs is None:
        return None, {path: _ask_for(question)} if question.is_required else {}
    try:
        question.kind.read(path, inputs, context)
    except FieldInvalid as error:
        field = error.field or path
        # An address error names its part; a list error only states that the list is invalid.
        if isinstance(question.kind, AddressFieldType):
            label = labels.field_label(question.of, field).label
        else:
            field = path
        return None, {field: sentence(error, label)}
    return inputs, {}


def sentence(error: FieldInvalid, label: str) -> str:
    """Return an error message with the label of the field instead of its name."""
    text = error.message
    if error.field is not None and text.startswith(error.field):
        # The name is followed by a verb (`phone must`), or by a separate sentence (`phone: the`).
        text = f"{label}{text[len(error.field) :]}"
    return named_sentence(text[:1].upper() + text[1:], label)


def named_sentence(text: str, label: str) -> str:
    """Return a field's error in the page's language, or a generic sentence that it is not valid."""
    if language() == ENGLISH:
        return text
    known = known_text(text, language())
    return known or translate("%(label)s is not valid. Correct it.") % {"label": label}


def answered(question: FormQuestion, value: Any) -> dict[str, list[str]]:
    """Return a stored value as the form data that would submit it."""
    path = question.path
    match question.kind:
        case AddressFieldType():
            members = cast("Mapping[str, str | None]", value)
            return {f"{path}.{name}": [text] for name, text in members.items() if text}
        case DateFieldType():
            year, month, day = str(value).split("-")
            return {
                f"{path}.day": [str(int(day))],
                f"{path}.month": [str(int(month))],
                f"{path}.year": [year],
            }
        case BooleanFieldType():
            return {path: [_YES if value else _NO]}
        case ListFieldType(each=ChoiceFieldType()):
            return {path: list(value)}
        case ListFieldType():
            return {path: [", ".join(value)]}
        case _:
            return {path: [str(value)]}


def in_words(question: FormQuestion, value: Any) -> str:  # noqa: PLR0911  one for each kind
    """Format a value for display; an address has several lines."""
    match question.kind:
        case AddressFieldType():
            members = cast("Mapping[str, str]", value)
            country = members["country"]
            named = {
                **members,
                _REGION: countries.region_name(country, members[_REGION]),
                "country": countries.country_name(country, language()),
            }
            return "\n".join(named[each] for each in _ADDRESS_PARTS if named.get(each))
        case DateFieldType():
            return long_date(datetime.fromisoformat(str(value)))
        case BooleanFieldType():
            return translate("Yes") if value else translate("No")
        case ChoiceFieldType():
            return labels.value(value)
        case ListFieldType(each=ChoiceFieldType()):
            return ", ".join(labels.value(each) for each in value)
        case ListFieldType():
            return ", ".join(value)
        case TextFieldType(check=check) if check is check_country:
            return countries.country_name(value, language())
        case PercentFieldType():
            return f"{value} %"
        case _:
            return str(value)


def _read_inputs(question: FormQuestion, form: Form) -> Any:
    path = question.path
    match question.kind:
        case AddressFieldType():
            parts = {each: _first(form, f"{path}.{each}") for each in _ADDRESS_PARTS}
            inputs = {name: text for name, text in parts.items() if text}
            if _REGION in inputs:
                inputs[_REGION] = countries.region_code(inputs.get("country", ""), inputs[_REGION])
            return inputs
        case DateFieldType():
            day, month, year = (_first(form, f"{path}.{name}") for name, _, _ in _DATE_PARTS)
            return f"{year:0>4}-{month:0>2}-{day:0>2}" if day or month or year else None
        case BooleanFieldType():
            return {_YES: True, _NO: False}.get(_first(form, path))
        case ListFieldType(each=ChoiceFieldType()):
            return [each[:_ANSWER_LENGTH_MAX] for each in form.get(path, ())] or None
        case PercentFieldType():
            return _number(_first(form, path).replace(",", ".").removesuffix("%").strip())
        case _:
            return _first(form, path) or None


def _number(text: str) -> Decimal | str | None:
    try:
        found = Decimal(text)
    except InvalidOperation:
        return text or None
    return found if found.is_finite() else text


def _first(form: Form, name: str) -> str:
    values = form.get(name, ())
    return values[0].strip()[:_ANSWER_LENGTH_MAX] if values else ""


def _blank_parts(question: FormQuestion, inputs: Mapping[str, str]) -> Errors:
    return {
        path: _ask_for(replace(question, path=path, kind=_COUNTRY if each == "country" else TEXT))
        for each in _ADDRESS_PARTS
        if each not in inputs and each not in _OPTIONAL_PARTS
        for path in [f"{question.path}.{each}"]
    }


def _ask_for(question: FormQuestion) -> str:
    """Return the error message for a blank answer."""
    label, kind = question.field_label.label, question.kind
    is_choice = isinstance(kind, BooleanFieldType | ChoiceFieldType) or (
        isinstance(kind, ListFieldType) and isinstance(kind.each, ChoiceFieldType)
    )
    is_choice |= isinstance(kind, TextFieldType) and kind.check is check_country
    if label.endswith("?"):
        prompt = translate("Choose an answer") if is_choice else translate("Enter an answer")
        return f"{label} {prompt}"
    # A label in capitals, such as BVN, stays unchanged.
    lower = label if label[:2].isupper() and label[:2].isalpha() else label[:1].lower() + label[1:]
    if question.of is UserType.INDIVIDUAL:
        text = (
            translate("Choose your %(label)s") if is_choice else translate("Enter your %(label)s")
        )
    else:
        text = translate("Choose the %(label)s") if is_choice else translate("Enter the %(label)s")
    return text % {"label": lower}


def _address_part(
    question: FormQuestion, name: str, form: Form, errors: Mapping[str, str]
) -> FormInput:
    path = f"{question.path}.{name}"
    label = labels.field_label(question.of, path)
    form_input = FormInput(
        id=path,
        label=label.label,
        hint=label.hint,
        shape=QuestionType.LINE,
        autocomplete=label.autocomplete,
        value=_first(form, path),
        error=errors.get(path),
        is_required=question.is_required and name not in _OPTIONAL_PARTS,
    )
    if name == "country":
        return replace(
            form_input, shape=QuestionType.SELECT, options=countries.countries(language())
        )
    country = _first(form, f"{question.path}.country")
    # Offer a list of regions only after a failed attempt, because typing is easier.
    if name == _REGION and form_input.error and (known := countries.regions(country)):
        return replace(form_input, shape=QuestionType.SELECT, options=known, hint=None)
    return form_input


def _date_parts(path: str, field_label: labels.FieldLabel, form: Form) -> list[FormInput]:
    fills = field_label.autocomplete == "bday"
    return [
        FormInput(
            id=f"{path}.{name}",
            label=translate(label),
            shape=QuestionType.LINE,
            inputmode="numeric",
            autocomplete=f"bday-{name}" if fills else "off",
            value=_first(form, f"{path}.{name}"),
            length_max=length,
        )
        for name, label, length in _DATE_PARTS
    ]


def _options(values: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of value and label for the choices; the empty choice is last."""
    ordered = sorted(values, key=lambda each: each.startswith("none_"))
    return [(each, labels.value(each)) for each in ordered]


_COUNTRY = TextFieldType("", check_country, COUNTRY)
