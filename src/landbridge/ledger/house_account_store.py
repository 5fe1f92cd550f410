"""Statements on house_accounts and house_rollups, and on entries not yet rolled up.

Transaction ids are passed as text, because no integer type fits 64 unsigned bits.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from uuid import UUID

from landbridge.ledger.model import HouseRole
from landbridge.platform.db.pool import Row, Tx

_HORIZON = "select pg_snapshot_xmin(pg_current_snapshot())::text"

# The entries of each change are looked up by its key, whatever the planner expects of the range.
_SUMS = """
select e.role, e.asset, sum(e.available) as units
from changes c
cross join lateral (
    select x.role, x.asset, x.available
    from entries x
    where x.org_id = c.org_id and x.transfer_id = c.object_id and x.seq = c.seq
        and x.role is not null
    offset 0
) e
where c.org_id = $1 and c.tx >= $2::text::xid8 and c.tx < $3::text::xid8
group by e.role, e.asset
"""

# One statement, so that sums and watermark are consistent.
_ROLLED = """
select coalesce(r.rolled_up_to, '0')::text as rolled_up_to, h.role, h.asset,
    h.rolled_up_units as units
from (select $1::uuid as org_id) o
left join house_rollups r on r.org_id = o.org_id
left join house_accounts h on h.org_id = o.org_id
"""

_REPLACE = """
insert into house_accounts as h (org_id, role, asset, rolled_up_units)
select $1, n.role, n.asset, n.units
from unnest($2::text[], $3::text[], $4::numeric[]) as n (role, asset, units)
order by n.role, n.asset
on conflict (org_id, role, asset) do update set rolled_up_units = excluded.rolled_up_units
"""

_BEGIN = """
insert into house_rollups (org_id, rolled_up_to) values ($1, '0')
on conflict (org_id) do nothing
"""

# Only reads, so that an organisation without activity costs no write. One look into the index for
# each organisation. With `exists` PostgreSQL may read the whole log.
_BEHIND = """
select o.org_id
from unnest($1::uuid[]) as o (org_id)
left join house_rollups r on r.org_id = o.org_id
cross join lateral (
    select c.tx
    from changes c
    where c.org_id = o.org_id and c.tx >= coalesce(r.rolled_up_to, '0'::xid8)
        and c.tx < pg_snapshot_xmin(pg_current_snapshot())
    order by c.tx
    limit 1
) c
"""

_LOCK = "select rolled_up_to::text from house_rollups where org_id = $1 for update"

# Finds the transaction of the last change within one step, and the upper bound of the watermark: no
# transaction below the oldest running one can write any more. Both look-ups are ordered by the
# column: `has_more` for the same reason as above, and the name of an output column would be text.
_BOUNDS = """
select pg_snapshot_xmin(pg_current_snapshot())::text as settled_to,
    (
        select c.tx
        from changes c
        where c.org_id = $1 and c.tx >= $2::text::xid8
            and c.tx < pg_snapshot_xmin(pg_current_snapshot())
        order by c.tx
        limit 1
    ) is not null as has_more,
    (
        select c.tx::text
        from changes c
        where c.org_id = $1 and c.tx >= $2::text::xid8
            and c.tx < pg_snapshot_xmin(pg_current_snapshot())
        order by c.tx
        offset $3
        limit 1
    ) as last_of_step
"""

_FOLD = """
insert into house_accounts as h (org_id, role, asset, rolled_up_units)
select c.org_id, e.role, e.asset, sum(e.available)
from changes c
cross join lateral (
    select x.role, x.asset, x.available
    from entries x
    where x.org_id = c.org_id and x.transfer_id = c.object_id and x.seq = c.seq
        and x.role is not null
    offset 0
) e
where c.org_id = $1 and c.tx >= $2::text::xid8 and c.tx < $3::text::xid8
group by c.org_id, e.role, e.asset
order by e.role, e.asset
on conflict (org_id, role, asset)
    do update set rolled_up_units = h.rolled_up_units + excluded.rolled_up_units
"""

_MARK = "update house_rollups set rolled_up_to = $2::text::xid8 where org_id = $1"

# One statement, hence one snapshot: rolled-up and pending entries add up at any moment. The upper
# bound, the highest possible id, only helps the planner: it expects a third of all changes in a
# range with one bound and reads them all, but few in a range with two.
_BALANCES = """
select role, asset, sum(units) as units
from (
    select role, asset, rolled_up_units as units
    from house_accounts
    where org_id = $1
    union all
    select e.role, e.asset, e.available
    from changes c
    join entries e on e.org_id = c.org_id and e.transfer_id = c.object_id and e.seq = c.seq
    where c.org_id = $1 and e.role is not null
        and c.tx >= coalesce((select rolled_up_to from house_rollups where org_id = $1), '0')
        and c.tx <= '18446744073709551615'
) as parts
group by role, asset
"""


async def find_behind(tx: Tx, org_ids: list[UUID]) -> list[UUID]:
    """Return the organisations that have entries to roll up."""
    return [row["org_id"] for row in await tx.fetch(_BEHIND, org_ids)]


async def lock(tx: Tx, org_id: UUID) -> int:
    """Return the organisation's watermark, created if new, and lock it for the transaction."""
    await tx.execute(_BEGIN, org_id)
    return int(await tx.fetchval(_LOCK, org_id))


async def step_end(tx: Tx, org_id: UUID, *, rolled_up_to: int, changes_max: int) -> int | None:
    """Return where a step from `rolled_up_to` ends; None if nothing was settled since.

    About `changes_max` changes lie below the end, all settled. A transaction is never split, so a
    step holds at most `changes_max` changes and the rest of the last change's transaction.
    """
    row = await tx.fetchrow(_BOUNDS, org_id, str(rolled_up_to), changes_max - 1)
    if row is None or not row["has_more"]:
        return None
    if row["last_of_step"] is None:
        return int(row["settled_to"])
    return int(row["last_of_step"]) + 1


async def fold(tx: Tx, org_id: UUID, *, rolled_up_to: int, end: int) -> None:
    """Add the entries of transactions from `rolled_up_to` to `end`; advance the watermark."""
    await tx.execute(_FOLD, org_id, str(rolled_up_to), str(end))
    await tx.execute(_MARK, org_id, str(end))


async def balances(tx: Tx, org_id: UUID) -> dict[tuple[HouseRole, str], int]:
    """Return the balances in units by (role, asset)."""
    return _units(await tx.fetch(_BALANCES, org_id))


async def horizon(tx: Tx) -> int:
    """Return the visibility horizon: no transaction below this id can write any more."""
    return int(await tx.fetchval(_HORIZON))


async def sums(tx: Tx, org_id: UUID, *, since: int, until: int) -> dict[tuple[HouseRole, str], int]:
    """Sum the entries of transactions from `since` up to `until`, by (role, asset)."""
    return _units(await tx.fetch(_SUMS, org_id, str(since), str(until)))


async def rolled(tx: Tx, org_id: UUID) -> tuple[int, dict[tuple[HouseRole, str], int]]:
    """Return the watermark and the rolled-up units by (role, asset)."""
    rows = await tx.fetch(_ROLLED, org_id)
    return int(rows[0]["rolled_up_to"]), _units([row for row in rows if row["role"] is not None])


async def replace(
    tx: Tx, org_id: UUID, units: Mapping[tuple[HouseRole, str], int], *, rolled_up_to: int
) -> None:
    """Replace the roll-up and its watermark; the caller has locked it."""
    rows = list(units.items())
    await tx.execute(
        _REPLACE,
        org_id,
        [role.value for (role, _), _ in rows],
        [asset for (_, asset), _ in rows],
        [Decimal(each) for _, each in rows],
    )
    await tx.execute(_MARK, org_id, str(rolled_up_to))


def _units(rows: Sequence[Row]) -> dict[tuple[HouseRole, str], int]:
    return {(HouseRole(row["role"]), row["asset"]): int(row["units"]) for row in rows}
