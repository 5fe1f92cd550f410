"""A worker starts nothing while its clock is ahead of the database's."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from typing_extensions import override

from landbridge.app.container import open_container, wire
from landbridge.app.settings import Settings
from landbridge.app.worker import work
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.clock_check import AHEAD_MAX, ClockCheck
from landbridge.platform.db.pool import Database
from tests.developers.webhooks.worker_steps import (
    Received,
    hook,
    receiving,
    statuses,
    until,
    until_rows,
)
from tests.tenants import SETTINGS, make_tenant, make_user, served

PATIENCE_S = 60.0
# Roll-ups of reports begin with a build.
BUILDS = "select org_id from report_builds"
YEAR = timedelta(days=365)


class JumpingClock(Clock):
    """Clock of this machine, ahead by `ahead`."""

    def __init__(self) -> None:
        super().__init__(node=0)
        self.ahead = timedelta()

    @override
    def _real_us(self) -> int:
        return super()._real_us() + self.ahead // timedelta(microseconds=1)


async def test_a_jump_is_found_at_once_and_ends_with_the_clock(own_database: Database) -> None:
    clock = JumpingClock()
    check = ClockCheck(own_database, clock)
    assert not await check.is_ahead()
    for ahead in (AHEAD_MAX + timedelta(seconds=1), timedelta(hours=1), YEAR):
        clock.ahead = ahead
        assert await check.is_ahead()
        assert await check.is_ahead()
        clock.ahead = timedelta()
        assert not await check.is_ahead()


async def test_a_clock_that_is_behind_or_little_ahead_is_right(own_database: Database) -> None:
    clock = JumpingClock()
    check = ClockCheck(own_database, clock)
    for ahead in (AHEAD_MAX / 2, -timedelta(hours=1)):
        clock.ahead = ahead
        assert not await check.is_ahead()


async def test_deliveries_in_progress_end_when_the_clock_jumps(own_database: Database) -> None:
    stop, clock = asyncio.Event(), JumpingClock()
    container = wire(SETTINGS, own_database, clock)
    async with receiving() as receiver, served(container) as client:
        org = await make_tenant(container, client)
        receiver.answers = lambda _: None
        await hook(org, receiver, "USER.*")
        await make_user(org)
        working = asyncio.create_task(work(container, stop))
        await until(lambda: bool(receiver.received))
        clock.ahead = YEAR
        await until(lambda: not container.dispatcher.running)
        (endpoint,) = await own_database.rows("select leased_until from webhook_endpoints")
        # Otherwise no worker would deliver there for a year.
        assert endpoint["leased_until"] is None
        stop.set()
        await working
        await container.egress.close()


async def test_an_attempt_during_which_the_clock_jumps_is_repeated(own_database: Database) -> None:
    stop, clock = asyncio.Event(), JumpingClock()
    container = wire(SETTINGS, own_database, clock)

    def fail_as_the_clock_jumps(_: Received) -> int:
        clock.ahead = YEAR
        return 500

    async with receiving() as receiver, served(container) as client:
        org = await make_tenant(container, client)
        receiver.answers = fail_as_the_clock_jumps
        endpoint = await hook(org, receiver, "USER.*")
        await make_user(org)
        working = asyncio.create_task(work(container, stop))
        await until(lambda: bool(receiver.received))
        await until(lambda: not container.dispatcher.running)
        # By the wrong clock the retries of a day have passed.
        assert await statuses(org, endpoint) == []
        receiver.answers = lambda _: 200
        clock.ahead = timedelta()
        await until_rows(org, endpoint, ["DELIVERED"])
        stop.set()
        await working
        await container.egress.close()


async def test_a_worker_waits_until_its_clock_is_right(own_dsn: str, tmp_path: Path) -> None:
    stop, clock = asyncio.Event(), JumpingClock()
    clock.ahead = YEAR
    async with open_container(Settings(data_dir=str(tmp_path)), own_dsn, name="tests") as container:
        await container.orgs.create("Test")
        working = asyncio.create_task(work(replace(container, clock=clock), stop))
        await asyncio.sleep(3)
        assert await container.database.rows(BUILDS) == []
        clock.ahead = timedelta()
        built: object = []
        async with asyncio.timeout(PATIENCE_S):
            while not built:
                built = await container.database.rows(BUILDS)
                await asyncio.sleep(0.1)
        stop.set()
        await working
