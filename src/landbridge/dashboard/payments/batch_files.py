"""Reading who is paid how much from a CSV file, or from what was typed; each mistake in words.

Guarantees:
- whatever the bytes are there is an answer, rows or one sentence;
- no amount is guessed: it has a point, and commas and marks between thousands are refused.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from landbridge.core.errors import FieldInvalid
from landbridge.flows.batches.model import ITEMS_MAX

FIELD: Final = "lines"
COLUMNS: Final = ("payee", "amount", "currency", "note")
_NEEDED = ("payee", "amount")
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
_SHOWN_LENGTH_MAX = 80


@dataclass(frozen=True, slots=True)
class Row:
    """A line that was read; `wrong` is what is wrong with it by itself, or empty."""

    line: int
    payee: str
    amount: str
    currency: str = ""
    note: str = ""
    wrong: str = ""


def text_of(content: bytes) -> str:
    """The text of a file; raises `FieldInvalid` with what to do about one that is none."""
    if content.startswith((_ZIP, _OLE)):
        raise FieldInvalid(
            "This is a spreadsheet, not a CSV file. Export it as CSV UTF-8 and send that.",
            field=FIELD,
        )
    encoding = "utf-16" if content.startswith(_WIDE) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        raise FieldInvalid(
            "The file is not written in UTF-8. Save it again as CSV UTF-8.", field=FIELD
        ) from None
    if "\x00" in text:
        raise FieldInvalid("This is not a text file. Export it as CSV UTF-8.", field=FIELD)
    return text


def rows_of(text: str) -> Sequence[Row]:
    """Every line that says something; raises `FieldInvalid` where lines can't be told apart."""
    text = text.removeprefix("\ufeff")
    delimiter, text, skipped = _delimiter(text)
    records = [(line + skipped, cells) for line, cells in _records(text, delimiter) if any(cells)]
    if not records:
        raise FieldInvalid("There are no lines yet: one for each payee.", field=FIELD)
    columns = _columns(records[0][1])
    if columns is None:
        columns = {name: place for place, name in enumerate(COLUMNS)}
    else:
        records = records[1:]
    if not records:
        raise FieldInvalid("There is a line of names, and no payee below it.", field=FIELD)
    if len(records) > ITEMS_MAX:
        raise FieldInvalid(
            f"A batch pays at most {ITEMS_MAX}; these are {len(records)} lines. Divide them.",
            field=FIELD,
        )
    return [_row(line, cells, columns, is_comma=delimiter == ",") for line, cells in records]


def _delimiter(text: str) -> tuple[str, str, int]:
    """What divides cells, the text below a line that says so, and how many lines that took."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if told := _SEPARATOR.fullmatch(first.strip()):
        before, _, rest = text.partition(first)
        return told[1], rest.lstrip("\r\n"), before.count("\n") + 1
    bare = _QUOTED.sub("", first)
    return next((each for each in "\t;," if each in bare), ","), text, 0


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Cells of every line, and its number."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begins = 1
    try:
        for cells in reader:
            yield begins, [each.strip() for each in cells]
            begins = reader.line_num + 1
    except csv.Error:
        raise FieldInvalid(
            f"Line {begins} can't be read: a quotation mark is not closed, or stands in a cell.",
            field=FIELD,
        ) from None


def _columns(cells: Sequence[str]) -> Mapping[str, int] | None:
    """Where each column is; None if the first line is a payee already."""
    names = [each.casefold() for each in cells]
    if not set(names) & set(_NEEDED):
        return None
    for name in names:
        if name and name not in COLUMNS:
            raise FieldInvalid(
                f"There is no column {name[:_SHOWN_LENGTH_MAX]}. The columns are "
                f"{', '.join(COLUMNS)}.",
                field=FIELD,
            )
        if name and names.count(name) > 1:
            raise FieldInvalid(f"The column {name} is there twice.", field=FIELD)
    for name in _NEEDED:
        if name not in names:
            raise FieldInvalid(f"The column {name} is missing.", field=FIELD)
    return {name: place for place, name in enumerate(names) if name}


def _row(line: int, cells: Sequence[str], columns: Mapping[str, int], *, is_comma: bool) -> Row:
    told = {name: cells[place] if place < len(cells) else "" for name, place in columns.items()}
    more = [each for each in cells[max(columns.values()) + 1 :] if each]
    row = Row(
        line=line,
        payee=told["payee"],
        amount=told["amount"],
        currency=told.get("currency", ""),
        note=told.get("note", ""),
    )
    wrong = "It has more cells than there are columns. Amounts have a point, no comma."
    if not more:
        wrong = _why_ambiguous(cells[columns["amount"] :], is_comma=is_comma)
    return _judged(row, wrong)


def _why_ambiguous(cells: Sequence[str], *, is_comma: bool) -> str:
    """Whether an amount and the cell after it may be one amount with a decimal comma."""
    whole, after = (*cells, "", "")[:2]
    is_doubtful = _WHOLE.fullmatch(whole) and _CENTS.fullmatch(after)
    if not is_comma or not is_doubtful:
        return ""
    return (
        f"This could be {whole} or {whole}.{after}. Write the amount with a point, as {whole}.00."
    )


def _judged(row: Row, wrong: str) -> Row:
    """The row, with the first thing that is wrong with it."""
    if not wrong and not row.payee:
        wrong = "The payee is missing."
    wrong = wrong or why_no_amount(row.amount)
    return Row(row.line, row.payee, row.amount, row.currency, row.note, wrong)


def why_no_amount(text: str) -> str:
    """What is wrong with an amount; empty if nothing is."""
    if not text:
        return "The amount is missing."
    if _NUMBER.fullmatch(text) and text.isascii():
        return _why_not_payable(text)
    if _GROUPED.fullmatch(text):
        return "Write the amount without marks between thousands, such as 1250.50."
    if _COMMA.fullmatch(text):
        return "Write the amount with a point, such as 10.50, not with a comma."
    if text.startswith(("-", "−", "(")):  # noqa: RUF001
        return "The amount must be above zero."
    return "The amount is not a number. Write digits and a point only, such as 10.50."


def _why_not_payable(text: str) -> str:
    if len(text) > _DIGITS_MAX:
        return "The amount is too long."
    decimals = text.partition(".")[2]
    if len(decimals) > _DECIMALS_MAX:
        return f"The amount has more than {_DECIMALS_MAX} decimals."
    return "" if Decimal(text) else "The amount must be above zero."
