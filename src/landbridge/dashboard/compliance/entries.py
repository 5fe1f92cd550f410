"""Fields of KYC data as a form: how each is asked, what it holds, and what somebody changed.

Pure, and made from the tables of `kyc.fields`. A form is what a browser sends: by the name of an
input, such as `address.city`, all values of it. Errors of the interface name inputs alike.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, Final, cast

from landbridge.dashboard.compliance.field_words import hint, label
from landbridge.dashboard.compliance.value_words import value_word
from landbridge.dashboard.countries import country_code
from landbridge.dashboard.words import later as _
from landbridge.formats.people import check_email, check_phone
from landbridge.formats.places import check_country
from landbridge.formats.texts import check_url
from landbridge.kyc.kinds import (
    Day,
    Flag,
    Kind,
    PostalAddress,
    Questionnaire,
    Several,
    Share,
    Text,
    Words,
    prose,
)
from landbridge.onboarding.places import region_code

Fields = Mapping[str, Kind]
Texts = Mapping[str, Sequence[str]]

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
_COUNTRY_HINT = _("Name or code, as in USA")


class Shape(StrEnum):
    """How a field is asked."""

    LINE = "line"
    PROSE = "prose"
    SELECT = "select"
    TICKS = "ticks"
    COUNTRY = "country"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A field as a page asks it. `wrong` says what is wrong with what it holds, if anything."""

    name: str
    label: str
    shape: Shape = Shape.LINE
    type: str = "text"
    hint: str = ""
    values: Sequence[str] = ()
    choices: Sequence[tuple[str, str]] = ()
    wrong: str = ""
    is_required: bool = False

    @property
    def value(self) -> str:
        """What it holds, if that is one thing."""
        return self.values[0] if self.values else ""


@dataclass(frozen=True, slots=True)
class Part:
    """Entries that belong together."""

    name: str
    title: str
    entries: Sequence[Entry]
    wrong: str = ""


def parts(
    fields: Fields,
    names: Sequence[str],
    texts: Texts,
    wrong: Mapping[str, str],
    required: frozenset[str],
) -> list[Part]:
    """These fields in parts: those of one line first, then addresses and questionnaires."""
    plain: list[Entry] = []
    grouped: list[Part] = []
    for name in names:
        kind = fields[name]
        if isinstance(kind, PostalAddress | Questionnaire):
            inner = tuple(
                replace(each, is_required=each.is_required and name in required)
                for each in _entries(name, kind, texts, wrong, required)
            )
            grouped.append(Part(name, label(name), inner, wrong.get(name, "")))
        else:
            plain.extend(_entries(name, kind, texts, wrong, required))
    return [*([Part("", _("About"), plain)] if plain else []), *grouped]


def typed(fields: Fields, data: Mapping[str, Any], under: str = "") -> dict[str, list[str]]:
    """What inputs hold of data as the interface answers it."""
    held: dict[str, list[str]] = {}
    for name, kind in fields.items():
        value, path = data.get(name), f"{under}{name}"
        match kind:
            case _ if value is None:
                continue
            case Questionnaire():
                held |= typed(kind.fields, value, f"{path}.")
            case PostalAddress():
                held |= {f"{path}.{each}": [value[each]] for each in ADDRESS_PARTS if value[each]}
            case Flag():
                held[path] = [YES if value else NO]
            case Several(each=Words()):
                held[path] = value.split(",") if isinstance(value, str) else list(value)
            case Several():
                held[path] = [value if isinstance(value, str) else ", ".join(value)]
            case _:
                held[path] = [
                    f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)
                ]
    return held


def changes(
    fields: Fields, now: Texts, was: Texts, *, locale: str, under: str = ""
) -> dict[str, Any]:
    """What somebody changed on the page, as the interface is told it; null takes away."""
    told: dict[str, Any] = {}
    for name, kind in fields.items():
        path = f"{under}{name}"
        match kind:
            case Questionnaire():
                inner = changes(kind.fields, now, was, locale=locale, under=f"{path}.")
                told |= {name: inner} if inner else {}
            case PostalAddress():
                of = [f"{path}.{each}" for each in ADDRESS_PARTS]
                if any(_said(now, each) != _said(was, each) for each in of):
                    told[name] = _address(path, now, locale)
            case _ if _said(now, path) != _said(was, path):
                texts = _said(now, path)
                told[name] = _value(kind, texts, locale) if texts else None
            case _:
                continue
    return told


def keep(texts: Texts) -> str:
    """What a page held when it was made, for its form to bring back."""
    return json.dumps(texts, ensure_ascii=False)


def kept(text: str) -> dict[str, list[str]]:
    """What `keep` made; nothing if it is none of it."""
    try:
        told: Any = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(told, dict):
        return {}
    return {
        str(name): [str(each) for each in cast("list[Any]", values)]
        for name, values in cast("dict[Any, Any]", told).items()
        if isinstance(values, list)
    }


def paths(fields: Fields, under: str = "") -> Iterator[str]:
    """The names of all inputs of these fields."""
    for name, kind in fields.items():
        path = f"{under}{name}"
        match kind:
            case Questionnaire():
                yield from paths(kind.fields, f"{path}.")
            case PostalAddress():
                yield from (f"{path}.{each}" for each in ADDRESS_PARTS)
            case _:
                yield path


def _entries(
    name: str, kind: Kind, texts: Texts, wrong: Mapping[str, str], required: frozenset[str]
) -> list[Entry]:
    match kind:
        case Questionnaire():
            return [
                entry
                for inner, each in kind.fields.items()
                for entry in _entries(f"{name}.{inner}", each, texts, wrong, required)
            ]
        case PostalAddress():
            needed = {f"{name}.{each}" for each in ADDRESS_PARTS if each != "addressLine2"}
            inner: Fields = {each: _PARTS[each] for each in ADDRESS_PARTS}
            return [
                entry
                for each, part in inner.items()
                for entry in _entries(f"{name}.{each}", part, texts, wrong, frozenset(needed))
            ]
        case _:
            entry = Entry(
                name=name,
                label=label(name),
                hint=hint(name),
                values=_said(texts, name),
                wrong=wrong.get(name, ""),
                is_required=name in required,
            )
            return [_shaped(entry, kind)]


def _shaped(entry: Entry, kind: Kind) -> Entry:  # noqa: PLR0911  one for each kind
    match kind:
        case Day():
            return replace(entry, type="date")
        case Flag():
            choices = ((YES, _("Yes")), (NO, _("No")))
            return replace(entry, shape=Shape.SELECT, choices=choices)
        case Words(values=words):
            return replace(entry, shape=Shape.SELECT, choices=worded(words))
        case Several(each=Words(values=words)):
            return replace(entry, shape=Shape.TICKS, choices=worded(words))
        case Text(check=check) if check is check_country:
            return replace(entry, shape=Shape.COUNTRY, hint=entry.hint or _COUNTRY_HINT)
        case Text(check=check) if check is prose:
            return replace(entry, shape=Shape.PROSE)
        case Text(check=check):
            return replace(entry, type=_TYPES.get(check, "text"))
        case _:
            return entry


def worded(words: Sequence[str]) -> list[tuple[str, str]]:
    """Words of an enumeration with what people read."""
    return [(each, value_word(each)) for each in words]


def _said(texts: Texts, path: str) -> list[str]:
    return [each.strip() for each in texts.get(path, ()) if each.strip()]


def _address(path: str, now: Texts, locale: str) -> dict[str, str] | None:
    told = {each: said[0] for each in ADDRESS_PARTS if (said := _said(now, f"{path}.{each}"))}
    if "country" in told:
        told["country"] = country_code(told["country"], locale)
    if "stateProvinceRegion" in told:
        region = told["stateProvinceRegion"]
        told["stateProvinceRegion"] = region_code(told.get("country", ""), region)
    return told or None


def _value(  # noqa: PLR0911  one for each kind
    kind: Kind, texts: Sequence[str], locale: str
) -> Any:
    """A value as the interface is told it; another kind goes as it is, to be refused."""
    text = texts[0]
    match kind:
        case Flag():
            return {YES: True, NO: False}.get(text, text)
        case Several(each=Words()):
            return list(texts)
        case Several():
            return [each.strip() for each in text.split(",") if each.strip()]
        case Share():
            try:
                share = Decimal(text.replace(",", ".").removesuffix("%").strip())
            except InvalidOperation:
                return text
            return share if share.is_finite() else text
        case Text(check=check) if check is check_country:
            return country_code(text, locale)
        case _:
            return text


_ANY = Text("", lambda _field, text: text)
_PARTS: Fields = {
    each: Text("", check_country) if each == "country" else _ANY for each in ADDRESS_PARTS
}
