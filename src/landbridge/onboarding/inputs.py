"""Questions on a page: what is asked, how a browser asks it, and what was answered.

Pure, and generated: a question is a field of `kyc.fields`, its words come from `words`. A form is
what a browser sends: by the name of an input, all values of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, cast

from landbridge.core.errors import FieldInvalid
from landbridge.formats.people import check_email, check_phone
from landbridge.formats.places import check_country
from landbridge.formats.texts import check_url
from landbridge.kyc.kinds import (
    TEXT,
    Context,
    Day,
    Flag,
    Kind,
    PostalAddress,
    Several,
    Share,
    Text,
    Words,
    prose,
)
from landbridge.onboarding import places, words
from landbridge.users.model import UserType

Form = Mapping[str, Sequence[str]]
Errors = dict[str, str]

# Beyond every field there is; what is longer is cut, and refused for its length.
_ANSWER_LENGTH_MAX = 3000
_YES, _NO = "yes", "no"
# Beyond so many, choices are a list to open.
_RADIOS_MAX = 4
_DATE_PARTS = (("day", "Day", 2), ("month", "Month", 2), ("year", "Year", 4))
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


class Shape(StrEnum):
    """How a browser asks."""

    LINE = "line"
    PROSE = "prose"
    SELECT = "select"
    RADIOS = "radios"
    CHECKS = "checks"
    DATE = "date"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Question:
    """A field that is asked: `path` as errors name it, `of` whose it is (None: an owner's)."""

    path: str
    kind: Kind
    of: UserType | None
    is_required: bool = True
    # The field that it is called after, where the path is another.
    name: str | None = None

    @property
    def word(self) -> words.Word:
        """What to say of it."""
        return words.word(self.of, self.name or self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A question as the page shows it. A date has three parts, an address six."""

    id: str
    label: str
    shape: Shape
    hint: str | None = None
    type: str = "text"
    autocomplete: str | None = None
    inputmode: str | None = None
    value: str = ""
    values: Sequence[str] = ()
    options: Sequence[tuple[str, str]] = ()
    parts: "Sequence[Input]" = ()
    length_max: int | None = None
    error: str | None = None
    is_required: bool = True

    @property
    def first_id(self) -> str:
        """Where an error leads: what can be typed into or chosen."""
        return self.parts[0].id if self.parts else self.id


def show(  # noqa: PLR0911  one for each kind
    question: Question, form: Form, errors: Mapping[str, str]
) -> Input:
    """A question with what was answered, and what is wrong with that."""
    path, word, kind = question.path, question.word, question.kind
    blank = Input(
        id=path,
        label=word.label,
        hint=word.hint,
        shape=Shape.LINE,
        autocomplete=word.autocomplete,
        inputmode=word.inputmode,
        value=_first(form, path),
        values=form.get(path, ()),
        error=errors.get(path),
        is_required=question.is_required,
    )
    match kind:
        case PostalAddress():
            parts = [_address_part(question, each, form, errors) for each in _ADDRESS_PARTS]
            return replace(blank, shape=Shape.GROUP, parts=parts)
        case Day():
            return replace(blank, shape=Shape.DATE, parts=_date_parts(path, word, form))
        case Flag():
            return replace(blank, shape=Shape.RADIOS, options=[(_YES, "Yes"), (_NO, "No")])
        case Words(values=values):
            shape = Shape.RADIOS if len(values) <= _RADIOS_MAX else Shape.SELECT
            return replace(blank, shape=shape, options=_options(values))
        case Several(each=Words(values=values)):
            return replace(blank, shape=Shape.CHECKS, options=_options(values))
        case Text(check=check) if check is check_country:
            return replace(blank, shape=Shape.SELECT, options=places.countries())
        case Text(check=check) if check is prose:
            return replace(blank, shape=Shape.PROSE)
        case Text(check=check) if (type_ := _TYPES_BY_CHECK.get(check)) is not None:
            return replace(blank, type=type_)
        case _:
            return blank


def read(question: Question, form: Form, context: Context) -> tuple[Any, Errors]:
    """What was answered, as a caller's JSON would tell it, and what is wrong with it by path.

    None for a blank, and for what is wrong.
    """
    told, path, label = _told(question, form), question.path, question.word.label
    if isinstance(question.kind, PostalAddress):
        blank = _blank_parts(question, cast("dict[str, str]", told))
        if blank:
            return None, blank if told or question.is_required else {}
    elif told is None:
        return None, {path: _ask_for(question)} if question.is_required else {}
    try:
        question.kind.read(path, told, context)
    except FieldInvalid as error:
        field = error.field or path
        # An address says which part it is; of a list no more is shown than that it is wrong.
        if isinstance(question.kind, PostalAddress):
            label = words.word(question.of, field).label
        else:
            field = path
        return None, {field: sentence(error, label)}
    return told, {}


def sentence(error: FieldInvalid, label: str) -> str:
    """What a refusal says, with the label of a field instead of its name."""
    said = error.message
    if error.field is not None and said.startswith(error.field):
        # A name and its verb (`phone must`), or a name and a sentence of its own (`phone: the`).
        return f"{label}{said[len(error.field) :]}"
    return said[:1].upper() + said[1:]


def answered(question: Question, value: Any) -> dict[str, list[str]]:
    """A value that is stored, as the form that would tell it."""
    path = question.path
    match question.kind:
        case PostalAddress():
            members = cast("Mapping[str, str | None]", value)
            return {f"{path}.{name}": [text] for name, text in members.items() if text}
        case Day():
            year, month, day = str(value).split("-")
            return {
                f"{path}.day": [str(int(day))],
                f"{path}.month": [str(int(month))],
                f"{path}.year": [year],
            }
        case Flag():
            return {path: [_YES if value else _NO]}
        case Several(each=Words()):
            return {path: list(value)}
        case Several():
            return {path: [", ".join(value)]}
        case _:
            return {path: [str(value)]}


def in_words(question: Question, value: Any) -> str:  # noqa: PLR0911  one for each kind
    """A value as people read it, an address in several lines."""
    match question.kind:
        case PostalAddress():
            members = cast("Mapping[str, str]", value)
            country = members["country"]
            named = {
                **members,
                _REGION: places.region_name(country, members[_REGION]),
                "country": places.country_name(country),
            }
            return "\n".join(named[each] for each in _ADDRESS_PARTS if named.get(each))
        case Day():
            year, month, day = str(value).split("-")
            return f"{int(day)} {_MONTHS[int(month) - 1]} {year}"
        case Flag():
            return "Yes" if value else "No"
        case Words():
            return words.value(value)
        case Several(each=Words()):
            return ", ".join(words.value(each) for each in value)
        case Several():
            return ", ".join(value)
        case Text(check=check) if check is check_country:
            return places.country_name(value)
        case Share():
            return f"{value} %"
        case _:
            return str(value)


_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


def _told(question: Question, form: Form) -> Any:
    path = question.path
    match question.kind:
        case PostalAddress():
            parts = {each: _first(form, f"{path}.{each}") for each in _ADDRESS_PARTS}
            told = {name: text for name, text in parts.items() if text}
            if _REGION in told:
                told[_REGION] = places.region_code(told.get("country", ""), told[_REGION])
            return told
        case Day():
            day, month, year = (_first(form, f"{path}.{name}") for name, _, _ in _DATE_PARTS)
            return f"{year:0>4}-{month:0>2}-{day:0>2}" if day or month or year else None
        case Flag():
            return {_YES: True, _NO: False}.get(_first(form, path))
        case Several(each=Words()):
            return [each[:_ANSWER_LENGTH_MAX] for each in form.get(path, ())] or None
        case Share():
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


def _blank_parts(question: Question, told: Mapping[str, str]) -> Errors:
    return {
        path: _ask_for(replace(question, path=path, kind=_COUNTRY if each == "country" else TEXT))
        for each in _ADDRESS_PARTS
        if each not in told and each not in _OPTIONAL_PARTS
        for path in [f"{question.path}.{each}"]
    }


def _ask_for(question: Question) -> str:
    """What to say of a blank."""
    label, kind = question.word.label, question.kind
    is_choice = isinstance(kind, Flag | Words) or (
        isinstance(kind, Several) and isinstance(kind.each, Words)
    )
    is_choice |= isinstance(kind, Text) and kind.check is check_country
    verb = "Choose" if is_choice else "Enter"
    if label.endswith("?"):
        return f"{label} {verb} an answer"
    # A label in capitals, as in BVN, stays so.
    lower = label if label[:2].isupper() and label[:2].isalpha() else label[:1].lower() + label[1:]
    return f"{verb} {'your' if question.of is UserType.INDIVIDUAL else 'the'} {lower}"


def _address_part(question: Question, name: str, form: Form, errors: Mapping[str, str]) -> Input:
    path = f"{question.path}.{name}"
    word = words.word(question.of, path)
    made = Input(
        id=path,
        label=word.label,
        hint=word.hint,
        shape=Shape.LINE,
        autocomplete=word.autocomplete,
        value=_first(form, path),
        error=errors.get(path),
        is_required=question.is_required and name not in _OPTIONAL_PARTS,
    )
    if name == "country":
        return replace(made, shape=Shape.SELECT, options=places.countries())
    country = _first(form, f"{question.path}.country")
    # Only after a try: nobody looks for a region in a list who can type it.
    if name == _REGION and made.error and (known := places.regions(country)):
        return replace(made, shape=Shape.SELECT, options=known, hint=None)
    return made


def _date_parts(path: str, word: words.Word, form: Form) -> list[Input]:
    fills = word.autocomplete == "bday"
    return [
        Input(
            id=f"{path}.{name}",
            label=label,
            shape=Shape.LINE,
            inputmode="numeric",
            autocomplete=f"bday-{name}" if fills else "off",
            value=_first(form, f"{path}.{name}"),
            length_max=length,
        )
        for name, label, length in _DATE_PARTS
    ]


def _options(values: Sequence[str]) -> list[tuple[str, str]]:
    """The choices; none of them comes last."""
    ordered = sorted(values, key=lambda each: each.startswith("none_"))
    return [(each, words.value(each)) for each in ordered]


_COUNTRY = Text("", check_country)
