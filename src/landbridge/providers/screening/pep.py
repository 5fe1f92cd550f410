"""Decode a list of politically exposed persons in the open format `targets.simple.csv`.

OpenSanctions defines it: a header line names the columns, and a cell with several values separates
them by `;`, with CSV quotes around a value that contains a `;`. Names in other scripts are left out
if the entry has one in Latin letters: they can't be compared, and would take most of the memory.
"""

import csv
import io
from collections.abc import Sequence

from landbridge.providers.screening.model import ListRejected, SanctionsEntryType
from landbridge.providers.screening.names import fold
from landbridge.providers.screening.parsing import EntryCollector, ListContent, PublishedEntry

# This many entries take half a gigabyte in each process (docs/guides/sanctions.md).
PEP_ENTRIES_MAX = 250_000
# Maximum names of an entry: politicians have many spellings, most of them similar.
PEP_NAMES_MAX = 50

_FIELD_LENGTH_MAX = 1_000_000
_FIRST_COLUMNS = b"id,schema,name"
_COLUMNS = ("id", "schema", "name", "aliases", "birth_date", "countries")
_TYPES = {
    "Person": SanctionsEntryType.INDIVIDUAL,
    "Vessel": SanctionsEntryType.VESSEL,
    "Airplane": SanctionsEntryType.AIRCRAFT,
}


def is_pep_file(content: bytes) -> bool:
    """Return whether the content begins with the header of the format."""
    begin = content[:100].removeprefix(b"\xef\xbb\xbf").replace(b'"', b"")
    return begin.startswith(_FIRST_COLUMNS)


def read(content: bytes) -> ListContent:
    """Return the content of the file; raises `ListRejected`."""
    collector = EntryCollector(entries_max=PEP_ENTRIES_MAX)
    csv.field_size_limit(_FIELD_LENGTH_MAX)
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline="")
    rows = csv.reader(text, strict=True)
    try:
        header = next(rows, list[str]())
        columns = _positions(header)
        for row in rows:
            if len(row) != len(header):
                raise ListRejected(f"Row {rows.line_num} has {len(row)} columns.")
            collector.add(_entry([row[each] for each in columns]))
    except csv.Error as error:
        raise ListRejected(f"Row {rows.line_num} is not CSV: {error}.") from error
    except UnicodeDecodeError as error:
        raise ListRejected(f"Row {rows.line_num + 1} or a later one is not UTF-8.") from error
    return ListContent(None, collector.entries)


def _positions(header: Sequence[str]) -> list[int]:
    for name in _COLUMNS:
        if header.count(name) != 1:
            raise ListRejected(f"The header of the PEP file has no column {name}, or two.")
    return [header.index(name) for name in _COLUMNS]


def _entry(values: Sequence[str]) -> PublishedEntry:
    entry_id, schema, name, aliases, birth_dates, countries = values
    # As in the SDN list, a type without a mark is an entity.
    return PublishedEntry(
        id=entry_id,
        type=_TYPES.get(schema, SanctionsEntryType.ENTITY),
        names=_compared_names([name, *_values(aliases)]),
        programs=_values(countries),
        birth_dates=_values(birth_dates),
    )


def _values(cell: str) -> list[str]:
    """Return the values of a cell."""
    if '"' not in cell:
        return cell.split(";")
    return next(csv.reader([cell], delimiter=";"), list[str]())


def _compared_names(names: Sequence[str]) -> list[str]:
    """Return the Latin names, or all if there are none, without differences of case only."""
    given = [each for each in names if each.strip()]
    latin = [each for each in given if each.isascii() or fold(each).isascii()]
    distinct = {each.casefold(): each for each in reversed(latin or given)}
    return list(reversed(distinct.values()))[:PEP_NAMES_MAX]
