"""The benchmark's comparison statements match the current tables."""

import re
from pathlib import Path

import pytest
from bench import scripts

from landbridge.platform.db.pool import Database

PLAIN = Path(scripts.__file__).with_name("plain.sql")
NEEDED = """
select column_name from information_schema.columns
where table_schema = 'public' and table_name = $1 and is_nullable = 'NO' and column_default is null
"""


def test_our_own_statements_have_all_their_parameters() -> None:
    assert not re.search(r"\$\d", scripts.ours())
    assert not re.search(r"<\w+>", scripts.plain())


@pytest.mark.parametrize("table", ["transfers", "entries", "changes"])
async def test_plain_statements_fill_what_a_row_needs(database: Database, table: str) -> None:
    inserts = re.findall(rf"insert into {table} \(([^)]*)\)", PLAIN.read_text(encoding="utf-8"))
    assert inserts
    needed = {row["column_name"] for row in await database.rows(NEEDED, table)}
    assert all(needed <= set(re.findall(r"\w+", columns)) for columns in inserts)
