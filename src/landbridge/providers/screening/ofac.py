"""Decode the SDN list of the U.S. Treasury's OFAC, in both published formats.

- `SDN.XML`: one file. Its namespace has changed over the years, and `publshInformation` is its
  actual spelling; elements are identified by their local names.
- the CSV files `SDN.CSV`, `ALT.CSV` (aliases), `ADD.CSV` (addresses, which are not needed) and
  `SDN_COMMENTS.CSV` (overlong remarks), identified by their columns: no header lines, `-0-` for a
  missing value, `] [` between programs, birth dates and weak aliases in the remarks, and a control
  character after the last line.

Guarantees: entities and external references in XML are rejected. Elements are freed as soon as they
are read. Any deviation from the format is rejected with its position.
"""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO, cast
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from landbridge.providers.screening.model import (
    OFAC_SDN,
    ListRejected,
    SanctionsEntry,
    SanctionsEntryType,
    SanctionsList,
    comparable_address,
)

# Today's files are below 30 million bytes; a much larger one is another file.
_FILE_BYTES_MAX = 500_000_000
_ENTRIES_MAX = 1_000_000
_NAMES_MAX = 500
_TEXT_LENGTH_MAX = 2_000
# A names file has no field this long; a remarks file has.
_FIELD_LENGTH_MAX = 1_000_000

_SDN_COLUMNS, _ALT_COLUMNS, _ADD_COLUMNS, _COMMENT_COLUMNS = 12, 5, 6, 2
_FILES = {
    _SDN_COLUMNS: "SDN.CSV",
    _ALT_COLUMNS: "ALT.CSV",
    _ADD_COLUMNS: "ADD.CSV",
    _COMMENT_COLUMNS: "SDN_COMMENTS.CSV",
}
_ABSENT = "-0-"
_END_OF_FILE = "\x1a"
_PROGRAM_BREAK = re.compile(r"\]\s*\[")
# For example `DOB 10 Dec 1948; alt. DOB circa 1950; a.k.a. 'THE ELDER'.`
_BIRTH_DATE = re.compile(r"\bDOB ([^;]*\d{4})")
_ADDRESS_TYPE = "Digital Currency Address"
# For example `alt. Digital Currency Address - ETH 0x7F36...;`.
_ADDRESS = re.compile(r"\bDigital Currency Address - \S+ ([^\s;]+)")
_WEAK_ALIAS = re.compile(r"\b[af]\.k\.a\. '([^']+)'")


def read_list(paths: Sequence[Path]) -> SanctionsList:
    """Return the list in these files: one XML, or the CSV files in any order.

    Raises `ListRejected`.
    """
    contents = [_read(path) for path in paths]
    digest = hashlib.sha256()
    for content in sorted(contents):
        digest.update(hashlib.sha256(content).digest())
    if any(_is_xml(content) for content in contents):
        if len(contents) > 1:
            raise ListRejected("Give one XML file, or the CSV files, but not both.")
        published_on, entries = _read_xml(io.BytesIO(contents[0]))
    else:
        published_on, entries = None, _read_csv(list(zip(paths, contents, strict=True)))
    return SanctionsList(OFAC_SDN, digest.hexdigest(), published_on, _unique(entries))


def _read(path: Path) -> bytes:
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            raise ListRejected(f"{path} is not an ordinary file.")
        if status.st_size > _FILE_BYTES_MAX:
            raise ListRejected(f"{path} is too large for a sanctions list.")
        return path.read_bytes()
    except OSError as error:
        raise ListRejected(f"{path} can't be read: {error.strerror}.") from error


def _unique(entries: Sequence[SanctionsEntry]) -> tuple[SanctionsEntry, ...]:
    entry_ids: set[str] = set()
    for entry in entries:
        if entry.id in entry_ids:
            raise ListRejected(f"Entry {entry.id[:50]} is there twice.")
        entry_ids.add(entry.id)
    if not entries:
        raise ListRejected("There is no entry in it; this is not a sanctions list.")
    return tuple(entries)


# XML


def _is_xml(content: bytes) -> bool:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"


def _read_xml(file: BinaryIO) -> tuple[date | None, list[SanctionsEntry]]:
    published_on: date | None = None
    announced: int | None = None
    entries: list[SanctionsEntry] = []
    root: Element | None = None
    try:
        for event, element in _elements(file):
            if event == "start":
                root = element if root is None else root
            elif (name := _local(element)) == "sdnEntry":
                entries.append(_xml_entry(element))
                _check_count(entries)
                # Processed elements stay attached to the root and would accumulate.
                cast("Element", root).clear()
            elif name in {"publshInformation", "publishInformation"}:
                published_on = _us_date(_text(element, "Publish_Date"))
                count = _text(element, "Record_Count")
                announced = int(count) if count.isdigit() and count.isascii() else None
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ListRejected(f"This is not the XML of the SDN list: {error}.") from error
    if root is None or _local(root) != "sdnList":
        raise ListRejected("This is not the XML of the SDN list: its root is not sdnList.")
    if announced is not None and announced != len(entries):
        raise ListRejected(f"The file announces {announced} entries and has {len(entries)}.")
    return published_on, entries


def _elements(file: BinaryIO) -> Iterator[tuple[str, Element]]:
    untyped: Any = iterparse
    return untyped(file, events=("start", "end"), forbid_dtd=True)


def _xml_entry(element: Element) -> SanctionsEntry:
    aliases = [_xml_name(each) for each in _below(element, "akaList") if _local(each) == "aka"]
    born = [
        _text(each, "dateOfBirth")
        for each in _below(element, "dateOfBirthList")
        if _local(each) == "dateOfBirthItem"
    ]
    programs = [
        (each.text or "").strip()
        for each in _below(element, "programList")
        if _local(each) == "program"
    ]
    addresses = [
        _text(each, "idNumber")
        for each in _below(element, "idList")
        if _local(each) == "id" and _text(each, "idType").startswith(_ADDRESS_TYPE)
    ]
    kind = _text(element, "sdnType")
    return _entry(
        _text(element, "uid"),
        _type(kind),
        names=[_xml_name(element), *aliases],
        programs=programs,
        birth_dates=born,
        addresses=addresses,
    )


def _xml_name(element: Element) -> str:
    """Return `LAST, First` as in the CSV files, so that both formats give the same name."""
    first, last = _text(element, "firstName"), _text(element, "lastName")
    return f"{last}, {first}" if first and last else first or last


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _child(element: Element, name: str) -> Element | None:
    return next((each for each in element if _local(each) == name), None)


def _below(element: Element, name: str) -> Iterable[Element]:
    found = _child(element, name)
    return () if found is None else found


def _text(element: Element, name: str) -> str:
    found = _child(element, name)
    return "" if found is None else (found.text or "").strip()


def _us_date(text: str) -> date | None:
    """Parse `11/20/2026`."""
    if not text:
        return None
    return datetime.strptime(text, "%m/%d/%Y").date()  # noqa: DTZ007  a day without a time


# CSV


def _read_csv(files: Sequence[tuple[Path, bytes]]) -> list[SanctionsEntry]:
    tables: dict[int, list[list[str]]] = {}
    for path, content in files:
        rows = _rows(path, content)
        columns = len(rows[0]) if rows else 0
        if columns not in _FILES:
            raise ListRejected(f"{path} is no file of the SDN list: it has {columns} columns.")
        if columns in tables:
            raise ListRejected(f"There is more than one {_FILES[columns]}.")
        tables[columns] = rows
    if _SDN_COLUMNS not in tables:
        raise ListRejected("SDN.CSV is missing, the file with 12 columns.")
    if _ALT_COLUMNS not in tables:
        raise ListRejected("ALT.CSV is missing: without the aliases, most matches would be missed.")
    aliases: dict[str, list[str]] = {}
    for row in tables[_ALT_COLUMNS]:
        aliases.setdefault(row[0], []).append(row[3])
    comments: dict[str, str] = {}
    for entry_id, comment in tables.get(_COMMENT_COLUMNS, []):
        comments[entry_id] = comments.get(entry_id, "") + comment
    return [
        _csv_entry(row, aliases.get(row[0], []), row[11] + comments.get(row[0], ""))
        for row in tables[_SDN_COLUMNS]
    ]


def _rows(path: Path, content: bytes) -> list[list[str]]:
    """Return the rows of a file, all of one length, with '' for a missing value."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Encoding of older files.
        text = content.decode("cp1252", errors="replace")
    rows: list[list[str]] = []
    csv.field_size_limit(_FIELD_LENGTH_MAX)
    try:
        for row in csv.reader(io.StringIO(text, newline="")):
            if not row or row == [_END_OF_FILE]:
                continue
            if rows and len(row) != len(rows[0]):
                raise ListRejected(f"{path} row {len(rows) + 1} has {len(row)} columns.")
            rows.append([_present(field) for field in row])
            _check_count(rows)
    except csv.Error as error:
        raise ListRejected(f"{path} is not CSV: {error}.") from error
    return rows


def _present(field: str) -> str:
    text = field.strip()
    return "" if text == _ABSENT else text


def _csv_entry(row: Sequence[str], aliases: Sequence[str], remarks: str) -> SanctionsEntry:
    return _entry(
        row[0],
        _type(row[2]),
        names=[row[1], *aliases, *_WEAK_ALIAS.findall(remarks)],
        programs=_PROGRAM_BREAK.split(row[3]),
        birth_dates=[each.strip() for each in _BIRTH_DATE.findall(remarks)],
        # The remarks end with a full stop, which is in no address.
        addresses=[each.rstrip(".") for each in _ADDRESS.findall(remarks)],
    )


# Both formats


def _type(type_name: str) -> SanctionsEntryType:
    """Return the type: `individual`, `vessel` and `aircraft` are marked, others are entities."""
    try:
        return SanctionsEntryType(type_name.lower())
    except ValueError:
        return SanctionsEntryType.ENTITY


def _entry(
    entry_id: str,
    type_: SanctionsEntryType,
    *,
    names: Iterable[str],
    programs: Iterable[str],
    birth_dates: Iterable[str],
    addresses: Iterable[str],
) -> SanctionsEntry:
    distinct_names = _distinct(names)
    if not (entry_id.isascii() and entry_id.isdigit()) or not distinct_names:
        raise ListRejected(f"An entry has no number or no name (number {entry_id[:50]!r}).")
    return SanctionsEntry(
        entry_id,
        type_,
        distinct_names,
        _distinct(programs),
        _distinct(birth_dates),
        _distinct(map(comparable_address, addresses)),
    )


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return each text once, in order, without characters that can't be stored."""
    cleaned = (" ".join(each.replace("\0", "").split())[:_TEXT_LENGTH_MAX] for each in texts)
    return tuple(dict.fromkeys(each for each in cleaned if each))[:_NAMES_MAX]


def _check_count(read: Sequence[object]) -> None:
    if len(read) > _ENTRIES_MAX:
        raise ListRejected("It has more than a million entries; this is not a sanctions list.")
