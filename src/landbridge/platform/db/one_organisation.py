"""Statements and connections for a database that is distributed by organisation (Citus).

On Citus each statement works on the rows of one organisation, or of several on one node. The
planner finds the node if the statement compares `org_id` of every table with a parameter. Our
statements often compare it with another table's `org_id`, which costs less on one server.
`for_one_node` adds the missing comparisons, which change no result. A view has no parameters, so
its name is first replaced by its definition.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, ClassVar, Final
from uuid import UUID

import asyncpg
from typing_extensions import override

from landbridge.platform.core.errors import InvariantBroken

# Matches `unnest($1::uuid[], $2::text[]) with ordinality as i (org_id, name)`: the arrays and the
# names of their columns.
_ARRAYS: Final = re.compile(
    r"unnest\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*(?:with\s+ordinality\s*)?(?:as\s+)?(\w+)\s*"
    r"\(([^)]*)\)"
)
_ONE_OF: Final = re.compile(r"\borg_id = any\(\s*(\$\d+(?:::\w+)*(?:\[\])?)\s*\)")
_ONE: Final = re.compile(r"\borg_id = (\$\d+)")
# Matches a comparison of a table's `org_id` with another table's, which may be an alias or a
# subquery.
_COMPARISON: Final = re.compile(r"(?<![\w.(])(?:(\w+)\.)?org_id = (\w+)\.org_id\b")
_ROW_IN_ARRAYS: Final = re.compile(
    r"(\(org_id, \w+\) in \(\s*select \* from unnest\((\$\d+::uuid\[\]))"
)
# Names that have columns and are no tables.
_NO_TABLES: Final = frozenset({"excluded"})
# Our views, without those of extensions.
VIEWS: Final = """
select c.relname::text as name, pg_get_viewdef(c.oid, true) as definition
from pg_class c
where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace and not exists (
    select from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
)
order by c.relname
"""

# Names of views with their definitions.
Views = tuple[tuple[str, str], ...]


@cache
def for_one_node(sql: str, views: Views = ()) -> str:
    """Return the statement with every table's `org_id` compared with its parameter."""
    sql = _inlined(sql, views)
    sql = _ROW_IN_ARRAYS.sub(r"org_id = any(\2) and \1", sql)
    arrays = {
        match[2]: which for match in _ARRAYS.finditer(sql) if (which := _organisations(match))
    }
    if arrays:
        condition = f"any({next(iter(arrays.values()))})"
    elif several := _ONE_OF.search(sql):
        condition = f"any({several[1]})"
    elif one := _ONE.search(sql):
        condition = one[1]
    else:
        return sql

    def compared(match: re.Match[str]) -> str:
        own = match[1] if match[1] is None else f"{match[1]}."
        tables = {own or "": None}
        if match[1] in arrays or match[1] in _NO_TABLES:
            tables = {}
        if match[2] not in arrays and match[2] not in _NO_TABLES:
            tables[f"{match[2]}."] = None
        return " and ".join([match[0], *(f"{each}org_id = {condition}" for each in tables)])

    return _COMPARISON.sub(compared, sql)


def _inlined(sql: str, views: Views) -> str:
    """Return the statement with the definitions of views instead of their names."""
    definitions = dict(views)
    found = [name for name in definitions if name in sql]
    if not found:
        return sql
    name = re.compile(rf"\b(from|join)\s+({'|'.join(found)})\b", re.IGNORECASE)
    return name.sub(lambda each: f"{each[1]} ({_inlined(definitions[each[2]], views)})", sql)


def _organisations(arrays: re.Match[str]) -> str | None:
    """Return the array parameter that holds the organisations; None if there is none."""
    parameters = [each.strip() for each in arrays[1].split(",")]
    columns = [each.strip() for each in arrays[3].split(",")]
    if "org_id" not in columns or columns.index("org_id") >= len(parameters):
        return None
    found = parameters[columns.index("org_id")]
    return found if found.startswith("$") else None


def is_distributed(connection: object) -> bool:
    """Return whether a connection belongs to a distributed database."""
    return getattr(connection, "is_distributed", False)


def one_organisation(org_ids: Iterable[UUID]) -> UUID:
    """Return the organisation of a batch; raises `InvariantBroken` unless there is exactly one."""
    found = set(org_ids)
    if len(found) != 1:
        raise InvariantBroken(f"a batch has {len(found)} organisations")
    return found.pop()


class OneNodeConnection(asyncpg.Connection):
    """Connection to the coordinator; rewrites its statements with `for_one_node`."""

    is_distributed = True
    views: ClassVar[Views] = ()

    @classmethod
    def with_views(cls, rows: Iterable[Any]) -> type["OneNodeConnection"]:
        """Return the type of connections to a database with these `VIEWS`."""
        views = tuple((each["name"], each["definition"].rstrip("; \n")) for each in rows)
        return type(cls.__name__, (cls,), {"views": views})

    @override
    async def execute(self, query: str, *args: Any, **options: Any) -> Any:
        parent: Any = super()
        return await parent.execute(for_one_node(query, self.views), *args, **options)

    @override
    async def fetch(self, query: str, *args: Any, **options: Any) -> Any:
        parent: Any = super()
        return await parent.fetch(for_one_node(query, self.views), *args, **options)

    @override
    async def fetchrow(self, query: str, *args: Any, **options: Any) -> Any:
        parent: Any = super()
        return await parent.fetchrow(for_one_node(query, self.views), *args, **options)

    @override
    async def fetchval(self, query: str, *args: Any, **options: Any) -> Any:
        parent: Any = super()
        return await parent.fetchval(for_one_node(query, self.views), *args, **options)

    @override
    def cursor(self, query: str, *args: Any, **options: Any) -> Any:
        parent: Any = super()
        return parent.cursor(for_one_node(query, self.views), *args, **options)
