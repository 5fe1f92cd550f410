"""docs/internals/portable-sql.md lists what our SQL needs from a server, no more and no less."""

import re
from pathlib import Path

from landbridge.ledger.functions import LOCK_AND_ADVANCE, LOCK_AND_CREATE
from landbridge.platform.db.migrate import migrations
from landbridge.platform.db.pool import Database
from tests.sources import report
from tests.statements import statements

_PAGE = Path(__file__).parent.parent / "docs" / "internals" / "portable-sql.md"
# Constructs beyond the common ground of SQL, by their name on the page.
_CONSTRUCTS = {
    "insert … on conflict": r"\bon conflict\b",
    "returning": r"\breturning\b",
    "update … from": r"\bupdate\b[^;]*\bset\b[^;]*\bfrom\b",
    "delete … using": r"\bdelete\b[^;]*\busing\b",
    "lateral joins": r"\blateral\b",
    "writes in with": r"as (?:materialized )?\(\s*(?:insert|update|delete)\b",
    "materialized with": r"\bas materialized\b",
    "recursive with": r"\bwith recursive\b",
    "arrays as parameters": r"\$\d+::\w+\[\]",
    "unnest of several arrays": r"\bunnest\([^()]*,",
    "with ordinality": r"\bwith ordinality\b",
    "comparison of rows": r"\([^()]+,[^()]+\) [<>]=? \(",
    "for update of several rows": r"\bfor update\b",
    "for no key update": r"\bfor (?:no key update|share|key share)\b",
    "skip locked": r"\bskip locked\b",
    "distinct on": r"\bdistinct on\b",
    "filter of aggregates": r"\bfilter \(where\b",
    "window functions": r"\bover \(",
    "full join": r"\bfull join\b",
    "jsonb operators": r"->>|@>|#>",
    'collate "C"': r'\bcollate "C"',
    "time zones by name": r"\bat time zone\b",
    "regular expressions": r" !?~\*? ",
    "rows by ctid": r"\bctid\b",
    "partial indexes": r"create (?:unique )?index[^;]*\bwhere\b",
    "GIN indexes": r"\busing gin\b",
    "partitions": r"\bpartition by range\b",
    "views": r"\bcreate view\b",
    "sequences": r"\bcreate sequence\b",
    "functions in PL/pgSQL": r"\blanguage plpgsql\b",
}
_FUNCTIONS = """
select distinct proname::text as name
from pg_proc
where pronamespace = 'pg_catalog'::regnamespace and proname = any($1)
"""


def test_constructs_are_those_on_the_page() -> None:
    listed = set(_section("Constructs"))
    assert listed == _CONSTRUCTS.keys()
    everything = "\n;\n".join([*_sql(), *(each.sql for each in migrations())])
    unused = [name for name, found in _CONSTRUCTS.items() if not re.search(found, everything)]
    assert not unused, report("No statement needs these; take them off the page:", unused)


async def test_functions_are_those_on_the_page(database: Database) -> None:
    words = {
        word
        for sql in _sql()
        for word in re.findall(r"\b([a-z_]\w*)\s*\(", re.sub(r"'(?:[^']|'')*'", "''", sql))
    }
    used = {row["name"] for row in await database.rows(_FUNCTIONS, sorted(words))}
    listed = set(_section("Functions"))
    assert used == listed, report(
        "Another server would have to have these too; list them, or take them off:",
        sorted(used ^ listed),
    )


def _sql() -> list[str]:
    return [each.sql for each in statements()] + [LOCK_AND_CREATE.body, LOCK_AND_ADVANCE.body]


def _section(title: str) -> list[str]:
    """Return the words in code of a section."""
    text = _PAGE.read_text(encoding="utf-8")
    (found,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`]+)`", found)
