"""Parsing of batch payments from a CSV file or typed lines, with a message for each error.

Guarantees:
- Any input yields either rows or one error message.
- Amounts are never guessed: the decimal separator is a point, and commas and thousands separators
  are rejected.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from landbridge.payments.batches.model import ITEMS_MAX
from landbridge.platform.core.errors import FieldInvalid

FIELD: Final = "lines"
COLUMNS: Final = ("payee", "amount", "currency", "note")
_REQUIRED = ("payee", "amount")
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_QUOTED = re.compile(r'"[^"]*"')
_SEPARATOR = re.compile(r"sep=([,;|\t])\s*", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_COMMA = re.compile(r"[0-9]+,[0-9]+")
_GROUPED = re.compile(r"[0-9]{1,3}(?:[., '’\u00a0\u202f][0-9]{3})+(?:[.,][0-9]+)?")  # noqa: RUF001
_WHOLE, _CENTS = re.compile(r"[0-9]+"), re.compile(r"[0-9]{1,6}")
_DECIMALS_MAX = 6
_DIGITS_MAX = 100
_EXCERPT_MAX = 80


@dataclass(frozen=True, slots=True)
class BatchFileRow:
    """A parsed line; `error` is the error in this line, or an empty string."""

    line: int
    payee: str
    amount: str
    currency: str = ""
    note: str = ""
    error: str = ""


def decode_file(content: bytes) -> str:
    """Decode a file's content; raise `FieldInvalid` with advice if it is not text."""
    if content.startswith((_ZIP, _OLE)):
        raise FieldInvalid(
            "This is a spreadsheet. Export it as CSV UTF-8 and upload the CSV file.",
            field=FIELD,
        )
    encoding = "utf-16" if content.startswith(_WIDE) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        raise FieldInvalid(
            "The file is not encoded in UTF-8. Save it as CSV UTF-8.", field=FIELD
        ) from None
    if "\x00" in text:
        raise FieldInvalid("This is not a text file. Export it as CSV UTF-8.", field=FIELD)
    return text


def parse_rows(text: str) -> Sequence[BatchFileRow]:
    """Return the rows that are not empty; raise `FieldInvalid` if lines cannot be separated."""
    text = text.removeprefix("\ufeff")
    delimiter, text, skipped = _delimiter(text)
    records = [(line + skipped, cells) for line, cells in _records(text, delimiter) if any(cells)]
    if not records:
        raise FieldInvalid("Enter at least one line, one per recipient.", field=FIELD)
    columns = _columns(records[0][1])
    if columns is None:
        columns = {name: position for position, name in enumerate(COLUMNS)}
    else:
        records = records[1:]
    if not records:
        raise FieldInvalid("The file has column names but no recipients.", field=FIELD)
    if len(records) > ITEMS_MAX:
        raise FieldInvalid(
            f"A batch can have at most {ITEMS_MAX} lines; this file has {len(records)}. Split it.",
            field=FIELD,
        )
    return [_row(line, cells, columns, is_comma=delimiter == ",") for line, cells in records]


def _delimiter(text: str) -> tuple[str, str, int]:
    """Return the delimiter, the text below a line that declares it, and the lines skipped."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if match := _SEPARATOR.fullmatch(first.strip()):
        before, _, remainder = text.partition(first)
        return match[1], remainder.lstrip("\r\n"), before.count("\n") + 1
    bare = _QUOTED.sub("", first)
    return next((each for each in "\t;," if each in bare), ","), text, 0


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Cells of every line, and its number."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    start = 1
    try:
        for cells in reader:
            yield start, [each.strip() for each in cells]
            start = reader.line_num + 1
    except csv.Error:
        raise FieldInvalid(
            f"Line {start} can't be read: a quotation mark is not closed or is inside a cell.",
            field=FIELD,
        ) from None


def _columns(cells: Sequence[str]) -> Mapping[str, int] | None:
    """Return the position of each column; None if the first line is already a payee."""
    names = [each.casefold() for each in cells]
    if not set(names) & set(_REQUIRED):
        return None
    for name in names:
        if name and name not in COLUMNS:
            raise FieldInvalid(
                f"Unknown column {name[:_EXCERPT_MAX]}. The columns are {', '.join(COLUMNS)}.",
                field=FIELD,
            )
        if name and names.count(name) > 1:
            raise FieldInvalid(f"The column {name} appears twice.", field=FIELD)
    for name in _REQUIRED:
        if name not in names:
            raise FieldInvalid(f"The column {name} is missing.", field=FIELD)
    return {name: position for position, name in enumerate(names) if name}


def _row(
    line: int, cells: Sequence[str], columns: Mapping[str, int], *, is_comma: bool
) -> BatchFileRow:
    values = {
        name: cells[position] if position < len(cells) else "" for name, position in columns.items()
    }
    extra = [each for each in cells[max(columns.values()) + 1 :] if each]
    row = BatchFileRow(
        line=line,
        payee=values["payee"],
        amount=values["amount"],
        currency=values.get("currency", ""),
        note=values.get("note", ""),
    )
    error = "The line has too many cells. Write amounts with a decimal point, not a comma."
    if not extra:
        error = _ambiguity_error(cells[columns["amount"] :], is_comma=is_comma)
    return _checked(row, error)


def _ambiguity_error(cells: Sequence[str], *, is_comma: bool) -> str:
    """Return an error if an amount and the next cell may be one amount with a decimal comma."""
    integer_part, after = (*cells, "", "")[:2]
    is_doubtful = _WHOLE.fullmatch(integer_part) and _CENTS.fullmatch(after)
    if not is_comma or not is_doubtful:
        return ""
    return (
        f"This could be {integer_part} or {integer_part}.{after}. "
        f"Write the amount with a decimal point, as {integer_part}.00."
    )


def _checked(row: BatchFileRow, error: str) -> BatchFileRow:
    """Return the row with its first error."""
    if not error and not row.payee:
        error = "The recipient is missing."
    error = error or amount_error(row.amount)
    return BatchFileRow(row.line, row.payee, row.amount, row.currency, row.note, error)


def amount_error(text: str) -> str:
    """Return the error in an amount, or an empty string."""
    if not text:
        return "The amount is missing."
    if _NUMBER.fullmatch(text) and text.isascii():
        return _value_error(text)
    if _GROUPED.fullmatch(text):
        return "Write the amount without thousands separators, for example 1250.50."
    if _COMMA.fullmatch(text):
        return "Write the amount with a decimal point, for example 10.50."
    if text.startswith(("-", "−", "(")):  # noqa: RUF001
        return "The amount must be above zero."
    return "The amount is not a number. Use digits and a decimal point, for example 10.50."


def _value_error(text: str) -> str:
    if len(text) > _DIGITS_MAX:
        return "The amount is too long."
    decimals = text.partition(".")[2]
    if len(decimals) > _DECIMALS_MAX:
        return f"The amount has more than {_DECIMALS_MAX} decimals."
    return "" if Decimal(text) else "The amount must be above zero."
