"""One run and one event of each period: with many workers, and with workers that are killed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.clock import Clock, FrozenClock
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.schedules import store
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.wiring import House, wire
from tests.races.clerk import hire
from tests.tenants import SETTINGS, Tenant, make_tenant

from .made import make_schedule, runs

DAY = timedelta(days=1)
WORKERS, SCHEDULES, PERIODS = 4, 5, 6
# Longer than what a worker took is kept from others after it ended.
HELD = timedelta(minutes=2)


async def kept(database: Database, org: Tenant) -> tuple[Counter[str], Counter[UUID]]:
    """How many runs each schedule has of all its periods, and how many changes tell of each run."""
    rows = await database.rows(
        "select schedule_id::text, count(*), count(distinct period) as periods, max(period) -"
        " min(period) + 1 as days from report_runs where org_id = $1 group by schedule_id",
        org.org_id,
    )
    assert all(row["count"] == row["periods"] == row["days"] for row in rows)
    told = await database.rows(
        "select r.id, count(c.object_id) from report_runs r left join changes c"
        " on c.org_id = $1 and c.object_id = r.id where r.org_id = $1 group by r.id",
        org.org_id,
    )
    untold = await database.rows(
        "select count(*) from changes c where c.org_id = $1 and c.kind = 'REPORT'", org.org_id
    )
    assert untold[0]["count"] == len(told)
    return (
        Counter({row["schedule_id"]: row["count"] for row in rows}),
        Counter({row["id"]: row["count"] for row in told}),
    )


@pytest.fixture
async def houses(dsn: str, noon: FrozenClock) -> AsyncIterator[list[House]]:
    """Workers with connections of their own."""
    databases = [await Database.connect(dsn, name="tests", size_max=3) for _ in range(WORKERS)]
    lanes = [await take_lane(each) for each in databases]
    yield [
        wire(SETTINGS, each, FrozenClock(noon.at, lane=lane))
        for each, lane in zip(databases, lanes, strict=True)
    ]
    for each in databases:
        await each.close()


async def test_many_workers_make_each_report_once(
    noon_org: Tenant, houses: list[House], database: Database
) -> None:
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    offsets = {noon_org.org_id: PERIODS * DAY}
    await asyncio.gather(*(house.report_schedules.run_all(offsets) for house in houses))
    made, told = await kept(database, noon_org)
    assert list(made.values()) == [PERIODS] * SCHEDULES
    assert list(told.values()) == [1] * PERIODS * SCHEDULES


async def test_a_worker_that_is_stopped_anywhere_leaves_nothing_half_done(
    noon_org: Tenant, houses: list[House], database: Database
) -> None:
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    offsets = {noon_org.org_id: PERIODS * DAY}
    for place in range(12):
        making = asyncio.create_task(houses[place % WORKERS].report_schedules.run_all(offsets))
        await asyncio.sleep(0.004 * place)
        making.cancel()
        await asyncio.gather(making, return_exceptions=True)
        await kept(database, noon_org)
    await noon_org.house.report_schedules.run_all({noon_org.org_id: PERIODS * DAY + HELD})
    made, told = await kept(database, noon_org)
    assert list(made.values()) == [PERIODS] * SCHEDULES
    assert list(told.values()) == [1] * PERIODS * SCHEDULES


def make_reports(say: Any, dsn: str, offsets: Mapping[UUID, timedelta]) -> None:
    """A worker in a process of its own."""
    asyncio.run(_make_reports(say, dsn, offsets))


async def _make_reports(say: Any, dsn: str, offsets: Mapping[UUID, timedelta]) -> None:
    database = await Database.connect(dsn, name="tests", size_max=3)
    house = wire(SETTINGS, database, Clock(await take_lane(database)))
    say.send("begun")
    await house.report_schedules.run_all(offsets)
    await database.close()


async def test_killed_workers_make_each_report_once(
    noon_org: Tenant, dsn: str, database: Database, clock: Clock
) -> None:
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    # By real time, which is later than the frozen one.
    now = await noon_org.house.orgs.now(noon_org.org_id)
    offsets = {noon_org.org_id: now + PERIODS * DAY - clock.now()}
    for place in range(3):
        workers = [hire(make_reports, dsn, offsets) for _ in range(2)]
        for worker in workers:
            worker.wait_until_started()
        await asyncio.sleep(0.05 + 0.03 * place)
        for worker in workers:
            worker.kill()
        await kept(database, noon_org)
    # What was taken last is kept from others by the time of who took it, which went on meanwhile.
    taken_at = clock.now(offsets[noon_org.org_id])
    late = taken_at - await noon_org.house.orgs.now(noon_org.org_id) + HELD
    await noon_org.house.report_schedules.run_all({noon_org.org_id: late})
    made, told = await kept(database, noon_org)
    assert list(made.values()) == [PERIODS] * SCHEDULES
    assert list(told.values()) == [1] * PERIODS * SCHEDULES


async def test_what_cannot_be_made_now_is_tried_for_two_hours_and_stops_no_other(
    noon_org: Tenant, noon: FrozenClock, dsn: str, database: Database
) -> None:
    broken = await _unread(noon_org.house.report_schedules, dsn)
    schedule = await make_schedule(noon_org, template="TRANSACTION_COUNT")
    offset, tries = DAY, 0
    while not await runs(noon_org, schedule["id"]):
        await broken.run_all({noon_org.org_id: offset})
        offset, tries = offset + timedelta(minutes=1), tries + 1
    (run,) = await runs(noon_org, schedule["id"])
    assert run["status"] == "FAILED"
    assert "the server's log says why" in run["reason"]
    assert 120 <= tries <= 135
    assert noon.at.isoformat() < run["createdAt"]
    # The next period starts anew.
    (row,) = await database.rows(
        "select tries, try_at > next_at as waits from report_schedules where org_id = $1",
        noon_org.org_id,
    )
    assert (row["tries"], row["waits"]) == (0, True)


async def _unread(schedules: ReportSchedules, dsn: str) -> ReportSchedules:
    """The same, but that roll-ups are read over connections that are closed."""
    closed = await Database.connect(dsn, name="tests", size_max=1)
    await closed.close()
    calculator = schedules.exports.calculator
    sources = replace(calculator.sources, rollups=Rollups(closed))
    exports = replace(schedules.exports, calculator=replace(calculator, sources=sources))
    return replace(schedules, exports=exports)


async def test_two_workers_do_not_make_the_same_at_once(
    noon_org: Tenant, houses: list[House]
) -> None:
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    clocks = {noon_org.org_id: noon_org.house.clock.now(DAY)}

    async def take(house: House) -> list[UUID]:
        found = await house.database.single(
            lambda tx: store.take(tx, clocks, limit=16, each_limit=2, hold=timedelta(minutes=1))
        )
        assert len(found) <= 2  # of one organisation
        return [each.id for each in found]

    taken = [each for some in [await take(house) for house in houses] for each in some]
    assert len(taken) == len(set(taken)) == SCHEDULES
    at_once = await asyncio.gather(*(take(house) for house in houses))
    assert at_once == [[]] * WORKERS
    # A worker that ended keeps them from others for a minute.
    clocks[noon_org.org_id] += timedelta(minutes=1)
    again = await asyncio.gather(*(take(house) for house in houses))
    found = [each for some in again for each in some]
    assert len(found) == len(set(found))
    assert set(found) <= set(taken)
    assert found


async def test_each_organisation_comes_before_anothers_second(
    noon_org: Tenant, houses: list[House]
) -> None:
    other = await make_tenant(noon_org.house, noon_org.client, name="Other")
    for _ in range(SCHEDULES):
        await make_schedule(noon_org)
    mine = await make_schedule(other)
    now = noon_org.house.clock.now(PERIODS * DAY)
    later = noon_org.house.clock.now(DAY)
    clocks = {noon_org.org_id: now, other.org_id: later}
    found = await houses[0].database.single(
        lambda tx: store.take(tx, clocks, limit=2, each_limit=4, hold=timedelta(minutes=1))
    )
    assert {each.org_id for each in found} == {noon_org.org_id, other.org_id}
    assert mine["id"] in {str(each.id) for each in found}
