"""KYC data as a form and as rows: input types, values, and changes made by the member.

Pure, built from the field tables in `kyc.fields`. A form maps each input name, such as
`address.city`, to its values, as a browser sends it. API errors use the same names.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import partial
from typing import Final

from landbridge.customers.kyc.enumerations import value_word
from landbridge.customers.kyc.field_types import (
    AddressFieldType,
    BooleanFieldType,
    ChoiceFieldType,
    DateFieldType,
    Kind,
    ListFieldType,
    PercentFieldType,
    QuestionnaireFieldType,
    TextFieldType,
    prose,
    url_or_file,
)
from landbridge.customers.onboarding.countries import region_code, region_name
from landbridge.dashboard.compliance.field_labels import field_hint, field_label
from landbridge.dashboard.countries import country_code, country_name
from landbridge.dashboard.json_text import JsonObject, JsonValue, as_object, as_texts
from landbridge.platform.files.model import file_uuid
from landbridge.platform.formats.addresses import check_country
from landbridge.platform.formats.people import check_email, check_phone
from landbridge.platform.formats.schemas import COUNTRY
from landbridge.platform.formats.texts import check_url
from landbridge.platform.formats.translations import later as _

Fields = Mapping[str, Kind]
FieldValues = Mapping[str, Sequence[str]]

YES, NO = "yes", "no"
ADDRESS_PARTS: Final = (
    "addressLine1",
    "addressLine2",
    "city",
    "stateProvinceRegion",
    "postalCode",
    "country",
)
_TYPES: Mapping[Callable[[str, str], str], str] = {
    check_email: "email",
    check_phone: "tel",
    check_url: "url",
}
_COUNTRY_HINT = _("Name or code, for example USA")


class KycFieldType(StrEnum):
    """Kind of input shown for a field."""

    TEXT = "text"
    TEXTAREA = "textarea"
    SELECT = "select"
    CHECKBOXES = "checkboxes"
    COUNTRY = "country"


@dataclass(frozen=True, slots=True, kw_only=True)
class KycFormField:
    """Field of the form; `issue` says what is missing or invalid, if anything."""

    name: str
    label: str
    input_type: KycFieldType = KycFieldType.TEXT
    type: str = "text"
    hint: str = ""
    values: Sequence[str] = ()
    choices: Sequence[tuple[str, str]] = ()
    issue: str = ""
    is_required: bool = False

    @property
    def value(self) -> str:
        """Return the first value, for fields with a single value."""
        return self.values[0] if self.values else ""


@dataclass(frozen=True, slots=True)
class KycFormSection:
    """Group of related fields."""

    name: str
    title: str
    fields: Sequence[KycFormField]
    issue: str = ""


def form_sections(
    fields: Fields,
    names: Sequence[str],
    values: FieldValues,
    issues: Mapping[str, str],
    required: frozenset[str],
) -> list[KycFormSection]:
    """Return the fields in sections: single fields first, then addresses and questionnaires."""
    plain: list[KycFormField] = []
    grouped: list[KycFormSection] = []
    for name in names:
        kind = fields[name]
        if isinstance(kind, AddressFieldType | QuestionnaireFieldType):
            inner = tuple(
                replace(each, is_required=each.is_required and name in required)
                for each in _form_fields(name, kind, values, issues, required)
            )
            grouped.append(KycFormSection(name, field_label(name), inner, issues.get(name, "")))
        else:
            plain.extend(_form_fields(name, kind, values, issues, required))
    return [*([KycFormSection("", _("About"), plain)] if plain else []), *grouped]


def input_values(fields: Fields, data: JsonObject, under: str = "") -> dict[str, list[str]]:
    """Return the input values for data in the API's format."""
    values: dict[str, list[str]] = {}
    for name, kind in fields.items():
        value, path = data.get(name), f"{under}{name}"
        match kind:
            case _ if value is None:
                continue
            case QuestionnaireFieldType():
                values |= input_values(kind.fields, as_object(value), f"{path}.")
            case AddressFieldType():
                parts = as_object(value)
                values |= {
                    f"{path}.{each}": [str(parts[each])] for each in ADDRESS_PARTS if parts[each]
                }
            case BooleanFieldType():
                values[path] = [YES if value else NO]
            case ListFieldType(each=ChoiceFieldType()):
                values[path] = list_texts(value)
            case ListFieldType():
                values[path] = [value if isinstance(value, str) else ", ".join(list_texts(value))]
            case _:
                values[path] = [
                    f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)
                ]
    return values


def list_texts(value: JsonValue) -> list[str]:
    """Return the texts of a list, which may be stored as one text with commas."""
    return value.split(",") if isinstance(value, str) else as_texts(value)


def changed_fields(
    fields: Fields, submitted: FieldValues, original: FieldValues, *, locale: str, under: str = ""
) -> JsonObject:
    """Return the changed fields in the API's format; null removes a value."""
    changed: JsonObject = {}
    for name, kind in fields.items():
        path = f"{under}{name}"
        match kind:
            case QuestionnaireFieldType():
                inner = changed_fields(
                    kind.fields, submitted, original, locale=locale, under=f"{path}."
                )
                changed |= JsonObject({name: inner} if inner else {})
            case AddressFieldType():
                names = [f"{path}.{each}" for each in ADDRESS_PARTS]
                if any(_values_of(submitted, each) != _values_of(original, each) for each in names):
                    changed[name] = _address(path, submitted, locale)
            case _ if _values_of(submitted, path) != _values_of(original, path):
                values = _values_of(submitted, path)
                changed[name] = _value(kind, values, locale) if values else None
            case _:
                continue
    return changed


def encode_original(values: FieldValues) -> str:
    """Encode the values that the page showed, for its form to send back."""
    return json.dumps(values, ensure_ascii=False)


def decode_original(text: str) -> dict[str, list[str]]:
    """Decode the result of `encode_original`; empty if the text is malformed."""
    try:
        decoded: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(decoded, dict):
        return {}
    return {
        str(name): [str(each) for each in values]
        for name, values in decoded.items()
        if isinstance(values, list)
    }


def input_names(fields: Fields, under: str = "") -> Iterator[str]:
    """Yield the names of all inputs of these fields."""
    for name, kind in fields.items():
        path = f"{under}{name}"
        match kind:
            case QuestionnaireFieldType():
                yield from input_names(kind.fields, f"{path}.")
            case AddressFieldType():
                yield from (f"{path}.{each}" for each in ADDRESS_PARTS)
            case _:
                yield path


def _form_fields(
    name: str, kind: Kind, values: FieldValues, issues: Mapping[str, str], required: frozenset[str]
) -> list[KycFormField]:
    match kind:
        case QuestionnaireFieldType():
            return [
                field
                for inner, each in kind.fields.items()
                for field in _form_fields(f"{name}.{inner}", each, values, issues, required)
            ]
        case AddressFieldType():
            needed = {f"{name}.{each}" for each in ADDRESS_PARTS if each != "addressLine2"}
            inner: Fields = {each: _ADDRESS_KINDS[each] for each in ADDRESS_PARTS}
            return [
                field
                for each, part in inner.items()
                for field in _form_fields(f"{name}.{each}", part, values, issues, frozenset(needed))
            ]
        case _:
            field = KycFormField(
                name=name,
                label=field_label(name),
                hint=field_hint(name),
                values=_values_of(values, name),
                issue=issues.get(name, ""),
                is_required=name in required,
            )
            return [_with_input_type(field, kind)]


def _with_input_type(field: KycFormField, kind: Kind) -> KycFormField:  # noqa: PLR0911  one for each kind
    match kind:
        case DateFieldType():
            return replace(field, type="date")
        case BooleanFieldType():
            choices = ((YES, _("Yes")), (NO, _("No")))
            return replace(field, input_type=KycFieldType.SELECT, choices=choices)
        case ChoiceFieldType(values=values):
            return replace(field, input_type=KycFieldType.SELECT, choices=labelled_choices(values))
        case ListFieldType(each=ChoiceFieldType(values=values)):
            return replace(
                field, input_type=KycFieldType.CHECKBOXES, choices=labelled_choices(values)
            )
        case TextFieldType(check=check) if check is check_country:
            return replace(field, input_type=KycFieldType.COUNTRY, hint=field.hint or _COUNTRY_HINT)
        case TextFieldType(check=check) if check is prose:
            return replace(field, input_type=KycFieldType.TEXTAREA)
        case TextFieldType(check=check):
            return replace(field, type=_TYPES.get(check, "text"))
        case _:
            return field


def labelled_choices(values: Sequence[str]) -> list[tuple[str, str]]:
    """Return each value of an enumeration with its label."""
    return [(each, value_word(each)) for each in values]


def _values_of(values: FieldValues, path: str) -> list[str]:
    return [each.strip() for each in values.get(path, ()) if each.strip()]


def _address(path: str, submitted: FieldValues, locale: str) -> dict[str, str] | None:
    address = {
        each: values[0]
        for each in ADDRESS_PARTS
        if (values := _values_of(submitted, f"{path}.{each}"))
    }
    if "country" in address:
        address["country"] = country_code(address["country"], locale)
    if "stateProvinceRegion" in address:
        region = address["stateProvinceRegion"]
        address["stateProvinceRegion"] = region_code(address.get("country", ""), region)
    return address or None


def _value(  # noqa: PLR0911  one for each kind
    kind: Kind, values: Sequence[str], locale: str
) -> JsonValue:
    """Return a value in the API's format; malformed text is passed on for the API to refuse."""
    text = values[0]
    match kind:
        case BooleanFieldType():
            return {YES: True, NO: False}.get(text, text)
        case ListFieldType(each=ChoiceFieldType()):
            return list(values)
        case ListFieldType():
            return [each.strip() for each in text.split(",") if each.strip()]
        case PercentFieldType():
            try:
                share = Decimal(text.replace(",", ".").removesuffix("%").strip())
            except InvalidOperation:
                return text
            return share if share.is_finite() else text
        case TextFieldType(check=check) if check is check_country:
            return country_code(text, locale)
        case _:
            return text


_TEXT_KIND = TextFieldType("", lambda _field, text: text, {"type": "string"})
_ADDRESS_KINDS: Fields = {
    each: TextFieldType("", check_country, COUNTRY) if each == "country" else _TEXT_KIND
    for each in ADDRESS_PARTS
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KycRow:
    """A field and its value. `value_labels` are to be translated; `text` is shown as submitted.

    `field` is the name a reviewer returns to the user; a questionnaire is returned as a whole.
    """

    name: str
    label: str
    field: str
    text: str = ""
    value_labels: tuple[str, ...] = ()
    day: str | None = None
    url: str | None = None


def kyc_rows(fields: Fields, data: JsonObject, locale: str) -> list[KycRow]:
    """Return the fields with a value, in the order of the field table."""
    found: list[KycRow] = []
    for name, kind in fields.items():
        value = data.get(name)
        if value is None:
            continue
        if isinstance(kind, QuestionnaireFieldType):
            answers = as_object(value)
            found += [
                _row(name, each, kind.fields[each], answers[each], locale)
                for each in kind.fields
                if answers.get(each) is not None
            ]
        else:
            found.append(_row(name, name, kind, value, locale))
    return found


def _row(  # noqa: PLR0911  one for each kind
    field: str, name: str, kind: Kind, value: JsonValue, locale: str
) -> KycRow:
    row, text = partial(KycRow, name=name, label=field_label(name), field=field), str(value)
    match kind:
        case AddressFieldType():
            return row(text=_address_row(as_object(value), locale))
        case DateFieldType():
            return row(day=text)
        case BooleanFieldType():
            return row(value_labels=(_("Yes") if value else _("No"),))
        case ChoiceFieldType():
            return row(value_labels=(value_word(text),))
        case ListFieldType(each=ChoiceFieldType()):
            return row(value_labels=tuple(value_word(each) for each in list_texts(value)))
        case ListFieldType():
            return row(text=", ".join(list_texts(value)))
        case TextFieldType(check=check) if check is check_country:
            return row(text=f"{country_name(text, locale)} ({text})")
        case TextFieldType(check=check) if check is url_or_file and file_uuid(text):
            return row(text=text, url=f"/dashboard/files/{text}")
        case TextFieldType(check=check) if check in {check_url, url_or_file}:
            return row(text=text, url=text)
        case _:
            return row(text=text)


def _address_row(value: JsonObject, locale: str) -> str:
    texts = {name: str(each or "") for name, each in value.items()}
    country, region = texts["country"], texts["stateProvinceRegion"]
    labelled = {
        **texts,
        "stateProvinceRegion": f"{region_name(country, region)} ({region})",
        "country": f"{country_name(country, locale)} ({country})",
    }
    return "\n".join(labelled[each] for each in ADDRESS_PARTS if labelled.get(each))
