"""A worker that is told to deliver nothing, as on a copy of a database."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec
import pytest

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.settings import SettingsInvalid, read
from landbridge.wiring import House, wire
from landbridge.worker import SCHEDULES, work
from tests.tenants import SETTINGS, make_tenant, make_user, served

from .carrying import hook, receiving, until

SWITCH = "LANDBRIDGE_WEBHOOKS"


async def test_nothing_is_delivered_until_a_worker_may(own_database: Database) -> None:
    clock = Clock(await take_lane(own_database))
    there = wire(SETTINGS, own_database, clock)
    copy = wire(msgspec.structs.replace(SETTINGS, webhooks="off"), own_database, clock)
    deliver = next(each for each in SCHEDULES if each.name == "webhooks")
    async with receiving() as receiver, served(there) as client:
        org = await make_tenant(there, client)
        await hook(org, receiver, "USER.*")
        user = await make_user(org)
        async with _working(copy):
            await asyncio.sleep(5 * deliver.every_s)
        assert not receiver.came
        async with _working(there):
            await until(lambda: receiver.of(user) == ["USER.CREATE"])


def test_the_switch_is_on_or_off() -> None:
    assert read({}).delivers_webhooks
    assert read({SWITCH: "on"}).delivers_webhooks
    assert not read({SWITCH: "off"}).delivers_webhooks
    for told in ("no", "", "OFF"):
        with pytest.raises(SettingsInvalid, match=f"{SWITCH} must be one of on, off"):
            read({SWITCH: told})


@asynccontextmanager
async def _working(house: House) -> AsyncGenerator[None]:
    """The worker, with all that it does."""
    stop = asyncio.Event()
    working = asyncio.create_task(work(house, stop))
    try:
        yield
    finally:
        stop.set()
        await working
        await house.postman.close()
        await house.outbound.close()
