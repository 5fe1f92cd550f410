"""Worker with delivery disabled, as on a copy of a database."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec
import pytest

from landbridge.app.container import Container, wire
from landbridge.app.settings import SettingsInvalid, read
from landbridge.app.worker import SCHEDULES, work
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.developers.webhooks.worker_steps import hook, receiving, until
from tests.tenants import SETTINGS, make_tenant, make_user, served

SWITCH = "LANDBRIDGE_WEBHOOKS"


@pytest.mark.long
async def test_nothing_is_delivered_until_a_worker_may(own_database: Database) -> None:
    clock = Clock(await take_node(own_database))
    there = wire(SETTINGS, own_database, clock)
    copy = wire(msgspec.structs.replace(SETTINGS, webhooks="off"), own_database, clock)
    deliver = next(each for each in SCHEDULES if each.name == "webhooks")
    async with receiving() as receiver, served(there) as client:
        org = await make_tenant(there, client)
        await hook(org, receiver, "USER.*")
        user = await make_user(org)
        async with _working(copy):
            await asyncio.sleep(5 * deliver.every_s)
        assert not receiver.received
        async with _working(there):
            await until(lambda: receiver.of(user) == ["USER.CREATE"])


def test_the_switch_is_on_or_off() -> None:
    assert read({}).delivers_webhooks
    assert read({SWITCH: "on"}).delivers_webhooks
    assert not read({SWITCH: "off"}).delivers_webhooks
    for value in ("no", "", "OFF"):
        with pytest.raises(SettingsInvalid, match=f"{SWITCH} must be one of on, off"):
            read({SWITCH: value})


@asynccontextmanager
async def _working(container: Container) -> AsyncGenerator[None]:
    """Run the worker with all its tasks."""
    stop = asyncio.Event()
    working = asyncio.create_task(work(container, stop))
    try:
        yield
    finally:
        stop.set()
        await working
        await container.dispatcher.close()
        await container.egress.close()
