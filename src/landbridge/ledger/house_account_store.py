"""Statements on house_accounts and house_rollups, and on entries not yet rolled up."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from uuid import UUID

from landbridge.ledger.model import HouseRole
from landbridge.platform.db.pool import Row, Tx

# The changes of each batch and the entries of each change are looked up by key, whatever size of
# the range the planner expects.
_SUMS = """
select e.role, e.asset, sum(e.available) as units
from change_batches b
cross join lateral (
    select x.object_id, x.seq
    from changes x
    where x.org_id = b.org_id and x.batch = b.number
    offset 0
) c
cross join lateral (
    select x.role, x.asset, x.available
    from entries x
    where x.org_id = b.org_id and x.transfer_id = c.object_id and x.seq = c.seq
        and x.role is not null
    offset 0
) e
where b.org_id = $1 and b.place >= $2 and b.place < $3
group by e.role, e.asset
"""

# One statement, so that sums and watermark are consistent.
_ROLLED = """
select coalesce(r.rolled_up_to, 0) as rolled_up_to, h.role, h.asset,
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
insert into house_rollups (org_id, rolled_up_to) values ($1, 0)
on conflict (org_id) do nothing
"""

# Reads only, so that an organisation without activity causes no write.
_BEHIND = """
select o.org_id
from unnest($1::uuid[]) as o (org_id)
join change_logs l on l.org_id = o.org_id
left join house_rollups r on r.org_id = o.org_id
where l.last_place >= coalesce(r.rolled_up_to, 0)
"""

_LOCK = "select rolled_up_to from house_rollups where org_id = $1 for update"

# The place of the last change within one step, and the last place given: places not given yet are
# above it.
_BOUNDS = """
select l.last_place, (
        select b.place
        from change_batches b
        cross join lateral (
            select c.seq from changes c where c.org_id = b.org_id and c.batch = b.number offset 0
        ) c
        where b.org_id = l.org_id and b.place >= $2
        order by b.place
        offset $3
        limit 1
    ) as last_of_step
from change_logs l
where l.org_id = $1
"""

_FOLD = """
insert into house_accounts as h (org_id, role, asset, rolled_up_units)
select b.org_id, e.role, e.asset, sum(e.available)
from change_batches b
cross join lateral (
    select x.object_id, x.seq
    from changes x
    where x.org_id = b.org_id and x.batch = b.number
    offset 0
) c
cross join lateral (
    select x.role, x.asset, x.available
    from entries x
    where x.org_id = b.org_id and x.transfer_id = c.object_id and x.seq = c.seq
        and x.role is not null
    offset 0
) e
where b.org_id = $1 and b.place >= $2 and b.place < $3
group by b.org_id, e.role, e.asset
order by e.role, e.asset
on conflict (org_id, role, asset)
    do update set rolled_up_units = h.rolled_up_units + excluded.rolled_up_units
"""

_MARK = "update house_rollups set rolled_up_to = $2 where org_id = $1"

# One statement has one snapshot, so rolled-up and pending entries are consistent. The upper bound
# is for the planner: with one bound it expects a third of all batches and reads them all, with two
# it expects few.
_BALANCES = """
select role, asset, sum(units) as units
from (
    select role, asset, rolled_up_units as units
    from house_accounts
    where org_id = $1
    union all
    select e.role, e.asset, e.available
    from change_batches b
    cross join lateral (
        select x.object_id, x.seq
        from changes x
        where x.org_id = b.org_id and x.batch = b.number
        offset 0
    ) c
    cross join lateral (
        select x.role, x.asset, x.available
        from entries x
        where x.org_id = b.org_id and x.transfer_id = c.object_id and x.seq = c.seq
            and x.role is not null
        offset 0
    ) e
    where b.org_id = $1
        and (
            b.place >= coalesce((select rolled_up_to from house_rollups where org_id = $1), 0)
                and b.place <= 9223372036854775807
            or b.place is null
        )
) as parts
group by role, asset
"""


async def find_behind(tx: Tx, org_ids: list[UUID]) -> list[UUID]:
    """Return the organisations that have entries to roll up."""
    return [row["org_id"] for row in await tx.fetch(_BEHIND, org_ids)]


async def lock(tx: Tx, org_id: UUID) -> int:
    """Lock and return the organisation's watermark; it is created if it does not exist."""
    await tx.execute(_BEGIN, org_id)
    return await tx.fetchval(_LOCK, org_id)


async def step_end(tx: Tx, org_id: UUID, *, rolled_up_to: int, changes_max: int) -> int | None:
    """Return the place where a step from `rolled_up_to` ends; None if no place was given since.

    About `changes_max` changes lie below the end. A batch is never split, so a step has at most
    `changes_max` changes and the rest of the last change's batch.
    """
    row = await tx.fetchrow(_BOUNDS, org_id, rolled_up_to, changes_max - 1)
    if row is None or row["last_place"] < rolled_up_to:
        return None
    return 1 + (row["last_place"] if row["last_of_step"] is None else row["last_of_step"])


async def roll_up(tx: Tx, org_id: UUID, *, rolled_up_to: int, end: int) -> None:
    """Roll up the entries at places from `rolled_up_to` to below `end`; move the watermark."""
    await tx.execute(_FOLD, org_id, rolled_up_to, end)
    await tx.execute(_MARK, org_id, end)


async def balances(tx: Tx, org_id: UUID) -> dict[tuple[HouseRole, str], int]:
    """Return the balances in units by (role, asset)."""
    return _units(await tx.fetch(_BALANCES, org_id))


async def sums(tx: Tx, org_id: UUID, *, since: int, until: int) -> dict[tuple[HouseRole, str], int]:
    """Sum the entries at places from `since` to below `until`, by (role, asset)."""
    return _units(await tx.fetch(_SUMS, org_id, since, until))


async def rolled_up_balances(tx: Tx, org_id: UUID) -> tuple[int, dict[tuple[HouseRole, str], int]]:
    """Return the watermark and the rolled-up units by (role, asset)."""
    rows = await tx.fetch(_ROLLED, org_id)
    return rows[0]["rolled_up_to"], _units([row for row in rows if row["role"] is not None])


async def replace(
    tx: Tx, org_id: UUID, units: Mapping[tuple[HouseRole, str], int], *, rolled_up_to: int
) -> None:
    """Replace the roll-up and its watermark, which the caller has locked."""
    rows = list(units.items())
    await tx.execute(
        _REPLACE,
        org_id,
        [role.value for (role, _), _ in rows],
        [asset for (_, asset), _ in rows],
        [Decimal(each) for _, each in rows],
    )
    await tx.execute(_MARK, org_id, rolled_up_to)


def _units(rows: Sequence[Row]) -> dict[tuple[HouseRole, str], int]:
    return {(HouseRole(row["role"]), row["asset"]): int(row["units"]) for row in rows}
