"""Builds of roll-ups: list, progress, and folding the log into them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

import asyncpg

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_optional_row, read_row
from landbridge.reporting.rollups.model import BY_HOUR, TIMED, RollupBuild

_CURRENT = """
select org_id, build, zone, rolled_up_to, is_current
from report_builds
where org_id = $1 and is_current
"""

_BUILDS = """
select org_id, build, zone, rolled_up_to, is_current
from report_builds
where org_id = $1
order by build
"""

# Returns organisations with a log that is ahead of a build, or without a build, or with several.
_WITH_NEW_CHANGES = """
select o.org_id
from unnest($1::uuid[]) as o (org_id)
left join report_builds r on r.org_id = o.org_id and r.is_current
left join change_logs l on l.org_id = o.org_id
where r.rolled_up_to is null or l.last_place >= r.rolled_up_to or exists (
    select from report_builds other where other.org_id = o.org_id and not other.is_current
)
"""

# Counts changes that are not folded yet, up to a limit per organisation.
_BEHIND = """
select coalesce(sum(least(n.count, $2)), 0)::bigint
from unnest($1::uuid[]) as o (org_id)
left join report_builds r on r.org_id = o.org_id and r.is_current
cross join lateral (
    select count(*) as count
    from (
        (
            select c.seq
            from change_batches b
            join changes c on c.org_id = b.org_id and c.batch = b.number
            where b.org_id = o.org_id and b.place >= coalesce(r.rolled_up_to, 0)
            order by b.place
            limit $2
        )
        union all
        (
            select c.seq
            from change_batches b
            join changes c on c.org_id = b.org_id and c.batch = b.number
            where b.org_id = o.org_id and b.place is null
            order by b.number
            limit $2
        )
    ) waiting
) n
"""

# Adds no build if the newest one is not that which the caller has read. The newest build is never
# removed.
_ADD = """
insert into report_builds (org_id, build, zone, rolled_up_to, is_current, created_at)
values ($1, $2 + 1, $3, 0, $2 = 0, $4)
on conflict do nothing
returning org_id, build, zone, rolled_up_to, is_current
"""

# Locks a build's row for folding; a row that another worker has locked is skipped.
_TAKE = """
select org_id, build, zone, rolled_up_to, is_current
from report_builds
where org_id = $1 and build = $2
for update skip locked
"""

# Returns the exclusive end of a step with about $3 changes in whole batches, as a place. The batch
# at the watermark is always included, even if it is larger.
_STEP = """
select coalesce(n.place, e.place) as until, e.place as placed_to
from (
    select coalesce((select l.last_place from change_logs l where l.org_id = $1), 0) + 1 as place
) e
left join lateral (
    select b.place
    from change_batches b
    cross join lateral (
        select x.seq from changes x where x.org_id = b.org_id and x.batch = b.number offset 0
    ) c
    where b.org_id = $1 and b.place > $2
    order by b.place
    offset $3
    limit 1
) n on true
"""

_COUNT = """
select count(*)
from change_batches b
cross join lateral (
    select x.seq from changes x where x.org_id = b.org_id and x.batch = b.number offset 0
) c
where b.org_id = $1 and b.place >= $2 and b.place < $3
"""

# Returns the first place of the log and its end, which are equal if the log is empty.
_REACH = """
select coalesce(
        (select b.place from change_batches b where b.org_id = $1 and b.place > 0
            order by b.place limit 1),
        e.place
    ) as begin,
    e.place as placed_to
from (
    select coalesce((select l.last_place from change_logs l where l.org_id = $1), 0) + 1 as place
) e
"""

# Reads the changes once for all roll-ups, and first sums them by quarters of an hour, as no day in
# any zone starts within one. $8 are measures with hours, $9 those with durations. Text is sorted
# with collation "C": that of a language would take longer than everything else.
_FOLD = """
with delta as materialized (
    select d.measure collate "C" as measure,
        date_bin('15 minutes', d.occurred_at, timestamptz '2000-01-01 00:00+00') as occurred_at,
            d.user_id,
        d.a collate "C" as a, d.b collate "C" as b, d.c collate "C" as c, sum(d.count) as count,
        sum(d.units) as units, sum(d.other_units) as other_units, sum(d.usd_cents) as usd_cents
    from report_deltas d
    where d.org_id = $1 and d.place >= $3 and d.place < $4
    group by 1, 2, d.user_id, 4, 5, 6
    having sum(d.count) <> 0 or sum(d.units) <> 0 or sum(d.usd_cents) <> 0
), cells as (
    insert into report_rollups (
        org_id, build, measure, granularity, start, a, b, c, count, units, other_units, usd_cents
    )
    select $1, $2, d.measure, f.granularity, date_trunc(f.unit, d.occurred_at, f.zone) as start,
        d.a, d.b, d.c,
        sum(d.count), sum(d.units), sum(d.other_units), sum(d.usd_cents)
    from delta d
    join unnest($5::text[], $6::text[], $7::text[]) as f (granularity, unit, zone)
        on f.unit <> 'hour' or d.measure = any($8::text[])
    where d.measure <> all($9::text[])
    group by d.measure, f.granularity, 5, d.a, d.b, d.c
    having sum(d.count) <> 0 or sum(d.units) <> 0 or sum(d.usd_cents) <> 0
    on conflict (org_id, build, measure, granularity, start, a, b, c) do update
    set count = report_rollups.count + excluded.count,
        units = report_rollups.units + excluded.units,
        other_units = report_rollups.other_units + excluded.other_units,
        usd_cents = report_rollups.usd_cents + excluded.usd_cents
), durations as (
    insert into report_durations (
        org_id, build, measure, granularity, start, a, durations, counts
    )
    select $1, $2, t.measure, t.granularity, t.start, t.a, array_agg(t.duration), array_agg(t.count)
    from (
        select d.measure, f.granularity, date_trunc(f.unit, d.occurred_at, f.zone) as start, k.a,
            d.b::bigint as duration, sum(d.count)::bigint as count
        from delta d
        join unnest($5::text[], $6::text[], $7::text[]) as f (granularity, unit, zone)
            on f.unit <> 'hour'
        cross join lateral (select d.a union all select '' where d.measure = 'time') as k (a)
        where d.measure = any($9::text[])
        group by d.measure, f.granularity, 3, k.a, 5
        having sum(d.count) <> 0
    ) t
    group by t.measure, t.granularity, t.start, t.a
    on conflict (org_id, build, measure, granularity, start, a) do update
    set (durations, counts) = (
        select coalesce(array_agg(m.duration), '{}'), coalesce(array_agg(m.count), '{}')
        from (
            select u.duration, sum(u.count)::bigint as count
            from (
                select k.duration, k.count
                from unnest(report_durations.durations, report_durations.counts)
                    as k (duration, count)
                union all
                select n.duration, n.count
                from unnest(excluded.durations, excluded.counts) as n (duration, count)
            ) u
            group by u.duration
            having sum(u.count) <> 0
        ) m
    )
), of_users as (
    insert into report_user_rollups (
        org_id, build, user_id, granularity, start, kind, status, count, usd_cents
    )
    select $1, $2, d.user_id, f.granularity, date_trunc(f.unit, d.occurred_at, f.zone) as start,
        d.a, d.b,
        sum(d.count), sum(d.usd_cents)
    from delta d
    join unnest($5::text[], $6::text[], $7::text[]) as f (granularity, unit,
        zone) on f.unit <> 'hour'
    where d.measure = 'state'
    group by d.user_id, f.granularity, 5, d.a, d.b
    having sum(d.count) <> 0 or sum(d.usd_cents) <> 0
    on conflict (org_id, build, user_id, granularity, start, kind, status) do update
    set count = report_user_rollups.count + excluded.count,
        usd_cents = report_user_rollups.usd_cents + excluded.usd_cents
)
update report_builds
set rolled_up_to = $4
where org_id = $1 and build = $2
"""

# Disables a cache of joined rows, which takes a fifth of the time and is useless here, as each row
# is joined once.
_WITHOUT_CACHE = "set local enable_memoize = off"

# A separate statement before the promotion, as two builds must never be current at once.
_DEMOTE = "update report_builds set is_current = false where org_id = $1 and is_current"

_PROMOTE = "update report_builds set is_current = true where org_id = $1 and build = $2"

# Locks builds in the same order as a promotion does.
_LOCK = """
select build
from report_builds
where org_id = $1
order by build
for update
"""

_SWEEP_CELLS = """
delete from report_rollups r
using (
    select s.org_id, s.measure, s.granularity, s.start, s.a, s.b, s.c
    from report_rollups s
    where s.org_id = $1 and s.build = $2
    order by s.measure, s.granularity, s.start, s.a, s.b, s.c
    limit $3
) old
where r.org_id = $1 and r.org_id = old.org_id and r.build = $2 and r.measure = old.measure
    and r.granularity = old.granularity and r.start = old.start and r.a = old.a and r.b = old.b
    and r.c = old.c
"""

_SWEEP_DURATIONS = """
delete from report_durations r
using (
    select s.org_id, s.measure, s.granularity, s.start, s.a
    from report_durations s
    where s.org_id = $1 and s.build = $2
    order by s.measure, s.granularity, s.start, s.a
    limit $3
) old
where r.org_id = $1 and r.org_id = old.org_id and r.build = $2 and r.measure = old.measure
    and r.granularity = old.granularity and r.start = old.start and r.a = old.a
"""

_SWEEP_USER_CELLS = """
delete from report_user_rollups r
using (
    select s.org_id, s.user_id, s.granularity, s.start, s.kind, s.status
    from report_user_rollups s
    where s.org_id = $1 and s.build = $2
    order by s.user_id, s.granularity, s.start, s.kind, s.status
    limit $3
) old
where r.org_id = $1 and r.org_id = old.org_id and r.build = $2 and r.user_id = old.user_id
    and r.granularity = old.granularity and r.start = old.start and r.kind = old.kind
    and r.status = old.status
"""

_REMOVE = "delete from report_builds where org_id = $1 and build = $2 and not is_current"

_AT_ZONE = "select $1::timestamptz at time zone $2"


async def current(tx: Tx, org_id: UUID) -> RollupBuild | None:
    """Return the build that reports read; None before the first one exists."""
    return read_optional_row(await tx.fetchrow(_CURRENT, org_id), RollupBuild)


async def builds(tx: Tx, org_id: UUID) -> list[RollupBuild]:
    """Return all builds, newest last."""
    return [read_row(row, RollupBuild) for row in await tx.fetch(_BUILDS, org_id)]


async def with_new_changes(tx: Tx, org_ids: Collection[UUID]) -> list[UUID]:
    """Return organisations that have changes to fold, no build, or a pending build."""
    return [row["org_id"] for row in await tx.fetch(_WITH_NEW_CHANGES, list(org_ids))]


async def add(
    tx: Tx, org_id: UUID, zone: str, at: datetime, *, previous: Sequence[RollupBuild]
) -> RollupBuild | None:
    """Add an empty build after all existing ones; the first one is current at once.

    Returns None if another build was added since these were read.
    """
    newest = previous[-1].build if previous else 0
    return read_optional_row(await tx.fetchrow(_ADD, org_id, newest, zone, at), RollupBuild)


async def take(tx: Tx, org_id: UUID, build: int) -> RollupBuild | None:
    """Lock a build to fold it; None if another worker has it, or it is gone."""
    return read_optional_row(await tx.fetchrow(_TAKE, org_id, build), RollupBuild)


async def step(tx: Tx, org_id: UUID, after: int, limit: int) -> tuple[int, int]:
    """Return the places where a step of about `limit` changes ends, and where the log ends."""
    row = await tx.fetchrow(_STEP, org_id, after, limit)
    assert row is not None
    return row["until"], row["placed_to"]


async def count(tx: Tx, org_id: UUID, *, since: int, until: int) -> int:
    """Return the number of changes from `since` (inclusive) to `until` (exclusive)."""
    return await tx.fetchval(_COUNT, org_id, since, until)


async def reach(tx: Tx, org_id: UUID) -> tuple[int, int]:
    """Return the first place of an organisation's log, and its end."""
    row = await tx.fetchrow(_REACH, org_id)
    assert row is not None
    return row["begin"], row["placed_to"]


async def behind(tx: Tx, org_ids: Collection[UUID], limit: int) -> int:
    """Return the number of changes missing from current builds, up to `limit` per organisation."""
    return await tx.fetchval(_BEHIND, list(org_ids), limit)


async def fold(
    tx: Tx,
    build: RollupBuild,
    until: int,
    frames: Sequence[tuple[str, str, str]],
) -> None:
    """Add the changes at places below `until`; `frames` are (name, unit, zone)."""
    names, units, zones = ([each[index] for each in frames] for index in range(3))
    bounds = (build.org_id, build.build, build.rolled_up_to, until)
    await tx.execute(_WITHOUT_CACHE)
    await tx.execute(_FOLD, *bounds, names, units, zones, list(BY_HOUR), list(TIMED))


async def lock(tx: Tx, org_id: UUID) -> list[RollupBuild]:
    """Lock and return all builds, newest last, once no worker folds any of them.

    Builds are read again after locking, because the previous holder of the lock may have added or
    promoted one. A build that is added at that moment is not locked.
    """
    await tx.execute(_LOCK, org_id)
    return await builds(tx, org_id)


async def promote(tx: Tx, org_id: UUID, build: int) -> None:
    """Make a locked build the current one."""
    await tx.execute(_DEMOTE, org_id)
    await tx.execute(_PROMOTE, org_id, build)


async def sweep(tx: Tx, org_id: UUID, build: int, limit: int) -> bool:
    """Remove some cells of a locked build, or the build itself; returns whether more remain."""
    for statement in (_SWEEP_CELLS, _SWEEP_DURATIONS, _SWEEP_USER_CELLS):
        tag = await tx.execute(statement, org_id, build, limit)
        if int(tag.rpartition(" ")[2]) == limit:
            return True
    await tx.execute(_REMOVE, org_id, build)
    return False


async def knows_zone(tx: Tx, zone: str, at: datetime) -> bool:
    """Return whether the database knows a time zone; call it outside of a transaction."""
    try:
        await tx.fetchval(_AT_ZONE, at, zone)
    except asyncpg.InvalidParameterValueError:
        return False
    return True
