"""Decode the SDN list of the U.S. Treasury's OFAC, in both published formats.

- `SDN.XML`: one file. Its namespace has changed over the years, and `publshInformation` is its
  actual spelling; elements are identified by their local names.
- the CSV files `SDN.CSV`, `ALT.CSV` (aliases), `ADD.CSV` (addresses, which are not needed) and
  `SDN_COMMENTS.CSV` (overlong remarks), identified by their columns: no header lines, `-0-` for a
  missing value, `] [` between programs, birth dates and weak aliases in the remarks, and a control
  character after the last line.

Any deviation from the format is rejected with its position.
"""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from landbridge.providers.screening.model import ListRejected, SanctionsEntryType
from landbridge.providers.screening.parsing import (
    ENTRIES_MAX,
    EntryCollector,
    ListContent,
    PublishedEntry,
    below,
    day_in,
    elements,
    local_name,
    marked_name,
    text_of,
)

ROOT = "sdnList"

# A file of names has no field this long, but a file of remarks does.
_FIELD_LENGTH_MAX = 1_000_000

_ENTRY = "sdnEntry"
_PUBLICATION = frozenset({"publshInformation", "publishInformation"})

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


# XML


def read_xml(content: bytes) -> ListContent:
    """Return the content of SDN.XML; raises `ListRejected`."""
    published_on, announced = None, ""
    collector = EntryCollector(needs_number=True)
    for element in elements(content, _PUBLICATION | {_ENTRY}):
        if local_name(element) == _ENTRY:
            collector.add(_xml_entry(element))
        else:
            published_on = day_in(text_of(element, "Publish_Date"), "%m/%d/%Y", what="Publish_Date")
            announced = text_of(element, "Record_Count")
    count = len(collector.entries)
    # The numbers are compared as texts: Python refuses to parse thousands of digits.
    is_number = announced.isdigit() and announced.isascii()
    if is_number and announced.lstrip("0") != str(count).lstrip("0"):
        raise ListRejected(f"The file announces {announced} entries and has {count}.")
    return ListContent(published_on, collector.entries)


def _xml_entry(element: Element) -> PublishedEntry:
    aliases = [_xml_name(each) for each in below(element, "akaList") if local_name(each) == "aka"]
    born = [
        text_of(each, "dateOfBirth")
        for each in below(element, "dateOfBirthList")
        if local_name(each) == "dateOfBirthItem"
    ]
    programs = [
        (each.text or "").strip()
        for each in below(element, "programList")
        if local_name(each) == "program"
    ]
    addresses = [
        text_of(each, "idNumber")
        for each in below(element, "idList")
        if local_name(each) == "id" and text_of(each, "idType").startswith(_ADDRESS_TYPE)
    ]
    return PublishedEntry(
        id=text_of(element, "uid"),
        type=_type(text_of(element, "sdnType")),
        names=[_xml_name(element), *aliases],
        programs=programs,
        birth_dates=born,
        addresses=addresses,
    )


def _xml_name(element: Element) -> str:
    """Return a name as `LAST, First` like the CSV files, so that both formats are equal."""
    return marked_name(text_of(element, "lastName"), [text_of(element, "firstName")])


# CSV


def read_csv(files: Sequence[tuple[Path, bytes]]) -> ListContent:
    """Return the content of the CSV files, in any order; raises `ListRejected`."""
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
    collector = EntryCollector(needs_number=True)
    for row in tables[_SDN_COLUMNS]:
        remarks = row[11] + comments.get(row[0], "")
        collector.add(_csv_entry(row, aliases.get(row[0], []), remarks))
    return ListContent(None, collector.entries)


def _rows(path: Path, content: bytes) -> list[list[str]]:
    """Return the rows of a file, all of one length, with '' for a missing value."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Encoding of older files, tried if the content is not UTF-8.
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
            if len(rows) > ENTRIES_MAX:
                raise ListRejected(f"{path} has more than {ENTRIES_MAX} rows.")
    except csv.Error as error:
        raise ListRejected(f"{path} is not CSV: {error}.") from error
    return rows


def _present(field: str) -> str:
    text = field.strip()
    return "" if text == _ABSENT else text


def _csv_entry(row: Sequence[str], aliases: Sequence[str], remarks: str) -> PublishedEntry:
    return PublishedEntry(
        id=row[0],
        type=_type(row[2]),
        names=[row[1], *aliases, *_WEAK_ALIAS.findall(remarks)],
        programs=_PROGRAM_BREAK.split(row[3]),
        birth_dates=[each.strip() for each in _BIRTH_DATE.findall(remarks)],
        # Remarks end with a full stop, which is not part of an address.
        addresses=[each.rstrip(".") for each in _ADDRESS.findall(remarks)],
    )


# Both formats


def _type(type_name: str) -> SanctionsEntryType:
    """Return the type: `individual`, `vessel` and `aircraft` are marked, others are entities."""
    try:
        return SanctionsEntryType(type_name.lower())
    except ValueError:
        return SanctionsEntryType.ENTITY
