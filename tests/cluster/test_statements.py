"""Each statement of the package, planned on a cluster for one organisation."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, cast
from uuid import UUID

import asyncpg

from landbridge.platform.db.one_organisation import VIEWS, OneNodeConnection, for_one_node
from landbridge.platform.db.session_settings import ONE_NODE_SETTINGS
from tests.cluster.nodes import Cluster
from tests.sources import report
from tests.statements import statements

_ORG = UUID("018f0000-0000-7000-8000-000000000001")
# A statement that sets a column to a bare subscript crashes the coordinator, and this test.
_AT = datetime(2026, 1, 1, tzinfo=UTC)
_VALUES: Final[dict[str, Any]] = {
    "uuid": _ORG,
    "timestamptz": _AT,
    "timestamp with time zone": _AT,
    "date": _AT.date(),
    "time": _AT.time(),
    "time without time zone": _AT.time(),
    "interval": timedelta(days=1),
    "numeric": Decimal(1),
    "bytea": b"x",
    "jsonb": "{}",
    "pg_lsn": "0/1",
    **dict.fromkeys(("float8", "double precision"), 1.0),
    **dict.fromkeys(("bool", "boolean"), True),
    **dict.fromkeys(("int2", "int4", "int8", "smallint", "integer", "bigint", "oid"), 1),
}
# They ask all nodes, so none may be down: what comes from outside names no organisation.
ASK_ALL_NODES: Final = {
    **{
        ("customers/chain_deposits/store.py", name): "a block has deposits of all organisations"
        for name in [
            "_CONFIRMED",
            "_COUNT_ORPHANS",
            "_MATCH",
            "_ORPHAN",
            "_ORPHANS",
            "_REMOVE_CONFIRMED",
        ]
    },
    **{
        ("customers/chain_deposits/treasury_store.py", name): "as above"
        for name in (
            "_CONFIRMED",
            "_COUNT_LOST",
            "_LOSE",
            "_LOSE_CONFIRMED",
            "_OVERDUE",
            "_REMOVE_CONFIRMED",
        )
    },
    **{
        (f"providers/sidecar/{file}.py", name): "a provider knows our key alone"
        for file, name in (
            ("application_store", "_NOTE_WEBHOOK"),
            ("application_store", "_CLOSE"),
            ("order_store", "_FIND_BY_KEY"),
            ("order_store", "_CLOSE"),
            ("screening_store", "_NOTE_WEBHOOK"),
            ("screening_store", "_CLOSE"),
            ("waiting_store", "_COUNT"),
            ("waiting_store", "_PROBLEMS_OF_ALL"),
        )
    },
    ("customers/travel_exchanges/queue_store.py", "_NOTE_WEBHOOK"): "it knows our key alone",
    ("customers/onboarding/store.py", "_FIND_BY_HASH"): "the hosted form knows its token alone",
    ("customers/users/terms_store.py", "_FIND_BY_SESSION"): "the page knows its token alone",
    ("developers/webhooks/store.py", "_FIND_ORG"): "receivers know the endpoint's id alone",
    **{
        ("payments/bank_files/funding_account_store.py", name): "a folder has one organisation"
        for name in ("_HAS_FOLDER", "_WITHOUT_FOLDERS")
    },
    ("app/backups/store.py", "_MONEY"): "a backup has all organisations",
}
# Citus refuses them; docs/guides/citus.md says what does not work without them.
REFUSED: Final = {
    ("platform/changes/store.py", "_ADD"): "append_change_of_one is called instead",
    ("platform/changes/store.py", "_ADD_NEXT"): "append_change_of_one is called instead",
    ("customers/chain_deposits/treasury_store.py", "_MATCH"): "deposits of real chains",
    ("providers/evm/gas/store.py", "_LOCK_DUE"): "orders of real chains are on the coordinator",
    ("sandbox/seeding/store.py", "_MOVE"): "movements of seeded data",
}


async def test_each_statement_needs_one_node_or_is_listed(nodes: Cluster, dsn: str) -> None:
    found: dict[tuple[str, str], str] = {}
    connection: Any = await cast("Any", asyncpg).connect(
        dsn, server_settings=ONE_NODE_SETTINGS, statement_cache_size=0
    )
    views = OneNodeConnection.with_views(await connection.fetch(VIEWS)).views
    for each in statements():
        sql = for_one_node(each.sql, views)
        if reason := await _why_not_one_node(connection, sql):
            found[each.file, each.name] = f"{each}: {reason}"
    await connection.close()
    listed = ASK_ALL_NODES | REFUSED
    findings = [text for key, text in found.items() if key not in listed]
    assert not findings, report("Compare each table with the organisation, or list it:", findings)
    stale = sorted(str(key) for key in listed.keys() - found.keys())
    assert not stale, report("These exceptions excuse nothing any more; remove them:", stale)


async def _why_not_one_node(connection: Any, sql: str) -> str | None:
    try:
        prepared = await connection.prepare(sql)
        types = [each.name for each in prepared.get_parameters()]
        values = [_value(sql, number, name) for number, name in enumerate(types, start=1)]
        rows = await connection.fetch(f"explain (costs off) {sql}", *values)
    except asyncpg.PostgresError as error:
        return str(error).partition("\n")[0]
    plan = "\n".join(row[0] for row in rows)
    counts = [int(each) for each in re.findall(r"Task Count: (\d+)", plan)]
    return f"{max(counts)} tasks" if counts and max(counts) > 1 else None


def _value(sql: str, number: int, type_name: str) -> Any:
    """Return a value of a parameter: of organisations always the same one."""
    if type_name.endswith("[]"):
        is_json = re.search(rf"\${number}::text\[\]", sql) and "jsonb" in sql
        return [_value(sql, number, type_name.removesuffix("[]")) if not is_json else "{}"]
    if re.search(rf"\${number}::text::jsonb?\b", sql):
        return "{}"
    if re.search(rf"\${number}::text::\w+\[\]|string_to_array\(\${number}\b", sql):
        return f"{{{_ORG}}}" if "string_to_array" not in sql else str(_ORG)
    if "pg_lsn" in sql and type_name == "text":
        return "0/1"
    if re.search(rf"at time zone \${number}\b", sql):
        return "UTC"
    return _VALUES.get(type_name, "x")
