"""Decode the Consolidated List of the United Nations Security Council, an XML file.

Its root is `CONSOLIDATED_LIST`, with `INDIVIDUALS` and `ENTITIES`. `DATAID` is the id of an entry.
Names have up to four parts, in an unmarked order; names in the original script are not read.
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
    local_name,
    root_of,
    text_of,
    year_range,
)

ROOT = "CONSOLIDATED_LIST"

_SECTIONS = frozenset({"INDIVIDUALS", "ENTITIES"})
_TYPES = {"INDIVIDUAL": SanctionsEntryType.INDIVIDUAL, "ENTITY": SanctionsEntryType.ENTITY}
_NAME_PARTS = ("FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME")
# Placeholder for an unknown part of a name.
_UNKNOWN_PART = "na"


def read(content: bytes) -> ListContent:
    """Return the content of the file; raises `ListRejected`."""
    _, attributes = root_of(content)
    collector = EntryCollector(needs_number=True)
    sections: set[str] = set()
    for element in elements(content, _SECTIONS | _TYPES.keys()):
        name = local_name(element)
        if name in _SECTIONS:
            sections.add(name)
        else:
            collector.add(_entry(element, _TYPES[name]))
    for missing in sorted(_SECTIONS - sections):
        raise ListRejected(f"The UN list is incomplete: it has no {missing}.")
    day = iso_day(attributes.get("dateGenerated", ""), what="dateGenerated")
    return ListContent(day, collector.entries)


def _entry(element: Element, type_: SanctionsEntryType) -> PublishedEntry:
    kind = local_name(element)
    parts = [text_of(element, each) for each in _NAME_PARTS]
    name = " ".join(each for each in parts if each and each != _UNKNOWN_PART)
    aliases = [text_of(each, "ALIAS_NAME") for each in children(element, f"{kind}_ALIAS")]
    return PublishedEntry(
        id=text_of(element, "DATAID"),
        type=type_,
        names=[name, *aliases],
        programs=[text_of(element, "UN_LIST_TYPE"), text_of(element, "REFERENCE_NUMBER")],
        birth_dates=[
            text
            for each in children(element, f"{kind}_DATE_OF_BIRTH")
            for text in _birth_dates(each)
        ],
    )


def _birth_dates(element: Element) -> Iterator[str]:
    day = text_of(element, "DATE")
    yield day or text_of(element, "YEAR")
    yield year_range(text_of(element, "FROM_YEAR"), text_of(element, "TO_YEAR"))
