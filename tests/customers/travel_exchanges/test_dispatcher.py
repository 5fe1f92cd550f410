"""Dispatcher: providers that never answer delay their own messages alone."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from landbridge.customers.travel_exchanges.dispatcher import HOST_RUNNING_MAX, ORG_RUNNING_MAX
from landbridge.platform.db.pool import Database
from tests.customers.travel_exchanges.exchange_world import (
    EXCHANGES,
    ON,
    SETTING,
    ExchangeWorld,
    exchange_world,
    inquiry,
)
from tests.tenants import Tenant, make_tenant

SILENT = "127.0.0.1:9001"
PATIENCE_S = 10.0


@pytest.fixture
async def world(own_database: Database) -> AsyncGenerator[ExchangeWorld]:
    async with exchange_world(own_database) as found:
        yield found
        found.vasps.hangs_up.set()
        await found.org.container.exchange_dispatcher.finish()


async def test_a_silent_provider_does_not_delay_another(world: ExchangeWorld) -> None:
    """Anybody may send inquiries, and choose where the answers go to."""
    await _reject(world, world.org, [SILENT] * 6)
    await _run(world, [world.org])
    await _wait_for(world, silent=HOST_RUNNING_MAX)
    await world.pay("approves")
    await _run(world, [world.org])
    await _wait_for(world, inquiries=1)
    assert len(world.vasps.waiting) == HOST_RUNNING_MAX


async def test_silent_providers_do_not_delay_another_organisation(world: ExchangeWorld) -> None:
    other = await make_tenant(world.org.container, world.org.client)
    await other.send("PUT", SETTING, ON)
    await _reject(world, other, [f"127.0.0.1:{9100 + at}" for at in range(12)])
    await _run(world, [other, world.org])
    await _wait_for(world, silent=ORG_RUNNING_MAX)
    await world.pay("approves")
    await _run(world, [other, world.org])
    await _wait_for(world, inquiries=1)
    assert len(world.vasps.waiting) == ORG_RUNNING_MAX
    # Those that found no room are sent once there is some.
    world.vasps.hangs_up.set()
    await world.org.container.exchange_dispatcher.finish()
    await _run(world, [other])
    await world.org.container.exchange_dispatcher.finish()
    assert len(set(world.vasps.waiting)) == 12


async def test_payments_come_before_answers(world: ExchangeWorld) -> None:
    await _reject(world, world.org, [f"127.0.0.1:{9100 + at}" for at in range(12)])
    await world.pay("approves")
    await _run(world, [world.org])
    await _wait_for(world, inquiries=1, silent=ORG_RUNNING_MAX - 1)


async def _reject(world: ExchangeWorld, org: Tenant, hosts: Sequence[str]) -> None:
    """Reject an inquiry of each of these hosts, which never answer."""
    world.vasps.silent_hosts.update(hosts)
    for at, host in enumerate(hosts):
        headers = {
            "content-type": "application/json",
            "api-version": "3.2.1",
            "request-identifier": f"key-{at}",
        }
        body = inquiry(None, callback=f"http://{host}/resolutions")
        path = f"/trp/{org.org_id}/inquiries?t=i"
        assert (await org.client.post(path, content=body, headers=headers)).status_code == 200
    for each in (await org.get(EXCHANGES))["exchanges"]:
        await org.post(f"{EXCHANGES}/{each['id']}/reject", {"comment": "unknown"})


async def _run(world: ExchangeWorld, orgs: Sequence[Tenant]) -> None:
    await world.org.container.exchange_dispatcher.run_once([each.org_id for each in orgs])


async def _wait_for(world: ExchangeWorld, *, silent: int = 0, inquiries: int = 0) -> None:
    """Wait until this many messages are on their way."""
    vasps = world.vasps
    async with asyncio.timeout(PATIENCE_S):
        while len(vasps.waiting) < silent or len(vasps.of_kind("inquiry")) < inquiries:  # noqa: ASYNC110  no event
            await asyncio.sleep(0.01)
