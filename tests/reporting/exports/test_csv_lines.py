import csv
import io
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.reporting.exports import csv_lines
from landbridge.reporting.exports.model import (
    Batch,
    Column,
    ColumnKind,
    ExportFormat,
    ExportHeader,
)
from tests.reporting.exports.downloads import FORMULA

_ANY = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
HOSTILE = st.text(_ANY) | st.text(st.sampled_from("=+-@;\t\r\n\"' ,a\uff1d"), max_size=12)
TEXTS = ExportHeader(
    (Column("a", ColumnKind.TEXT), Column("b", ColumnKind.TEXT)), ZoneInfo("UTC"), "texts"
)


def read(heading: ExportHeader, batch: Batch) -> list[list[str]]:
    written = csv_lines.header(heading) + csv_lines.lines(heading, batch)
    return list(csv.reader(io.StringIO(written.decode(), newline=""), strict=True))


@given(st.lists(HOSTILE, max_size=20))
def test_any_text_survives_a_round_trip_except_for_apostrophes(texts: list[str]) -> None:
    head, *rows = read(TEXTS, [texts, texts[::-1]])
    assert head == ["a", "b"]
    assert len(rows) == len(texts)
    for found, sent in zip([row[0] for row in rows], texts, strict=True):
        assert found.replace("'", "") == sent.replace("'", "")
        assert not found.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@given(st.lists(HOSTILE, max_size=20))
def test_no_cell_is_a_formula_whatever_separates_cells(delimiter: str, texts: list[str]) -> None:
    found = csv_lines.lines(TEXTS, [texts, texts[::-1]]).decode()
    rows = csv.reader(io.StringIO(found, newline=""), delimiter=delimiter)
    assert not [cell for row in rows for cell in row if FORMULA.match(cell)]


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("x")', "+1", "-1", "@SUM(1)", " =1", "\t1", "\r1", "\n1", "\uff1d1"]
)
def test_a_formula_is_shown_as_text(text: str) -> None:
    ((_, found), (_, _)) = [*zip(*read(TEXTS, [[text], ["plain"]]), strict=True)]
    assert found == f"'{text}"


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize(
    "text", ["a{}=1", "a{}=1{}b", 'a{}"=1+1{}b', "a{} @x", 'a{} "" -1', "{}=1", "a{}\uff1d1"]
)
def test_no_formula_begins_within_a_text(delimiter: str, text: str) -> None:
    """Spreadsheets of many countries separate cells so, and quote only whole cells of theirs."""
    found = csv_lines.lines(TEXTS, [["plain"], [text.format(delimiter, delimiter)]]).decode()
    (row,) = csv.reader([found], delimiter=delimiter)
    assert len(row) > 1
    assert not [cell for cell in row if FORMULA.match(cell)]


@pytest.mark.parametrize("text", ["Doe; Jane", "1;2", "a\tb", "a-b;c=d"])
def test_text_without_a_formula_is_unchanged(text: str) -> None:
    assert csv_lines.lines(TEXTS, [[text], ["plain"]]) == f'"{text}",plain\r\n'.encode()


def test_line_ends_and_quotes_follow_rfc_4180() -> None:
    written = csv_lines.lines(TEXTS, [["a,b", 'say "x"', "two\nlines"], ["plain", None, ""]])
    assert written == b'"a,b",plain\r\n"say ""x""",\r\n"two\nlines",\r\n'


def test_every_kind_of_value_is_written_and_numbers_are_unchanged() -> None:
    kinds = {
        ColumnKind.WORD: "COMPLETED",
        ColumnKind.DATE: date(2026, 3, 29),
        ColumnKind.MOMENT: datetime(2026, 3, 29, 0, 59, 59, 1, tzinfo=UTC),
        ColumnKind.AMOUNT: "-10.50",
        ColumnKind.COUNT: -3,
    }
    columns = tuple(Column(kind, kind) for kind in kinds)
    heading = ExportHeader(columns, ZoneInfo("Europe/Berlin"), "all")
    written = [[value, None] for value in kinds.values()]
    _, row, empty = read(heading, written)
    assert row == ["COMPLETED", "2026-03-29", "2026-03-29T01:59:59.000001+01:00", "-10.50", "-3"]
    assert empty == [""] * len(kinds)


def test_no_rows_make_no_lines() -> None:
    assert csv_lines.lines(TEXTS, [[], []]) == b""
    assert csv_lines.lines(TEXTS, []) == b""


def test_a_file_has_a_plain_name() -> None:
    heading = ExportHeader((), ZoneInfo("UTC"), 'a/../b"\r\nc é')
    assert heading.file_name(ExportFormat.CSV) == "a----b---c--.csv"
