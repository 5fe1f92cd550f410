"""KYC data for display: one row for each field with a value. Pure."""

from dataclasses import dataclass
from functools import partial

from landbridge.customers.kyc.enumerations import value_word
from landbridge.customers.kyc.field_types import (
    AddressFieldType,
    BooleanFieldType,
    ChoiceFieldType,
    DateFieldType,
    Kind,
    ListFieldType,
    QuestionnaireFieldType,
    TextFieldType,
    url_or_file,
)
from landbridge.customers.onboarding.countries import region_name
from landbridge.dashboard.compliance.field_labels import field_label
from landbridge.dashboard.compliance.kyc_form import ADDRESS_PARTS, Fields, list_texts
from landbridge.dashboard.countries import country_name
from landbridge.dashboard.json_text import JsonObject, JsonValue, as_object
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
            return row(text=_address(as_object(value), locale))
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


def _address(value: JsonObject, locale: str) -> str:
    texts = {name: str(each or "") for name, each in value.items()}
    country, region = texts["country"], texts["stateProvinceRegion"]
    labelled = {
        **texts,
        "stateProvinceRegion": f"{region_name(country, region)} ({region})",
        "country": f"{country_name(country, locale)} ({country})",
    }
    return "\n".join(labelled[each] for each in ADDRESS_PARTS if labelled.get(each))
