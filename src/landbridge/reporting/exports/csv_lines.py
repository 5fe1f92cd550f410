"""Rows as CSV. Source: RFC 4180: UTF-8, commas, CRLF, quotes where they are needed.

Spreadsheets take a cell for a formula if it begins with one of `=`, `+`, `-`, `@` (or their wide
forms), or with a tab or a line break. Text that others may have written and that begins like this
gets an apostrophe before it, which spreadsheets show as text. Numbers are left as they are.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import cast
from zoneinfo import ZoneInfo

from landbridge.reporting.exports.model import Batch, Heading, Kind, Value

# The last four are the wide forms of the first.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# In many countries spreadsheets take a semicolon or a tab for the end of a cell: what follows would
# be a cell of its own, and a formula if it begins like one.
_NEEDS_QUOTES = re.compile(r'[",;\t\r\n]')


def header(heading: Heading) -> bytes:
    """The first line."""
    return (",".join(each.name for each in heading.columns) + "\r\n").encode()


def lines(heading: Heading, batch: Batch) -> bytes:
    """One line for each row."""
    if not batch or not batch[0]:
        return b""
    cells = [
        _cells(column.kind, values, heading.zone)
        for column, values in zip(heading.columns, batch, strict=True)
    ]
    told = [",".join(row) for row in zip(*cells, strict=True)]
    told.append("")
    return "\r\n".join(told).encode()


def text_cell(text: str) -> str:
    """Text that others may have written, so that it is nothing but text."""
    if text.startswith(_FORMULA):
        text = f"'{text}"
    if _NEEDS_QUOTES.search(text):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _cells(kind: Kind, values: Sequence[Value], zone: ZoneInfo) -> Iterable[str]:
    match kind:
        case Kind.WORD | Kind.AMOUNT:
            return [each or "" for each in cast("Sequence[str | None]", values)]
        case Kind.TEXT:
            texts = cast("Sequence[str | None]", values)
            return [text_cell(each) if each else "" for each in texts]
        case Kind.COUNT:
            return ["" if each is None else str(each) for each in values]
        case Kind.DATE:
            dates = cast("Sequence[date | None]", values)
            return [each.isoformat() if each else "" for each in dates]
        case Kind.MOMENT:
            moments = cast("Sequence[datetime | None]", values)
            return [_moment(each, zone) if each else "" for each in moments]


def _moment(at: datetime, zone: ZoneInfo) -> str:
    """With microseconds and offset, as in `2026-03-01T13:00:00.000000+01:00`."""
    return at.astimezone(zone).isoformat(timespec="microseconds")
