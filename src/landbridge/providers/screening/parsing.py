"""Shared parsing of list files: limits, safe XML, dates, names and entries.

Guarantees: entities, document types and external references in XML are rejected. Elements are freed
as soon as they are read. Any deviation is rejected with its position.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from landbridge.providers.screening.model import (
    ListRejected,
    SanctionsEntry,
    SanctionsEntryType,
    comparable_address,
)

ENTRIES_MAX = 1_000_000
NAMES_MAX = 500
TEXT_LENGTH_MAX = 2_000
# Id of an entry: a number, or a code such as AFG0006, NK-a1 or Q42.
_ENTRY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")
_NUMBER = re.compile(r"[0-9]{1,50}")


@dataclass(frozen=True, slots=True)
class ListContent:
    """Content of a list file: the publisher's date (None if it states none) and the entries."""

    published_on: date | None
    entries: Sequence[SanctionsEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedEntry:
    """Entry as published, before it is validated; the first name is the primary one."""

    id: str
    type: SanctionsEntryType
    names: Iterable[str]
    programs: Iterable[str] = ()
    birth_dates: Iterable[str] = ()
    addresses: Iterable[str] = ()


@dataclass(slots=True)
class EntryCollector:
    """Collects valid entries; raises `ListRejected` for duplicate, incomplete and too many ones."""

    entries_max: int = ENTRIES_MAX
    needs_number: bool = False
    entries: list[SanctionsEntry] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    def add(self, published: PublishedEntry) -> None:
        """Add an entry, or raise `ListRejected` with its position."""
        position = f"Entry {len(self.entries) + 1} (id {published.id[:50]!r})"
        names = distinct(published.names)
        pattern = _NUMBER if self.needs_number else _ENTRY_ID
        if pattern.fullmatch(published.id) is None:
            raise ListRejected(f"{position} has no valid id.")
        if not names:
            raise ListRejected(f"{position} has no name.")
        if published.id in self._ids:
            raise ListRejected(f"{position} is there twice.")
        if len(self.entries) >= self.entries_max:
            raise ListRejected(f"It has more than {self.entries_max} entries, the maximum.")
        self._ids.add(published.id)
        self.entries.append(
            SanctionsEntry(
                published.id,
                published.type,
                names,
                distinct(published.programs),
                distinct(published.birth_dates),
                distinct(map(comparable_address, published.addresses)),
            )
        )


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return each text once, in order, without characters that can't be stored."""
    cleaned = (" ".join(each.replace("\0", "").split())[:TEXT_LENGTH_MAX] for each in texts)
    return tuple(dict.fromkeys(each for each in cleaned if each))[:NAMES_MAX]


def marked_name(last: str, others: Iterable[str]) -> str:
    """Return `LAST, First Second`; without a comma if either part is missing."""
    first = " ".join(each for each in others if each)
    return f"{last}, {first}" if first and last else first or last


def year_range(first: str, last: str) -> str:
    """Return a range of birth years as `1958 to 1960`; '' if a year is missing."""
    return f"{first} to {last}" if first and last else ""


def iso_day(text: str, *, what: str) -> date | None:
    """Return the day of an ISO 8601 time stamp; None if the text is empty."""
    return day_in(text[:10], "%Y-%m-%d", what=what)


def day_in(text: str, pattern: str, *, what: str) -> date | None:
    """Return a day written in a `strptime` pattern; None if the text is empty."""
    if not text:
        return None
    try:
        return datetime.strptime(text, pattern).date()  # noqa: DTZ007  a day without a time
    except ValueError as error:
        raise ListRejected(f"{what} is not a date: {text[:50]!r}.") from error


# XML


def is_xml(content: bytes) -> bool:
    """Return whether the content begins like XML."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"


def root_of(content: bytes) -> tuple[str, Mapping[str, str]]:
    """Return the local name and the attributes of the root element."""
    try:
        for _, element in _events(content):
            return local_name(element), dict(element.attrib)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ListRejected(f"This is not readable XML: {error}.") from error
    raise ListRejected("This is not readable XML: it has no element.")


def elements(content: bytes, names: frozenset[str]) -> Iterator[Element]:
    """Yield each complete element with one of these local names, and free it afterwards."""
    root: Element | None = None
    try:
        for event, element in _events(content):
            if event == "start":
                root = element if root is None else root
            elif local_name(element) in names:
                yield element
                # Processed elements stay attached to their parents, so they are cleared to free
                # memory.
                element.clear()
                if root is not None:
                    root.clear()
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ListRejected(f"This is not readable XML: {error}.") from error


def _events(content: bytes) -> Iterator[tuple[str, Element]]:
    untyped: Any = iterparse
    return untyped(io.BytesIO(content), events=("start", "end"), forbid_dtd=True)


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace, which has changed over the years."""
    return element.tag.rpartition("}")[2]


def children(element: Element, name: str) -> Iterator[Element]:
    """Yield the child elements with this local name."""
    return (each for each in element if local_name(each) == name)


def below(element: Element, name: str) -> Iterable[Element]:
    """Return the children of the child with this local name; empty without one."""
    found = next(children(element, name), None)
    return () if found is None else found


def text_of(element: Element, name: str) -> str:
    """Return the text of the child with this local name; "" without one."""
    found = next(children(element, name), None)
    return "" if found is None else (found.text or "").strip()
