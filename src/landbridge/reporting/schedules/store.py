"""Every statement on schedules of reports and their runs."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta
from uuid import UUID

from landbridge.db.pool import Row, Tx
from landbridge.db.proofs import prove
from landbridge.reporting.exports.model import Format
from landbridge.reporting.metrics.params_json import as_json, from_json
from landbridge.reporting.schedules.model import Asked, Every, File, Plan, Run, Schedule

_LOCK_ORG = "select id from orgs where id = $1 for no key update"

_ADD = """
insert into report_schedules (
    org_id, id, name, metric_id, template, params, every, at_time, zone, format, created_at, period,
    next_at, try_at, tries
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0)
"""

_GET = """
select org_id, id, name, metric_id, template, params, every, at_time, zone, format, created_at,
    period, next_at, tries
from report_schedules
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, name, metric_id, template, params, every, at_time, zone, format, created_at,
    period, next_at, tries
from report_schedules
where org_id = $1 and id = $2
for update
"""

_PAGE = """
select org_id, id, name, metric_id, template, params, every, at_time, zone, format, created_at,
    period, next_at, tries
from report_schedules
where org_id = $1
order by created_at desc, id desc
"""

_DELETE = """
delete from report_schedules
where org_id = $1 and id = $2
returning org_id, id, name, metric_id, template, params, every, at_time, zone, format, created_at,
    period, next_at, tries
"""

# What has waited for longest, but of each organisation one before any other's second, and a few at
# most. Whoever takes one has it to itself for a while: others find its next try later.
_TAKE = """
with picked as materialized (
    select s.org_id, s.id, s.try_at, o.now
    from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
    cross join lateral (
        select d.org_id, d.id, d.try_at, row_number() over (order by d.try_at, d.id) as place
        from (
            select f.org_id, f.id, f.try_at
            from report_schedules f
            where f.org_id = o.org_id and f.try_at <= o.now
            order by f.try_at
            limit $4
        ) d
    ) s
    order by s.place, s.try_at, s.id
    limit $3
),
taken as materialized (
    select t.org_id, t.id, p.now
    from picked p
    join report_schedules t on t.org_id = p.org_id and t.id = p.id and t.try_at = p.try_at
    for update of t skip locked
)
update report_schedules r
set try_at = taken.now + $5::interval
from taken
where r.org_id = taken.org_id and r.id = taken.id
returning r.org_id, r.id, r.name, r.metric_id, r.template, r.params, r.every, r.at_time, r.zone,
    r.format, r.created_at, r.period, r.next_at, r.tries
"""

_PROOF = "select 1 from report_schedules where org_id = $1 and id = $2 and try_at = $3"

# Both only if nobody else has moved it meanwhile.
_MOVE = """
update report_schedules
set period = $4, next_at = $5, try_at = $6, tries = 0
where org_id = $1 and id = $2 and period = $3
"""

_POSTPONE = """
update report_schedules
set try_at = $5, tries = tries + 1
where org_id = $1 and id = $2 and period = $3 and tries = $4
"""

_ADD_RUN = """
insert into report_runs (
    org_id, id, schedule_id, name, period, until, zone, format, due_at, created_at, failed_reason,
    file_name, content, bytes
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, length($13::bytea))
"""

_RUNS = """
select org_id, id, schedule_id, name, period, until, zone, format, due_at, created_at,
    failed_reason, file_name, bytes, content is not null as is_kept
from report_runs
where org_id = $1 and schedule_id = $2
order by period desc
"""

_FIND_RUNS = """
select r.org_id, r.id, r.schedule_id, r.name, r.period, r.until, r.zone, r.format, r.due_at,
    r.created_at, r.failed_reason, r.file_name, r.bytes, r.content is not null as is_kept
from unnest($2::uuid[]) as i (id)
join report_runs r on r.org_id = $1 and r.id = i.id
"""

_FILE = """
select file_name, content
from report_runs
where org_id = $1 and id = $2 and content is not null
"""

# From the newest down, as many as have room; of the others the file goes.
_TRIM = """
update report_runs r
set content = null
from (
    select k.org_id, k.id
    from (
        select f.org_id, f.id, sum(f.bytes) over (order by f.created_at desc, f.id desc) as bytes
        from report_runs f
        where f.org_id = $1 and f.content is not null
    ) k
    where k.bytes > $2
) old
where r.org_id = old.org_id and r.id = old.id and r.content is not null
"""

_SWEEP = """
delete from report_runs r
using (
    select f.org_id, f.id
    from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, until)
    cross join lateral (
        select d.org_id, d.id
        from report_runs d
        where d.org_id = o.org_id and d.created_at < o.until
        order by d.created_at
        limit $3
    ) f
    limit $3
) old
where r.org_id = old.org_id and r.id = old.id
"""


async def lock_org(tx: Tx, org_id: UUID) -> None:
    """Let nobody else make a schedule here until this transaction ends."""
    await tx.execute(_LOCK_ORG, org_id)


async def add(tx: Tx, each: Schedule, *, try_at: datetime) -> None:
    """Store a new schedule."""
    asked, plan = each.asked, each.plan
    params = None if asked.params is None else as_json(asked.params)
    await tx.execute(
        _ADD,
        *(each.org_id, each.id, each.name, asked.metric_id, asked.template, params),
        *(plan.every.value, plan.at, plan.zone, each.format.value, each.created_at),
        *(each.period, each.next_at, try_at),
    )


async def find(tx: Tx, org_id: UUID, schedule_id: UUID) -> Schedule | None:
    """A schedule, or None."""
    row = await tx.fetchrow(_GET, org_id, schedule_id)
    return None if row is None else _schedule(row)


async def lock(tx: Tx, org_id: UUID, schedule_id: UUID) -> Schedule | None:
    """A schedule that nobody else moves until this transaction ends, or None."""
    row = await tx.fetchrow(_LOCK, org_id, schedule_id)
    return None if row is None else _schedule(row)


async def page(tx: Tx, org_id: UUID) -> list[Schedule]:
    """All schedules, newest first."""
    return [_schedule(row) for row in await tx.fetch(_PAGE, org_id)]


async def delete(tx: Tx, org_id: UUID, schedule_id: UUID) -> Schedule | None:
    """Take a schedule away; answers how it was, None if there is none."""
    row = await tx.fetchrow(_DELETE, org_id, schedule_id)
    return None if row is None else _schedule(row)


async def take(
    tx: Tx, clocks: Mapping[UUID, datetime], *, limit: int, each_limit: int, hold: timedelta
) -> list[Schedule]:
    """At most so many that are to be tried by the time of their organisation, and so many of each.

    Nobody else takes them for as long as `hold`, unless they are moved or postponed before. Times
    are moments that no other call has: what was taken proves by them that this was committed.
    """
    rows = await tx.fetch(
        _TAKE, list(clocks.keys()), list(clocks.values()), limit, each_limit, hold
    )
    taken = [_schedule(row) for row in rows]
    for each in taken:
        prove(_PROOF, each.org_id, each.id, clocks[each.org_id] + hold)
    return taken


async def move(
    tx: Tx, each: Schedule, period: date, *, next_at: datetime, try_at: datetime
) -> None:
    """Go on to a later period."""
    await tx.execute(_MOVE, each.org_id, each.id, each.period, period, next_at, try_at)


async def postpone(tx: Tx, each: Schedule, try_at: datetime) -> None:
    """Try it again then, unless somebody else has meanwhile."""
    await tx.execute(_POSTPONE, each.org_id, each.id, each.period, each.tries, try_at)


async def add_run(tx: Tx, run: Run, file: File | None) -> None:
    """Store a run; a second one of the same period is a bug, and raises."""
    await tx.execute(
        _ADD_RUN,
        *(run.org_id, run.id, run.schedule_id, run.name, run.period, run.until, run.zone),
        *(run.format.value, run.due_at, run.created_at, run.failed_reason),
        *((None, None) if file is None else (file.name, file.content)),
    )


async def trim(tx: Tx, org_id: UUID, bytes_max: int) -> None:
    """Let the oldest files go, until all others together have no more than so many bytes."""
    await tx.execute(_TRIM, org_id, bytes_max)


async def runs(tx: Tx, org_id: UUID, schedule_id: UUID) -> list[Run]:
    """What came of a schedule, the newest period first."""
    return [_run(row) for row in await tx.fetch(_RUNS, org_id, schedule_id)]


async def find_runs(tx: Tx, org_id: UUID, run_ids: Collection[UUID]) -> list[Run]:
    """Those of these runs that there are; in no order."""
    return [_run(row) for row in await tx.fetch(_FIND_RUNS, org_id, list(run_ids))]


async def file(tx: Tx, org_id: UUID, run_id: UUID) -> File | None:
    """What a run made; None if there is nothing."""
    row = await tx.fetchrow(_FILE, org_id, run_id)
    return None if row is None else File(row["file_name"], row["content"])


async def sweep(tx: Tx, until: Mapping[UUID, datetime], *, limit: int) -> int:
    """Remove at most so many runs that are older than is told; how many these were."""
    tag = await tx.execute(_SWEEP, list(until.keys()), list(until.values()), limit)
    return int(tag.rpartition(" ")[2])


def _schedule(row: Row) -> Schedule:
    return Schedule(
        org_id=row["org_id"],
        id=row["id"],
        name=row["name"],
        asked=Asked(
            row["metric_id"],
            row["template"],
            None if row["params"] is None else from_json(row["params"]),
        ),
        plan=Plan(Every(row["every"]), row["at_time"], row["zone"]),
        format=Format(row["format"]),
        created_at=row["created_at"],
        period=row["period"],
        next_at=row["next_at"],
        tries=row["tries"],
    )


def _run(row: Row) -> Run:
    return Run(
        org_id=row["org_id"],
        id=row["id"],
        schedule_id=row["schedule_id"],
        name=row["name"],
        period=row["period"],
        until=row["until"],
        zone=row["zone"],
        format=Format(row["format"]),
        due_at=row["due_at"],
        created_at=row["created_at"],
        failed_reason=row["failed_reason"],
        file_name=row["file_name"],
        bytes=row["bytes"],
        is_kept=row["is_kept"],
    )
