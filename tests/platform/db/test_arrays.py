"""Arrays as text are read by PostgreSQL as what they were made of."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.arrays import array_text
from landbridge.platform.db.pool import Database

TEXTS = [
    "",
    "a",
    "null",
    "NULL",
    'say "{a,b}"',
    "back\\slash\\\\",
    '{"a": "b\\n"}',
    " é€😀 ",
    "\x7f",
    None,
]
NUMBERS = [0, -1, 2**63, -(2**120), None]
MOMENT = datetime(2026, 11, 30, 23, 59, 59, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("text", TEXTS),
        ("text", []),
        ("numeric", NUMBERS),
        ("int", [1, None, -(2**31)]),
        ("uuid", [new_id(), None, UUID(int=0)]),
        ("timestamptz", [MOMENT, None, MOMENT.replace(microsecond=0)]),
        ("boolean", [True, False, None]),
    ],
)
async def test_array_is_read_as_it_was(
    database: Database, kind: str, values: Sequence[object]
) -> None:
    (row,) = await database.rows(f"select $1::text::{kind}[] as found", array_text(values))
    assert row["found"] == values


@pytest.mark.parametrize("text", ["a\nb", "\t", "\x00", 'quote " and \r'])
def test_control_character_is_refused(text: str) -> None:
    with pytest.raises(InvariantBroken, match="control character"):
        array_text(["fine", text])


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cc", "Cs"]))))
def test_every_other_text_is_taken(texts: Sequence[str | None]) -> None:
    assert array_text(texts).startswith("{")
