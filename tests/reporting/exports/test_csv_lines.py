import csv
import io
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.reporting.exports import csv_lines
from landbridge.reporting.exports.model import Batch, Column, Format, Heading, Kind

TEXTS = Heading((Column("a", Kind.TEXT), Column("b", Kind.TEXT)), ZoneInfo("UTC"), "texts")


def read(heading: Heading, batch: Batch) -> list[list[str]]:
    told = csv_lines.header(heading) + csv_lines.lines(heading, batch)
    return list(csv.reader(io.StringIO(told.decode(), newline=""), strict=True))


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), max_size=20
    )
)
def test_any_text_is_read_back_as_it_was_but_for_an_apostrophe(texts: list[str]) -> None:
    head, *rows = read(TEXTS, [texts, texts[::-1]])
    assert head == ["a", "b"]
    assert len(rows) == len(texts)
    for found, sent in zip([row[0] for row in rows], texts, strict=True):
        assert found in {sent, f"'{sent}"}
        assert not found.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("x")', "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "\uff1d1"]
)
def test_a_formula_is_shown_as_text(text: str) -> None:
    ((_, found), (_, _)) = [*zip(*read(TEXTS, [[text], ["plain"]]), strict=True)]
    assert found == f"'{text}"


@pytest.mark.parametrize("text", ["a;=1", "a\t=1", "Doe; Jane"])
def test_no_cell_begins_behind_a_mark_within_a_text(text: str) -> None:
    """Spreadsheets of many countries part cells by semicolons."""
    told = csv_lines.lines(TEXTS, [[text], ["plain"]])
    assert told == f'"{text}",plain\r\n'.encode()
    ((found,),) = csv.reader([told.decode()], delimiter=";")
    assert found == f"{text},plain"


def test_lines_end_and_cells_are_quoted_as_rfc_4180_has_it() -> None:
    told = csv_lines.lines(TEXTS, [["a,b", 'say "x"', "two\nlines"], ["plain", None, ""]])
    assert told == b'"a,b",plain\r\n"say ""x""",\r\n"two\nlines",\r\n'


def test_values_of_every_kind_are_told_and_numbers_are_left_as_they_are() -> None:
    kinds = {
        Kind.WORD: "COMPLETED",
        Kind.DATE: date(2026, 3, 29),
        Kind.MOMENT: datetime(2026, 3, 29, 0, 59, 59, 1, tzinfo=UTC),
        Kind.AMOUNT: "-10.50",
        Kind.COUNT: -3,
    }
    columns = tuple(Column(kind, kind) for kind in kinds)
    heading = Heading(columns, ZoneInfo("Europe/Berlin"), "all")
    told = [[value, None] for value in kinds.values()]
    _, row, empty = read(heading, told)
    assert row == ["COMPLETED", "2026-03-29", "2026-03-29T01:59:59.000001+01:00", "-10.50", "-3"]
    assert empty == [""] * len(kinds)


def test_nothing_makes_no_lines() -> None:
    assert csv_lines.lines(TEXTS, [[], []]) == b""
    assert csv_lines.lines(TEXTS, []) == b""


def test_a_file_has_a_plain_name() -> None:
    heading = Heading((), ZoneInfo("UTC"), 'a/../b"\r\nc é')
    assert heading.file_name(Format.CSV) == "a----b---c--.csv"
