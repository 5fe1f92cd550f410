"""Rows as CSV. Source: RFC 4180: UTF-8, commas, CRLF, quotes where needed.

Spreadsheets treat a cell as a formula if it starts with `=`, `+`, `-`, `@` (or their wide forms), a
tab or a line break. Text from third parties that starts like this is prefixed with an apostrophe,
which spreadsheets show as text. Numbers are left unchanged.

In many countries spreadsheets separate cells by semicolons or tabs, and treat a quotation mark in
the middle of a cell as a plain character, so quotes protect only the first cell of a line. In other
cells, the text behind a semicolon, a tab or a line break becomes a cell of its own. If that part
starts like a formula, it is prefixed with an apostrophe as well.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import cast
from zoneinfo import ZoneInfo

from landbridge.reporting.exports.model import Batch, ColumnKind, ExportHeader, Value

_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(rf" *[{_SIGNS}\t\r\n]")
# Matches past quotation marks that open and close a cell at once, as these are no text.
_FORMULA_INSIDE = re.compile(rf"([;\t\r\n][\" ]*)(?=[{_SIGNS}])")
_NEEDS_QUOTES = re.compile(r'[",;\t\r\n]')


def header(header: ExportHeader) -> bytes:
    """Return the header line."""
    return (",".join(each.name for each in header.columns) + "\r\n").encode()


def lines(header: ExportHeader, batch: Batch) -> bytes:
    """Return one CSV line for each row of the batch."""
    if not batch or not batch[0]:
        return b""
    cells = [
        _cells(column.kind, values, header.zone)
        for column, values in zip(header.columns, batch, strict=True)
    ]
    joined = [",".join(row) for row in zip(*cells, strict=True)]
    joined.append("")
    return "\r\n".join(joined).encode()


def incomplete(reason: str) -> bytes:
    """Return the last line of an incomplete file, which says why rows are missing."""
    return f"{text_cell(f'INCOMPLETE. {reason}')}\r\n".encode()


def text_cell(text: str) -> str:
    """Escape text from third parties so that a spreadsheet shows it as text."""
    if _FORMULA.match(text):
        text = f"'{text}"
    if _NEEDS_QUOTES.search(text):
        text = _FORMULA_INSIDE.sub(r"\1'", text)
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _cells(kind: ColumnKind, values: Sequence[Value], zone: ZoneInfo) -> Iterable[str]:
    match kind:
        case ColumnKind.WORD | ColumnKind.AMOUNT:
            return [each or "" for each in cast("Sequence[str | None]", values)]
        case ColumnKind.TEXT:
            texts = cast("Sequence[str | None]", values)
            return [text_cell(each) if each else "" for each in texts]
        case ColumnKind.COUNT:
            return ["" if each is None else str(each) for each in values]
        case ColumnKind.DATE:
            dates = cast("Sequence[date | None]", values)
            return [each.isoformat() if each else "" for each in dates]
        case ColumnKind.MOMENT:
            moments = cast("Sequence[datetime | None]", values)
            return [_moment(each, zone) if each else "" for each in moments]


def _moment(at: datetime, zone: ZoneInfo) -> str:
    """Format a time with microseconds and offset, as in `2026-03-01T13:00:00.000000+01:00`."""
    return at.astimezone(zone).isoformat(timespec="microseconds")
