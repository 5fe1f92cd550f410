"""KYC data as people read it: one row for each field that was told. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from landbridge.dashboard.compliance.entries import ADDRESS_PARTS, Fields
from landbridge.dashboard.compliance.field_words import label
from landbridge.dashboard.compliance.value_words import value_word
from landbridge.dashboard.countries import country_name
from landbridge.dashboard.words import later as _
from landbridge.formats.places import check_country
from landbridge.formats.texts import check_url
from landbridge.kyc.kinds import Day, Flag, PostalAddress, Questionnaire, Several, Text, Words
from landbridge.onboarding.places import region_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A field and its value. `words` are to be translated; `text` is as it was told.

    `field` is what a reviewer names who wants it told anew: a questionnaire as a whole.
    """

    name: str
    label: str
    field: str
    text: str = ""
    words: tuple[str, ...] = ()
    day: str | None = None
    url: str | None = None


def rows(fields: Fields, data: Mapping[str, Any], locale: str) -> list[Row]:
    """What was told, in the order of the table."""
    found: list[Row] = []
    for name, kind in fields.items():
        value = data.get(name)
        if value is None:
            continue
        if isinstance(kind, Questionnaire):
            inner = {each: value[each] for each in kind.fields if value.get(each) is not None}
            found += [_row(name, each, kind.fields[each], inner[each], locale) for each in inner]
        else:
            found.append(_row(name, name, kind, value, locale))
    return found


def _row(  # noqa: PLR0911  one for each kind
    field: str, name: str, kind: Any, value: Any, locale: str
) -> Row:
    def made(**more: Any) -> Row:
        return Row(name=name, label=label(name), field=field, **more)

    match kind:
        case PostalAddress():
            return made(text=_address(value, locale))
        case Day():
            return made(day=value)
        case Flag():
            return made(words=(_("Yes") if value else _("No"),))
        case Words():
            return made(words=(value_word(value),))
        case Several(each=Words()):
            return made(words=tuple(value_word(each) for each in _list(value)))
        case Several():
            return made(text=", ".join(_list(value)))
        case _:
            return made(**_line(kind, str(value), locale))


def _line(kind: Any, value: str, locale: str) -> dict[str, str]:
    check = kind.check if isinstance(kind, Text) else None
    if check is check_country:
        return {"text": f"{country_name(value, locale)} ({value})"}
    if check is check_url:
        return {"text": value, "url": value}
    return {"text": value}


def _list(value: Any) -> list[str]:
    return value.split(",") if isinstance(value, str) else list(cast("list[str]", value))


def _address(value: Mapping[str, Any], locale: str) -> str:
    country, region = value["country"], value["stateProvinceRegion"]
    shown = {
        **value,
        "stateProvinceRegion": f"{region_name(country, region)} ({region})",
        "country": f"{country_name(country, locale)} ({country})",
    }
    return "\n".join(shown[each] for each in ADDRESS_PARTS if shown.get(each))
