"""Builds: which there are, how far each is folded, and the folding itself."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

import asyncpg

from landbridge.db.pool import Row, Tx
from landbridge.reporting.rollups.model import BY_HOUR, TIMED, Build

_CURRENT = """
select org_id, build, zone, folded_to::text, is_current
from report_builds
where org_id = $1 and is_current
"""

_BUILDS = """
select org_id, build, zone, folded_to::text, is_current
from report_builds
where org_id = $1
order by build
"""

# Organisations whose log goes on behind a build, with builds besides the current one, or without
# any. Ordered within, so that each goes by the index of that order, however few rows there were
# when planned.
_WITH_NEWS = """
select o.org_id
from unnest($1::uuid[]) as o (org_id)
left join report_builds r on r.org_id = o.org_id and r.is_current
where r.folded_to is null or exists (
    select from (
        select c.tx
        from changes c
        where c.org_id = o.org_id and c.tx >= r.folded_to
            and c.tx < pg_snapshot_xmin(pg_current_snapshot())
        order by c.tx
        limit 1
    ) n
) or exists (
    select from report_builds other where other.org_id = o.org_id and not other.is_current
)
"""

# How many changes wait to be folded, counted up to so many for each organisation.
_BEHIND = """
select coalesce(sum(n.count), 0)::bigint
from unnest($1::uuid[]) as o (org_id)
left join report_builds r on r.org_id = o.org_id and r.is_current
cross join lateral (
    select count(*) as count
    from (
        select c.tx
        from changes c
        where c.org_id = o.org_id and c.tx >= coalesce(r.folded_to, '0'::xid8)
        order by c.tx
        limit $2
    ) waiting
) n
"""

# The number says what the caller has seen: whoever did not see the newest one adds nothing. The
# newest one is never removed.
_ADD = """
insert into report_builds (org_id, build, zone, folded_to, is_current, created_at)
values ($1, $2 + 1, $3, '0'::xid8, $2 = 0, $4)
on conflict do nothing
returning org_id, build, zone, folded_to::text, is_current
"""

# Whoever folds a build holds its row; nobody waits for it.
_TAKE = """
select org_id, build, zone, folded_to::text, is_current
from report_builds
where org_id = $1 and build = $2
for update skip locked
"""

# Where a step ends that has some $3 changes and whole transactions, all of them settled: with the
# transaction that has the change behind so many, which is not in it. What begins at the watermark
# is always in it, however much it is.
_STEP = """
select least(h.settled_to, n.tx)::text as until, h.settled_to::text as settled_to
from (select pg_snapshot_xmin(pg_current_snapshot()) as settled_to) h
left join lateral (
    select c.tx
    from changes c
    where c.org_id = $1 and c.tx > $2::text::xid8
    order by c.tx
    offset $3
    limit 1
) n on true
"""

# Of the index alone.
_COUNT = """
select count(*)
from changes c
where c.org_id = $1 and c.tx >= $2::text::xid8 and c.tx < $3::text::xid8
"""

# From where to where the log goes; both the same if nothing has happened.
_REACH = """
select coalesce(
        (select c.tx from changes c where c.org_id = $1 order by c.tx limit 1), s.settled_to
    )::text as begin,
    s.settled_to::text
from (select pg_snapshot_xmin(pg_current_snapshot()) as settled_to) s
"""

# One reading of what happened for all that is kept of it, first summed by quarters of hours: no
# day of any zone begins within one. Measures that have hours are $8, those that have durations $9.
# Sorting by the rules of a language takes longer than all else.
_FOLD = """
with delta as materialized (
    select d.measure collate "C" as measure,
        date_bin('15 minutes', d.at, timestamptz '2000-01-01 00:00+00') as at, d.user_id,
        d.a collate "C" as a, d.b collate "C" as b, d.c collate "C" as c, sum(d.count) as count,
        sum(d.units) as units, sum(d.other_units) as other_units, sum(d.usd_cents) as usd_cents
    from report_deltas d
    where d.org_id = $1 and d.tx >= $3::text::xid8 and d.tx < $4::text::xid8
    group by 1, 2, d.user_id, 4, 5, 6
    having sum(d.count) <> 0 or sum(d.units) <> 0 or sum(d.usd_cents) <> 0
), cells as (
    insert into report_cells (
        org_id, build, measure, frame, start, a, b, c, count, units, other_units, usd_cents
    )
    select $1, $2, d.measure, f.frame, date_trunc(f.unit, d.at, f.zone) as start, d.a, d.b, d.c,
        sum(d.count), sum(d.units), sum(d.other_units), sum(d.usd_cents)
    from delta d
    join unnest($5::text[], $6::text[], $7::text[]) as f (frame, unit, zone)
        on f.unit <> 'hour' or d.measure = any($8::text[])
    where d.measure <> all($9::text[])
    group by d.measure, f.frame, 5, d.a, d.b, d.c
    having sum(d.count) <> 0 or sum(d.units) <> 0 or sum(d.usd_cents) <> 0
    on conflict (org_id, build, measure, frame, start, a, b, c) do update
    set count = report_cells.count + excluded.count,
        units = report_cells.units + excluded.units,
        other_units = report_cells.other_units + excluded.other_units,
        usd_cents = report_cells.usd_cents + excluded.usd_cents
), durations as (
    insert into report_durations (
        org_id, build, measure, frame, start, a, durations, counts
    )
    select $1, $2, t.measure, t.frame, t.start, t.a, array_agg(t.duration), array_agg(t.count)
    from (
        select d.measure, f.frame, date_trunc(f.unit, d.at, f.zone) as start, k.a,
            d.b::bigint as duration, sum(d.count)::bigint as count
        from delta d
        join unnest($5::text[], $6::text[], $7::text[]) as f (frame, unit, zone)
            on f.unit <> 'hour'
        cross join lateral (select d.a union all select '' where d.measure = 'time') as k (a)
        where d.measure = any($9::text[])
        group by d.measure, f.frame, 3, k.a, 5
        having sum(d.count) <> 0
    ) t
    group by t.measure, t.frame, t.start, t.a
    on conflict (org_id, build, measure, frame, start, a) do update
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
    insert into report_user_cells (
        org_id, build, user_id, frame, start, kind, status, count, usd_cents
    )
    select $1, $2, d.user_id, f.frame, date_trunc(f.unit, d.at, f.zone) as start, d.a, d.b,
        sum(d.count), sum(d.usd_cents)
    from delta d
    join unnest($5::text[], $6::text[], $7::text[]) as f (frame, unit, zone) on f.unit <> 'hour'
    where d.measure = 'state'
    group by d.user_id, f.frame, 5, d.a, d.b
    having sum(d.count) <> 0 or sum(d.usd_cents) <> 0
    on conflict (org_id, build, user_id, frame, start, kind, status) do update
    set count = report_user_cells.count + excluded.count,
        usd_cents = report_user_cells.usd_cents + excluded.usd_cents
)
update report_builds
set folded_to = $4::text::xid8
where org_id = $1 and build = $2
"""

# In two steps, since at no moment may two be current.
_DEMOTE = "update report_builds set is_current = false where org_id = $1 and is_current"

_PROMOTE = "update report_builds set is_current = true where org_id = $1 and build = $2"

# In the order in which whoever promotes locks them.
_LOCK = """
select build
from report_builds
where org_id = $1
order by build
for update
"""

_SWEEP_CELLS = """
delete from report_cells r
using (
    select s.org_id, s.measure, s.frame, s.start, s.a, s.b, s.c
    from report_cells s
    where s.org_id = $1 and s.build = $2
    order by s.measure, s.frame, s.start, s.a, s.b, s.c
    limit $3
) old
where r.org_id = $1 and r.org_id = old.org_id and r.build = $2 and r.measure = old.measure
    and r.frame = old.frame and r.start = old.start and r.a = old.a and r.b = old.b
    and r.c = old.c
"""

_SWEEP_DURATIONS = """
delete from report_durations r
using (
    select s.org_id, s.measure, s.frame, s.start, s.a
    from report_durations s
    where s.org_id = $1 and s.build = $2
    order by s.measure, s.frame, s.start, s.a
    limit $3
) old
where r.org_id = $1 and r.org_id = old.org_id and r.build = $2 and r.measure = old.measure
    and r.frame = old.frame and r.start = old.start and r.a = old.a
"""

_SWEEP_USER_CELLS = """
delete from report_user_cells r
using (
    select s.org_id, s.user_id, s.frame, s.start, s.kind, s.status
    from report_user_cells s
    where s.org_id = $1 and s.build = $2
    order by s.user_id, s.frame, s.start, s.kind, s.status
    limit $3
) old
where r.org_id = $1 and r.org_id = old.org_id and r.build = $2 and r.user_id = old.user_id
    and r.frame = old.frame and r.start = old.start and r.kind = old.kind
    and r.status = old.status
"""

_REMOVE = "delete from report_builds where org_id = $1 and build = $2 and not is_current"

_AT_ZONE = "select $1::timestamptz at time zone $2"


async def current(tx: Tx, org_id: UUID) -> Build | None:
    """The build that reports read; None before the first was made."""
    row = await tx.fetchrow(_CURRENT, org_id)
    return None if row is None else _build(row)


async def builds(tx: Tx, org_id: UUID) -> list[Build]:
    """All builds, the newest last."""
    return [_build(row) for row in await tx.fetch(_BUILDS, org_id)]


async def with_news(tx: Tx, org_ids: Collection[UUID]) -> list[UUID]:
    """Those of these that have something to fold, no build yet, or one that is not current."""
    return [row["org_id"] for row in await tx.fetch(_WITH_NEWS, list(org_ids))]


async def add(
    tx: Tx, org_id: UUID, zone: str, at: datetime, *, behind: Sequence[Build]
) -> Build | None:
    """Add an empty build behind all that there are; the first one is current at once.

    None if these are not all: somebody else has added one since they were read.
    """
    newest = behind[-1].build if behind else 0
    row = await tx.fetchrow(_ADD, org_id, newest, zone, at)
    return None if row is None else _build(row)


async def take(tx: Tx, org_id: UUID, build: int) -> Build | None:
    """Lock a build to fold it; None if somebody else has, or it is gone."""
    row = await tx.fetchrow(_TAKE, org_id, build)
    return None if row is None else _build(row)


async def step(tx: Tx, org_id: UUID, after: int, limit: int) -> tuple[int, int]:
    """Where a step of some `limit` changes ends, and up to where all is settled."""
    row = await tx.fetchrow(_STEP, org_id, str(after), limit)
    assert row is not None
    return int(row["until"]), int(row["settled_to"])


async def count(tx: Tx, org_id: UUID, *, since: int, until: int) -> int:
    """How many changes there are in transactions from `since` to before `until`."""
    return await tx.fetchval(_COUNT, org_id, str(since), str(until))


async def reach(tx: Tx, org_id: UUID) -> tuple[int, int]:
    """From which transaction to which an organisation's log goes, as far as it is settled."""
    row = await tx.fetchrow(_REACH, org_id)
    assert row is not None
    return int(row["begin"]), int(row["settled_to"])


async def behind(tx: Tx, org_ids: Collection[UUID], limit: int) -> int:
    """How many changes are not in the current builds, up to `limit` of each organisation."""
    return await tx.fetchval(_BEHIND, list(org_ids), limit)


async def fold(
    tx: Tx,
    build: Build,
    until_tx: int,
    frames: Sequence[tuple[str, str, str]],
) -> None:
    """Add what happened up to a transaction; `frames` are (name, unit, zone)."""
    names, units, zones = ([each[place] for each in frames] for place in range(3))
    bounds = (build.org_id, build.build, str(build.folded_to), str(until_tx))
    await tx.execute(_FOLD, *bounds, names, units, zones, list(BY_HOUR), list(TIMED))


async def lock(tx: Tx, org_id: UUID) -> list[Build]:
    """All builds, the newest last, once nobody folds any of them.

    Read anew once they are locked: who had them locked before may have added one, or let another be
    the current one. One that was added in that moment is not locked.
    """
    await tx.execute(_LOCK, org_id)
    return await builds(tx, org_id)


async def promote(tx: Tx, org_id: UUID, build: int) -> None:
    """Make a build the current one; all are locked."""
    await tx.execute(_DEMOTE, org_id)
    await tx.execute(_PROMOTE, org_id, build)


async def sweep(tx: Tx, org_id: UUID, build: int, limit: int) -> bool:
    """Remove some cells of a build that was taken, or it itself; whether there may be more."""
    for statement in (_SWEEP_CELLS, _SWEEP_DURATIONS, _SWEEP_USER_CELLS):
        tag = await tx.execute(statement, org_id, build, limit)
        if int(tag.rpartition(" ")[2]) == limit:
            return True
    await tx.execute(_REMOVE, org_id, build)
    return False


async def knows_zone(tx: Tx, zone: str, at: datetime) -> bool:
    """Whether the database's calendar has a zone; not within a transaction."""
    try:
        await tx.fetchval(_AT_ZONE, at, zone)
    except asyncpg.InvalidParameterValueError:
        return False
    return True


def _build(row: Row) -> Build:
    return Build(
        org_id=row["org_id"],
        build=row["build"],
        zone=row["zone"],
        folded_to=int(row["folded_to"]),
        is_current=row["is_current"],
    )
