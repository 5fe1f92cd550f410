"""Decode the UK Sanctions List of the Foreign, Commonwealth and Development Office, an XML file.

Its root is `Designations`, with a `Designation` for each entry; `UniqueID` is its id, for example
AFG0006. `Name6` is the family name of a person, or the whole name of an entity or ship. Names in
other scripts are not read. OFSI's list has another format and is not this list.
"""

from datetime import date
from xml.etree.ElementTree import Element

from landbridge.providers.screening.model import ListRejected, SanctionsEntryType
from landbridge.providers.screening.parsing import (
    EntryCollector,
    ListContent,
    PublishedEntry,
    below,
    children,
    day_in,
    elements,
    local_name,
    marked_name,
    text_of,
)

ROOT = "Designations"

_DATE = "DateGenerated"
_ENTRY = "Designation"
_TYPES = {
    "individual": SanctionsEntryType.INDIVIDUAL,
    "entity": SanctionsEntryType.ENTITY,
    "ship": SanctionsEntryType.VESSEL,
}
_OTHER_NAMES = ("Name1", "Name2", "Name3", "Name4", "Name5")
_PRIMARY = "primary name"


def read(content: bytes) -> ListContent:
    """Return the content of the file; raises `ListRejected`."""
    collector = EntryCollector()
    published_on: date | None = None
    for element in elements(content, frozenset({_ENTRY, _DATE})):
        if local_name(element) == _DATE:
            published_on = day_in((element.text or "").strip(), "%d/%m/%Y", what=_DATE)
        else:
            collector.add(_entry(element))
    return ListContent(published_on, collector.entries)


def _entry(element: Element) -> PublishedEntry:
    entry_id = text_of(element, "UniqueID")
    type_ = _TYPES.get(text_of(element, "IndividualEntityShip").lower())
    if type_ is None:
        raise ListRejected(f"Entry {entry_id[:50]!r} has no known IndividualEntityShip.")
    names = [each for each in below(element, "Names") if local_name(each) == "Name"]
    # The primary name is not always the first one.
    names.sort(key=lambda each: text_of(each, "NameType").lower() != _PRIMARY)
    return PublishedEntry(
        id=entry_id,
        type=type_,
        names=[_name(each, type_) for each in names],
        programs=[text_of(element, "RegimeName")],
        birth_dates=[
            (born.text or "").strip()
            for details in below(element, "IndividualDetails")
            for dates in children(details, "DOBs")
            for born in children(dates, "DOB")
        ],
    )


def _name(element: Element, type_: SanctionsEntryType) -> str:
    last = text_of(element, "Name6")
    others = [text_of(element, each) for each in _OTHER_NAMES]
    if type_ is SanctionsEntryType.INDIVIDUAL:
        return marked_name(last, others)
    return " ".join(each for each in [*others, last] if each)
