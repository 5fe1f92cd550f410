"""One run and one event of each period: with many workers, and with workers that are killed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.schedules import store
from landbridge.reporting.schedules.service import ReportSchedules
from tests.races.racing_processes import start_process
from tests.reporting.schedules.schedule_steps import make_schedule, runs
from tests.tenants import SETTINGS, Tenant, make_tenant

DAY = timedelta(days=1)
WORKERS, SCHEDULES, PERIODS = 4, 5, 6
# Longer than a dead worker's hold lasts.
HELD = timedelta(minutes=2)


async def run_counts(database: Database, org: Tenant) -> tuple[Counter[str], Counter[UUID]]:
    """Return the number of runs per schedule and period, and the changes per run."""
    rows = await database.rows(
        "select schedule_id::text, count(*), count(distinct period) as periods, max(period) -"
        " min(period) + 1 as days from report_runs where org_id = $1 group by schedule_id",
        org.org_id,
    )
    assert all(row["count"] == row["periods"] == row["days"] for row in rows)
    changes = await database.rows(
        "select r.id, count(c.object_id) from report_runs r left join changes c"
        " on c.org_id = $1 and c.object_id = r.id where r.org_id = $1 group by r.id",
        org.org_id,
    )
    without_change = await database.rows(
        "select count(*) from changes c where c.org_id = $1 and c.kind = 'REPORT'", org.org_id
    )
    assert without_change[0]["count"] == len(changes)
    return (
        Counter({row["schedule_id"]: row["count"] for row in rows}),
        Counter({row["id"]: row["count"] for row in changes}),
    )


@pytest.fixture
async def houses(dsn: str, noon: FrozenClock) -> AsyncIterator[list[Container]]:
    """Return workers with connections of their own."""
    databases = [await Database.connect(dsn, name="tests", size_max=3) for _ in range(WORKERS)]
    nodes = [await take_node(each) for each in databases]
    yield [
        wire(SETTINGS, each, FrozenClock(noon.at, node=node))
        for each, node in zip(databases, nodes, strict=True)
    ]
    for each in databases:
        await each.close()


async def test_many_workers_make_each_report_once(
    noon_org: Tenant, houses: list[Container], database: Database
) -> None:
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    offsets = {noon_org.org_id: PERIODS * DAY}
    await asyncio.gather(*(container.report_schedules.run_all(offsets) for container in houses))
    created, changes = await run_counts(database, noon_org)
    assert list(created.values()) == [PERIODS] * SCHEDULES
    assert list(changes.values()) == [1] * PERIODS * SCHEDULES


async def test_a_worker_stopped_anywhere_leaves_no_partial_run(
    noon_org: Tenant, houses: list[Container], database: Database
) -> None:
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    offsets = {noon_org.org_id: PERIODS * DAY}
    for index in range(12):
        making = asyncio.create_task(houses[index % WORKERS].report_schedules.run_all(offsets))
        await asyncio.sleep(0.004 * index)
        making.cancel()
        await asyncio.gather(making, return_exceptions=True)
        await run_counts(database, noon_org)
    await noon_org.container.report_schedules.run_all({noon_org.org_id: PERIODS * DAY + HELD})
    created, changes = await run_counts(database, noon_org)
    assert list(created.values()) == [PERIODS] * SCHEDULES
    assert list(changes.values()) == [1] * PERIODS * SCHEDULES


def make_reports(print_line: Any, dsn: str, offsets: Mapping[UUID, timedelta]) -> None:
    """Run a worker in a separate process."""
    asyncio.run(_make_reports(print_line, dsn, offsets))


async def _make_reports(print_line: Any, dsn: str, offsets: Mapping[UUID, timedelta]) -> None:
    database = await Database.connect(dsn, name="tests", size_max=3)
    container = wire(SETTINGS, database, Clock(await take_node(database)))
    print_line.send("begun")
    await container.report_schedules.run_all(offsets)
    await database.close()


@pytest.mark.long
async def test_killed_workers_make_each_report_once(
    noon_org: Tenant, dsn: str, database: Database, clock: Clock
) -> None:
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    # In real time, which is later than the frozen time.
    now = await noon_org.container.orgs.now(noon_org.org_id)
    offsets = {noon_org.org_id: now + PERIODS * DAY - clock.now()}
    for index in range(3):
        workers = [start_process(make_reports, dsn, offsets) for _ in range(2)]
        for worker in workers:
            worker.wait_until_started()
        await asyncio.sleep(0.05 + 0.03 * index)
        for worker in workers:
            worker.kill()
        await run_counts(database, noon_org)
    # The last hold is measured by the holder's clock, which advanced meanwhile.
    taken_at = clock.now(offsets[noon_org.org_id])
    late = taken_at - await noon_org.container.orgs.now(noon_org.org_id) + HELD
    await noon_org.container.report_schedules.run_all({noon_org.org_id: late})
    created, changes = await run_counts(database, noon_org)
    assert list(created.values()) == [PERIODS] * SCHEDULES
    assert list(changes.values()) == [1] * PERIODS * SCHEDULES


@pytest.mark.long
async def test_a_failing_report_is_retried_for_two_hours_without_blocking_others(
    noon_org: Tenant, noon: FrozenClock, dsn: str, database: Database
) -> None:
    broken = await _unread(noon_org.container.report_schedules, dsn)
    schedule = await make_schedule(noon_org, template="TRANSACTION_COUNT")
    offset, attempts = DAY, 0
    while not await runs(noon_org, schedule["id"]):
        await broken.run_all({noon_org.org_id: offset})
        offset, attempts = offset + timedelta(minutes=1), attempts + 1
    (run,) = await runs(noon_org, schedule["id"])
    assert run["status"] == "FAILED"
    assert "the server's log says why" in run["reason"]
    assert 120 <= attempts <= 135
    assert noon.at.isoformat() < run["createdAt"]
    # The next period starts over.
    (row,) = await database.rows(
        "select attempts, next_attempt_at > next_at as waits from report_schedules"
        " where org_id = $1",
        noon_org.org_id,
    )
    assert (row["attempts"], row["waits"]) == (0, True)


async def _unread(schedules: ReportSchedules, dsn: str) -> ReportSchedules:
    """Return a worker whose roll-ups read from closed connections."""
    closed = await Database.connect(dsn, name="tests", size_max=1)
    await closed.close()
    calculator = schedules.exports.calculator
    sources = replace(calculator.sources, rollups=Rollups(closed))
    exports = replace(schedules.exports, calculator=replace(calculator, sources=sources))
    return replace(schedules, exports=exports)


async def test_two_workers_do_not_make_the_same_report_at_once(
    noon_org: Tenant, houses: list[Container]
) -> None:
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    clocks = {noon_org.org_id: noon_org.container.clock.now(DAY)}

    async def take(container: Container) -> list[UUID]:
        found = await container.database.single(
            lambda tx: store.take(tx, clocks, limit=16, each_limit=2, hold=timedelta(minutes=1))
        )
        assert len(found) <= 2  # of one organisation
        return [each.id for each in found]

    taken_runs = [each for some in [await take(container) for container in houses] for each in some]
    assert len(taken_runs) == len(set(taken_runs)) == SCHEDULES
    at_once = await asyncio.gather(*(take(container) for container in houses))
    assert at_once == [[]] * WORKERS
    # A dead worker holds them for a minute.
    clocks[noon_org.org_id] += timedelta(minutes=1)
    again = await asyncio.gather(*(take(container) for container in houses))
    found = [each for some in again for each in some]
    assert len(found) == len(set(found))
    assert set(found) <= set(taken_runs)
    assert found


async def test_each_organisation_gets_a_report_before_any_gets_a_second(
    noon_org: Tenant, houses: list[Container]
) -> None:
    other = await make_tenant(noon_org.container, noon_org.client, name="Other")
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    mine = await make_schedule(other)
    now = noon_org.container.clock.now(PERIODS * DAY)
    later = noon_org.container.clock.now(DAY)
    clocks = {noon_org.org_id: now, other.org_id: later}
    found = await houses[0].database.single(
        lambda tx: store.take(tx, clocks, limit=2, each_limit=4, hold=timedelta(minutes=1))
    )
    assert {each.org_id for each in found} == {noon_org.org_id, other.org_id}
    assert mine["id"] in {str(each.id) for each in found}
