"""Reads of a database for backups: its contents, and whether it has any."""

from landbridge.app.backups.model import DatabaseContents, MoneyTotal
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.orgs.model import Mode

_SNAPSHOT = "select pg_export_snapshot()"

_SERVER_VERSION = "select current_setting('server_version_num')::integer"

_MIGRATION = "select coalesce(max(number), 0) from migrations"

_MODE = "select mode from installation"

# Excludes PostgreSQL's own schemas and those of extensions, which an administrator may have added.
_OBJECTS = """
select count(*)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
    and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
    and not exists (
        select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
    )
"""

# Tables with rows of their own; tables of extensions are not in a dump.
_TABLES = """
select c.relname::text as name, format('%I.%I', n.nspname, c.relname) as quoted
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
    and not exists (
        select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
    )
order by n.nspname, c.relname
"""

# By organisation first, as in every tenant table; then the totals.
_MONEY = """
select name, asset, sum(n)::bigint as rows, sum(one)::text as one, sum(other)::text as other
from (
    select a.org_id, 'accounts' as name, a.asset, count(*) as n, sum(a.available) as one,
        sum(a.held) as other
    from accounts a
    group by a.org_id, a.asset
    union all
    select e.org_id, 'entries', e.asset, count(*), sum(greatest(e.available, 0)), sum(e.held)
    from entries e
    group by e.org_id, e.asset
    union all
    select h.org_id, 'house_accounts', h.asset, count(*), sum(h.rolled_up_units), 0
    from house_accounts h
    group by h.org_id, h.asset
    union all
    select t.org_id, 'transfers', t.source_asset, count(*), sum(t.source_units),
        sum(t.destination_units)
    from transfers t
    group by t.org_id, t.source_asset
) as totals
group by name, asset
order by name, asset
"""
# Values of `one` and `other` by table; "-" for a missing value.
_SUMS = {
    "accounts": ("available", "held"),
    "entries": ("credited", "held"),
    "house_accounts": ("rolled_up_units", "-"),
    "transfers": ("source_units", "destination_units"),
}

_BEGIN = (
    "set transaction isolation level repeatable read, read only",
    # The transaction stays open, and idle, for as long as the dump takes.
    "set local idle_in_transaction_session_timeout = 0",
)

_ANALYZE = "vacuum (analyze)"


async def begin(tx: Tx) -> str:
    """Make the transaction a read-only snapshot; return its name for other sessions."""
    for statement in _BEGIN:
        await tx.execute(statement)
    return await tx.fetchval(_SNAPSHOT)


async def server_version(tx: Tx) -> int:
    """Return PostgreSQL's `server_version_num`, as 180004."""
    return await tx.fetchval(_SERVER_VERSION)


async def last_migration(tx: Tx) -> int:
    """Return the number of the last migration."""
    return await tx.fetchval(_MIGRATION)


async def mode(tx: Tx) -> Mode | None:
    """Return the mode of the database; None before the first start."""
    found = await tx.fetchval(_MODE)
    return None if found is None else Mode(found)


async def is_empty(tx: Tx) -> bool:
    """Return whether the database holds no user-created object."""
    return await tx.fetchval(_OBJECTS) == 0


async def contents(tx: Tx) -> DatabaseContents:
    """Count every table, and sum the money by asset."""
    rows = {
        row["name"]: int(await tx.fetchval(f"select count(*) from {row['quoted']}"))  # noqa: S608  quoted by the server
        for row in await tx.fetch(_TABLES)
    }
    return DatabaseContents(rows, [_money_total(row) for row in await tx.fetch(_MONEY)])


async def analyze(tx: Tx) -> None:
    """Update the planner's statistics after a load. Not allowed in a transaction."""
    await tx.execute(_ANALYZE)


def _money_total(row: Row) -> MoneyTotal:
    pairs = zip(_SUMS[row["name"]], (row["one"], row["other"]), strict=True)
    sums = {name: total for name, total in pairs if name != "-"}
    return MoneyTotal(row["name"], row["asset"], row["rows"], sums)
