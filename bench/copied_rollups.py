"""Rollups of copied records: those of the part, added up as often as there are copies.

Copies have the same records in the same quarters of an hour, so their cells are those of the part;
cells of users belong to other users in each copy. The product's own statement folds the part, and
a test compares the sums with those of a rebuild from the log. Folding ten million copies takes
hours, of which no report measures anything.
"""

from collections.abc import Sequence
from uuid import UUID

from landbridge.platform.changes.placing import place_changes
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.rollups import build_store
from landbridge.reporting.rollups.model import RollupBuild
from landbridge.reporting.rollups.updater import frames

# The number of a build that does not exist: builds begin at 1.
_PART = 0
# Batches of a thousand records each in one statement.
_AT_ONCE = 40

# Nothing is folded meanwhile, by whichever worker.
_SUSPEND = """
update report_builds
set rolled_up_to = 9223372036854775807
where org_id = $1 and is_current
"""

# All copies have a place.
_RESUME = """
update report_builds r
set rolled_up_to = l.last_place + 1
from change_logs l
where r.org_id = $1 and r.is_current and l.org_id = $1
"""

# Cells of the part, times the copies.
_ADD = (
    """
insert into report_rollups as r (
    org_id, build, measure, granularity, start, a, b, c, count, units, other_units, usd_cents
)
select p.org_id, $2, p.measure, p.granularity, p.start, p.a, p.b, p.c, p.count * $4, p.units * $4,
    p.other_units * $4, p.usd_cents * $4
from report_rollups p
where p.org_id = $1 and p.build = $3
order by p.measure, p.granularity, p.start, p.a, p.b, p.c
on conflict (org_id, build, measure, granularity, start, a, b, c) do update
set count = r.count + excluded.count, units = r.units + excluded.units,
    other_units = r.other_units + excluded.other_units, usd_cents = r.usd_cents + excluded.usd_cents
""",
    """
insert into report_durations as r (
    org_id, build, measure, granularity, start, a, durations, counts
)
select p.org_id, $2, p.measure, p.granularity, p.start, p.a, p.durations, array(
        select u.count * $4
        from unnest(p.counts) with ordinality as u (count, place)
        order by u.place
    )
from report_durations p
where p.org_id = $1 and p.build = $3
order by p.measure, p.granularity, p.start, p.a
on conflict (org_id, build, measure, granularity, start, a) do update
set (durations, counts) = (
    select array_agg(m.duration), array_agg(m.count)
    from (
        select u.duration, sum(u.count)::bigint as count
        from (
            select k.duration, k.count
            from unnest(r.durations, r.counts) as k (duration, count)
            union all
            select n.duration, n.count
            from unnest(excluded.durations, excluded.counts) as n (duration, count)
        ) u
        group by u.duration
    ) m
)
""",
    """
insert into report_user_rollups as r (
    org_id, build, user_id, granularity, start, kind, status, count, usd_cents
)
select $1, $2, i.new, p.granularity, p.start, p.kind, p.status, sum(p.count), sum(p.usd_cents)
from report_user_rollups p
join bench_ids i on i.old = p.user_id and i.copy <= $4
where p.org_id = $1 and p.build = $3
group by i.new, p.granularity, p.start, p.kind, p.status
order by i.new, p.granularity, p.start, p.kind, p.status
on conflict (org_id, build, user_id, granularity, start, kind, status) do update
set count = r.count + excluded.count, usd_cents = r.usd_cents + excluded.usd_cents
""",
)

_REMOVE = (
    "delete from report_rollups where org_id = $1 and build = $2",
    "delete from report_durations where org_id = $1 and build = $2",
    "delete from report_user_rollups where org_id = $1 and build = $2",
)


async def suspend(database: Database, org_id: UUID) -> None:
    """Stop folding an organisation's log, all of which is folded."""
    await database.rows(_SUSPEND, org_id)


async def add(database: Database, org_id: UUID, part: Sequence[int], count: int) -> None:
    """Add the cells of `count` copies of batches; from here on workers fold again.

    `part` are the places of the batches in order. No other batch of the organisation's lies
    between.
    """
    current = await database.single(lambda tx: build_store.current(tx, org_id))
    assert current is not None
    for first in range(0, len(part), _AT_ONCE):
        await _fold(database, current, part[first : first + _AT_ONCE])

    async def work(tx: Tx) -> None:
        for statement in _ADD:
            await tx.execute(statement, org_id, current.build, _PART, count)
        for statement in _REMOVE:
            await tx.execute(statement, org_id, _PART)

    await database.transact(work)
    await place_changes(database, [org_id])
    await database.rows(_RESUME, org_id)


async def _fold(database: Database, current: RollupBuild, part: Sequence[int]) -> None:
    """Fold batches into the cells of the part."""
    build = RollupBuild(current.org_id, _PART, current.zone, part[0], is_current=False)
    until = part[-1] + 1
    await database.transact(lambda tx: build_store.fold(tx, build, until, frames(build)))
