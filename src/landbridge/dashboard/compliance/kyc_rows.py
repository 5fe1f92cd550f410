"""KYC data for display: one row for each field with a value. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from landbridge.customers.kyc.field_types import (
    AddressFieldType,
    BooleanFieldType,
    ChoiceFieldType,
    DateFieldType,
    ListFieldType,
    QuestionnaireFieldType,
    TextFieldType,
    url_or_file,
)
from landbridge.customers.kyc.value_labels import value_word
from landbridge.customers.onboarding.countries import region_name
from landbridge.dashboard.compliance.field_labels import field_label
from landbridge.dashboard.compliance.kyc_form import ADDRESS_PARTS, Fields
from landbridge.dashboard.countries import country_name
from landbridge.platform.files.model import file_uuid
from landbridge.platform.formats.addresses import check_country
from landbridge.platform.formats.texts import check_url
from landbridge.platform.formats.translations import later as _


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


def kyc_rows(fields: Fields, data: Mapping[str, Any], locale: str) -> list[KycRow]:
    """Return the fields with a value, in the order of the field table."""
    found: list[KycRow] = []
    for name, kind in fields.items():
        value = data.get(name)
        if value is None:
            continue
        if isinstance(kind, QuestionnaireFieldType):
            inner = {each: value[each] for each in kind.fields if value.get(each) is not None}
            found += [_row(name, each, kind.fields[each], inner[each], locale) for each in inner]
        else:
            found.append(_row(name, name, kind, value, locale))
    return found


def _row(  # noqa: PLR0911  one for each kind
    field: str, name: str, kind: Any, value: Any, locale: str
) -> KycRow:
    def row(**values: Any) -> KycRow:
        return KycRow(name=name, label=field_label(name), field=field, **values)

    match kind:
        case AddressFieldType():
            return row(text=_address(value, locale))
        case DateFieldType():
            return row(day=value)
        case BooleanFieldType():
            return row(value_labels=(_("Yes") if value else _("No"),))
        case ChoiceFieldType():
            return row(value_labels=(value_word(value),))
        case ListFieldType(each=ChoiceFieldType()):
            return row(value_labels=tuple(value_word(each) for each in _as_list(value)))
        case ListFieldType():
            return row(text=", ".join(_as_list(value)))
        case _:
            return row(**_text_values(kind, str(value), locale))


def _text_values(kind: Any, value: str, locale: str) -> dict[str, str]:
    check = kind.check if isinstance(kind, TextFieldType) else None
    if check is check_country:
        return {"text": f"{country_name(value, locale)} ({value})"}
    if check is url_or_file and file_uuid(value):
        return {"text": value, "url": f"/dashboard/files/{value}"}
    if check in {check_url, url_or_file}:
        return {"text": value, "url": value}
    return {"text": value}


def _as_list(value: Any) -> list[str]:
    return value.split(",") if isinstance(value, str) else list(cast("list[str]", value))


def _address(value: Mapping[str, Any], locale: str) -> str:
    country, region = value["country"], value["stateProvinceRegion"]
    labelled = {
        **value,
        "stateProvinceRegion": f"{region_name(country, region)} ({region})",
        "country": f"{country_name(country, locale)} ({country})",
    }
    return "\n".join(labelled[each] for each in ADDRESS_PARTS if labelled.get(each))
