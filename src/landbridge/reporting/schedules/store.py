"""SQL statements on report schedules and their runs."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta
from uuid import UUID

from landbridge.platform.db.commit_proofs import register_commit_proof
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.reporting.metrics.params import as_json, from_json
from landbridge.reporting.schedules.model import (
    ReportDefinition,
    ReportFile,
    ReportRun,
    ReportSchedule,
    ScheduleInterval,
    SchedulePlan,
)

_LOCK_ORG = "select id from orgs where id = $1 for no key update"

_ADD = """
insert into report_schedules (
    org_id, id, name, metric_id, template, params, cadence, at_time, zone, format, created_at,
    period, next_at, next_attempt_at, recipient_ids, attempts
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0)
"""

_GET = """
select org_id, id, name, metric_id, template, params, cadence, at_time, zone, format, created_at,
    period, next_at, attempts, recipient_ids
from report_schedules
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, name, metric_id, template, params, cadence, at_time, zone, format, created_at,
    period, next_at, attempts, recipient_ids
from report_schedules
where org_id = $1 and id = $2
for update
"""

_PAGE = """
select org_id, id, name, metric_id, template, params, cadence, at_time, zone, format, created_at,
    period, next_at, attempts, recipient_ids
from report_schedules
where org_id = $1
order by created_at desc, id desc
"""

_DELETE = """
delete from report_schedules
where org_id = $1 and id = $2
returning org_id, id, name, metric_id, template, params, cadence, at_time, zone, format, created_at,
    period, next_at, attempts, recipient_ids
"""

# Takes the schedules that wait longest, but one per organisation before any gets a second one, and
# only a few of each. The worker holds them for a while, by a next attempt in the future.
_TAKE = """
with picked as materialized (
    select s.org_id, s.id, s.next_attempt_at, o.now
    from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
    cross join lateral (
        select d.org_id, d.id, d.next_attempt_at, row_number() over (order by d.next_attempt_at,
            d.id) as place
        from (
            select f.org_id, f.id, f.next_attempt_at
            from report_schedules f
            where f.org_id = o.org_id and f.next_attempt_at <= o.now
            order by f.next_attempt_at
            limit $4
        ) d
    ) s
    order by s.place, s.next_attempt_at, s.id
    limit $3
),
taken as materialized (
    select t.org_id, t.id, p.now
    from picked p
    join report_schedules t on t.org_id = p.org_id and t.id = p.id
        and t.next_attempt_at = p.next_attempt_at
    for update of t skip locked
)
update report_schedules r
set next_attempt_at = (taken.now at time zone 'UTC' + $5::interval) at time zone 'UTC'
from taken
where r.org_id = taken.org_id and r.id = taken.id
returning r.org_id, r.id, r.name, r.metric_id, r.template, r.params, r.cadence, r.at_time, r.zone,
    r.format, r.created_at, r.period, r.next_at, r.attempts, r.recipient_ids
"""

_PROOF = "select 1 from report_schedules where org_id = $1 and id = $2 and next_attempt_at = $3"

_SET_TEMPLATE = "update report_schedules set template = $3 where org_id = $1 and id = $2"

_SET_RECIPIENTS = "update report_schedules set recipient_ids = $3 where org_id = $1 and id = $2"

# This and the next statement have no effect if another worker has moved the schedule.
_MOVE = """
update report_schedules
set period = $4, next_at = $5, next_attempt_at = $6, attempts = 0
where org_id = $1 and id = $2 and period = $3
"""

_POSTPONE = """
update report_schedules
set next_attempt_at = $5, attempts = attempts + 1
where org_id = $1 and id = $2 and period = $3 and attempts = $4
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

# Keeps the newest files that fit; the files of the others are removed.
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
    """Lock the organisation against new schedules until the transaction ends."""
    await tx.execute(_LOCK_ORG, org_id)


async def add(tx: Tx, each: ReportSchedule, *, try_at: datetime) -> None:
    """Store a new schedule."""
    definition, plan = each.definition, each.plan
    params = None if definition.params is None else as_json(definition.params)
    await write_row(
        tx,
        _ADD,
        each,
        metric_id=definition.metric_id,
        template=definition.template,
        params=params,
        cadence=plan.cadence.value,
        at_time=plan.at,
        zone=plan.zone,
        next_attempt_at=try_at,
    )


async def find(tx: Tx, org_id: UUID, schedule_id: UUID) -> ReportSchedule | None:
    """Return a schedule, or None."""
    row = await tx.fetchrow(_GET, org_id, schedule_id)
    return None if row is None else _schedule(row)


async def lock(tx: Tx, org_id: UUID, schedule_id: UUID) -> ReportSchedule | None:
    """Return a schedule locked until the transaction ends, or None."""
    row = await tx.fetchrow(_LOCK, org_id, schedule_id)
    return None if row is None else _schedule(row)


async def page(tx: Tx, org_id: UUID) -> list[ReportSchedule]:
    """Return all schedules, newest first."""
    return [_schedule(row) for row in await tx.fetch(_PAGE, org_id)]


async def delete(tx: Tx, org_id: UUID, schedule_id: UUID) -> ReportSchedule | None:
    """Delete a schedule and return it; None if there is none."""
    row = await tx.fetchrow(_DELETE, org_id, schedule_id)
    return None if row is None else _schedule(row)


async def take(
    tx: Tx, clocks: Mapping[UUID, datetime], *, limit: int, each_limit: int, hold: timedelta
) -> list[ReportSchedule]:
    """Take a limited number of due schedules, by organisation time and a few per organisation.

    Other workers skip them for the duration of `hold`, unless they are moved or postponed before.
    Attempt times are unique per call, so a taken schedule proves that the call was committed.
    """
    rows = await tx.fetch(
        _TAKE, list(clocks.keys()), list(clocks.values()), limit, each_limit, hold
    )
    schedules = [_schedule(row) for row in rows]
    for each in schedules:
        register_commit_proof(_PROOF, each.org_id, each.id, clocks[each.org_id] + hold)
    return schedules


async def set_template(tx: Tx, org_id: UUID, schedule_id: UUID, template: str) -> None:
    """Change the template version of a locked schedule."""
    await tx.execute(_SET_TEMPLATE, org_id, schedule_id, template)


async def set_recipients(
    tx: Tx, org_id: UUID, schedule_id: UUID, recipient_ids: Collection[UUID]
) -> None:
    """Change the recipients of a locked schedule."""
    await tx.execute(_SET_RECIPIENTS, org_id, schedule_id, list(recipient_ids))


async def move(
    tx: Tx, each: ReportSchedule, period: date, *, next_at: datetime, try_at: datetime
) -> None:
    """Advance to a later period."""
    await tx.execute(_MOVE, each.org_id, each.id, each.period, period, next_at, try_at)


async def postpone(tx: Tx, each: ReportSchedule, try_at: datetime) -> None:
    """Set the next attempt, unless another worker has moved it."""
    await tx.execute(_POSTPONE, each.org_id, each.id, each.period, each.attempts, try_at)


async def add_run(tx: Tx, run: ReportRun, file: ReportFile | None) -> None:
    """Store a run; raises if the period has one already, which would be a bug."""
    await tx.execute(
        _ADD_RUN,
        *(run.org_id, run.id, run.schedule_id, run.name, run.period, run.until, run.zone),
        *(run.format.value, run.due_at, run.created_at, run.failed_reason),
        *((None, None) if file is None else (file.name, file.content)),
    )


async def trim(tx: Tx, org_id: UUID, bytes_max: int) -> None:
    """Remove the oldest files until the others total at most `bytes_max` bytes."""
    await tx.execute(_TRIM, org_id, bytes_max)


async def runs(tx: Tx, org_id: UUID, schedule_id: UUID) -> list[ReportRun]:
    """Return the runs of a schedule, newest period first."""
    return [read_row(row, ReportRun) for row in await tx.fetch(_RUNS, org_id, schedule_id)]


async def find_runs(tx: Tx, org_id: UUID, run_ids: Collection[UUID]) -> list[ReportRun]:
    """Return those of these runs that exist, unordered."""
    return [read_row(row, ReportRun) for row in await tx.fetch(_FIND_RUNS, org_id, list(run_ids))]


async def file(tx: Tx, org_id: UUID, run_id: UUID) -> ReportFile | None:
    """Return the file of a run, or None."""
    row = await tx.fetchrow(_FILE, org_id, run_id)
    return None if row is None else ReportFile(row["file_name"], row["content"])


async def sweep(tx: Tx, until: Mapping[UUID, datetime], *, limit: int) -> int:
    """Remove a limited number of runs older than a moment; returns their number."""
    tag = await tx.execute(_SWEEP, list(until.keys()), list(until.values()), limit)
    return int(tag.rpartition(" ")[2])


def _schedule(row: Row) -> ReportSchedule:
    return read_row(
        row,
        ReportSchedule,
        definition=ReportDefinition(
            row["metric_id"],
            row["template"],
            None if row["params"] is None else from_json(row["params"]),
        ),
        plan=SchedulePlan(ScheduleInterval(row["cadence"]), row["at_time"], row["zone"]),
    )
