"""Every statement on house_accounts and house_rolls, and the tail of entries behind them.

A transaction id is handed over as text, because 64 bits without a sign fit no integer type.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from uuid import UUID

from landbridge.db.pool import Row, Tx
from landbridge.ledger.model import Role

_HORIZON = "select pg_snapshot_xmin(pg_current_snapshot())::text"

_SUMS = """
select e.role, e.asset, sum(e.available) as units
from changes c
join entries e on e.org_id = c.org_id and e.transfer_id = c.object_id and e.seq = c.seq
where c.org_id = $1 and c.tx >= $2::text::xid8 and c.tx < $3::text::xid8 and e.role is not null
group by e.role, e.asset
"""

# In one statement, so that sums and watermark belong together.
_ROLLED = """
select coalesce(r.rolled_to, '0')::text as rolled_to, h.role, h.asset, h.rolled_units as units
from (select $1::uuid as org_id) o
left join house_rolls r on r.org_id = o.org_id
left join house_accounts h on h.org_id = o.org_id
"""

_REPLACE = """
insert into house_accounts as h (org_id, role, asset, rolled_units)
select $1, n.role, n.asset, n.units
from unnest($2::text[], $3::text[], $4::numeric[]) as n (role, asset, units)
order by n.role, n.asset
on conflict (org_id, role, asset) do update set rolled_units = excluded.rolled_units
"""

_BEGIN = """
insert into house_rolls (org_id, rolled_to) values ($1, '0')
on conflict (org_id) do nothing
"""

# Reads only: an organisation in which nothing has happened costs no write.
_BEHIND = """
select o.org_id
from unnest($1::uuid[]) as o (org_id)
left join house_rolls r on r.org_id = o.org_id
where exists (
    select
    from changes c
    where c.org_id = o.org_id and c.tx >= coalesce(r.rolled_to, '0'::xid8)
        and c.tx < pg_snapshot_xmin(pg_current_snapshot())
)
"""

_LOCK = "select rolled_to::text from house_rolls where org_id = $1 for update"

# The transaction of the last change that fits one step, and the watermark's bound: no
# transaction below the oldest that still runs can write any more.
_BOUNDS = """
select pg_snapshot_xmin(pg_current_snapshot())::text as settled_to,
    exists (
        select from changes
        where org_id = $1 and tx >= $2::text::xid8
            and tx < pg_snapshot_xmin(pg_current_snapshot())
    ) as has_more,
    (
        select tx::text
        from changes
        where org_id = $1 and tx >= $2::text::xid8
            and tx < pg_snapshot_xmin(pg_current_snapshot())
        order by tx
        offset $3
        limit 1
    ) as last_of_step
"""

_FOLD = """
insert into house_accounts as h (org_id, role, asset, rolled_units)
select c.org_id, e.role, e.asset, sum(e.available)
from changes c
join entries e on e.org_id = c.org_id and e.transfer_id = c.object_id and e.seq = c.seq
where c.org_id = $1 and c.tx >= $2::text::xid8 and c.tx < $3::text::xid8 and e.role is not null
group by c.org_id, e.role, e.asset
order by e.role, e.asset
on conflict (org_id, role, asset)
    do update set rolled_units = h.rolled_units + excluded.rolled_units
"""

_MARK = "update house_rolls set rolled_to = $2::text::xid8 where org_id = $1"

# One statement, hence one snapshot: what is rolled up and what is not yet add up at any moment.
# The upper end, the last number there is, speaks to the planner alone: of a range with one open end
# it expects a third of all changes, and reads them all; of one with two ends, a few.
_BALANCES = """
select role, asset, sum(units) as units
from (
    select role, asset, rolled_units as units
    from house_accounts
    where org_id = $1
    union all
    select e.role, e.asset, e.available
    from changes c
    join entries e on e.org_id = c.org_id and e.transfer_id = c.object_id and e.seq = c.seq
    where c.org_id = $1 and e.role is not null
        and c.tx >= coalesce((select rolled_to from house_rolls where org_id = $1), '0')
        and c.tx <= '18446744073709551615'
) as parts
group by role, asset
"""


async def behind(tx: Tx, org_ids: list[UUID]) -> list[UUID]:
    """Those of these organisations that have something to fold."""
    return [row["org_id"] for row in await tx.fetch(_BEHIND, org_ids)]


async def lock(tx: Tx, org_id: UUID) -> int:
    """The organisation's watermark, made if it is new, and locked until the transaction ends."""
    await tx.execute(_BEGIN, org_id)
    return int(await tx.fetchval(_LOCK, org_id))


async def step_end(tx: Tx, org_id: UUID, *, rolled_to: int, changes_max: int) -> int | None:
    """Where a step from `rolled_to` ends: below it are about `changes_max` changes, all settled.

    None if nothing has been settled since. A transaction is never cut in two, so a step holds at
    most `changes_max` changes and the rest of the last one's transaction.
    """
    row = await tx.fetchrow(_BOUNDS, org_id, str(rolled_to), changes_max - 1)
    if row is None or not row["has_more"]:
        return None
    if row["last_of_step"] is None:
        return int(row["settled_to"])
    return int(row["last_of_step"]) + 1


async def fold(tx: Tx, org_id: UUID, *, rolled_to: int, end: int) -> None:
    """Add the entries of transactions from `rolled_to` up to `end`, and move the watermark."""
    await tx.execute(_FOLD, org_id, str(rolled_to), str(end))
    await tx.execute(_MARK, org_id, str(end))


async def balances(tx: Tx, org_id: UUID) -> dict[tuple[Role, str], int]:
    """Units by (role, asset)."""
    return _units(await tx.fetch(_BALANCES, org_id))


async def horizon(tx: Tx) -> int:
    """Return the transaction id below which nothing can be written any more."""
    return int(await tx.fetchval(_HORIZON))


async def sums(tx: Tx, org_id: UUID, *, since: int, until: int) -> dict[tuple[Role, str], int]:
    """Sum the entries of transactions from `since` up to `until`, by (role, asset)."""
    return _units(await tx.fetch(_SUMS, org_id, str(since), str(until)))


async def rolled(tx: Tx, org_id: UUID) -> tuple[int, dict[tuple[Role, str], int]]:
    """Return the watermark and the rolled-up units by (role, asset)."""
    rows = await tx.fetch(_ROLLED, org_id)
    return int(rows[0]["rolled_to"]), _units([row for row in rows if row["role"] is not None])


async def replace(
    tx: Tx, org_id: UUID, units: Mapping[tuple[Role, str], int], *, rolled_to: int
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
    await tx.execute(_MARK, org_id, str(rolled_to))


def _units(rows: Sequence[Row]) -> dict[tuple[Role, str], int]:
    return {(Role(row["role"]), row["asset"]): int(row["units"]) for row in rows}
