"""Decode the consolidated list of financial sanctions of the European Union, XML version 1.1.

Its root is `export`, with a `sanctionEntity` for each entry; all data is in attributes. `logicalId`
is the id of an entry, `code` in `subjectType` its type.
"""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from landbridge.providers.screening.model import ListRejected, SanctionsEntryType
from landbridge.providers.screening.parsing import (
    EntryCollector,
    ListContent,
    PublishedEntry,
    children,
    elements,
    iso_day,
    marked_name,
    root_of,
    year_range,
)

ROOT = "export"

_ENTRY = frozenset({"sanctionEntity"})
_TYPES = {"person": SanctionsEntryType.INDIVIDUAL, "enterprise": SanctionsEntryType.ENTITY}


def read(content: bytes) -> ListContent:
    """Return the content of the file; raises `ListRejected`."""
    _, attributes = root_of(content)
    collector = EntryCollector(needs_number=True)
    for element in elements(content, _ENTRY):
        collector.add(_entry(element))
    day = iso_day(attributes.get("generationDate", ""), what="generationDate")
    return ListContent(day, collector.entries)


def _entry(element: Element) -> PublishedEntry:
    entry_id = _value(element, "logicalId")
    type_ = _type(element, entry_id)
    is_person = type_ is SanctionsEntryType.INDIVIDUAL
    return PublishedEntry(
        id=entry_id,
        type=type_,
        names=[
            name
            for alias in children(element, "nameAlias")
            for name in _names(alias, is_person=is_person)
        ],
        programs=[
            *(_value(each, "programme") for each in children(element, "regulation")),
            _value(element, "euReferenceNumber"),
        ],
        birth_dates=[
            text for each in children(element, "birthdate") for text in _birth_dates(each)
        ],
    )


def _type(element: Element, entry_id: str) -> SanctionsEntryType:
    codes = [_value(each, "code") for each in children(element, "subjectType")]
    if len(codes) != 1 or codes[0] not in _TYPES:
        raise ListRejected(f"Entry {entry_id[:50]!r} has no known subjectType.")
    return _TYPES[codes[0]]


def _names(alias: Element, *, is_person: bool) -> Iterator[str]:
    """Yield a person's name as `LAST, First`, and the whole name if its words differ."""
    last = _value(alias, "lastName")
    others = [_value(alias, "firstName"), _value(alias, "middleName")]
    parts, whole = " ".join([last, *others]), _value(alias, "wholeName")
    if is_person or not whole:
        yield marked_name(last, others)
    if not is_person or sorted(parts.split()) != sorted(whole.split()):
        yield whole


def _birth_dates(element: Element) -> Iterator[str]:
    yield _value(element, "birthdate") or _value(element, "year")
    yield year_range(_value(element, "yearRangeFrom"), _value(element, "yearRangeTo"))


def _value(element: Element, name: str) -> str:
    return element.attrib.get(name, "").strip()
