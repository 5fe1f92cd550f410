"""Steps of swaps that need no request."""

import asyncio
from datetime import timedelta

from landbridge.app.container import wire
from landbridge.app.worker import work
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.tenants import SETTINGS, Tenant, held, make_swap, make_tenant, make_user, served
from tests.tenants import swap_of as swap

LIFETIME = timedelta(seconds=30)
ADVANCE = "/v2/sandbox/clock/advance"


async def _run(org: Tenant) -> int:
    """Run the worker's due steps for this organisation."""
    return await org.container.scheduler.run_once({org.org_id: timedelta()})


async def test_open_quote_expires_when_due(still_org: Tenant, still_clock: FrozenClock) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    created = await make_swap(org, user)
    still_clock.at += LIFETIME - timedelta(seconds=1)
    assert await _run(org) == 0
    still_clock.at += timedelta(seconds=2)
    assert await _run(org) == 1
    found = await swap(org, created["id"])
    assert found.status is SwapStatus.QUOTE_FAILED
    assert found.record.due_at is None
    assert await _run(org) == 0


async def test_accepted_swap_has_no_due_time(still_org: Tenant, still_clock: FrozenClock) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    created = await make_swap(org, user, status=SwapStatus.COMPLETED)
    still_clock.at += 2 * LIFETIME
    assert await _run(org) == 0
    assert (await swap(org, created["id"])).status is SwapStatus.COMPLETED


async def test_moving_the_clock_runs_due_steps_before_the_reply(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    done = await make_swap(org, user, status=SwapStatus.COMPLETED)
    created = [(await make_swap(org, user))["id"] for _ in range(5)]
    await org.post(ADVANCE, {"seconds": 20})
    young = (await make_swap(org, user))["id"]
    await org.post(ADVANCE, {"seconds": 11})
    assert {(await swap(org, each)).status for each in created} == {SwapStatus.QUOTE_FAILED}
    assert (await swap(org, young)).status is SwapStatus.OPEN_QUOTE
    assert (await swap(org, done["id"])).status is SwapStatus.COMPLETED
    found = await swap(org, created[0])
    assert found.record.updated_at >= found.details.quote_expires_at


async def test_more_than_a_batch_falls_due_at_once(org: Tenant) -> None:
    user = await make_user(org, funds="1")
    body = [make_swap(org, user, "0.1") for _ in range(300)]
    await asyncio.gather(*body)
    await org.post(ADVANCE, {"seconds": 31})
    rows = await org.container.database.rows(
        "select status from transfers where org_id = $1 and kind = 'WALLET.SWAP'", org.org_id
    )
    assert [row["status"] for row in rows] == ["QUOTE_FAILED"] * 300


async def test_clocks_of_organisations_are_independent(org: Tenant, other_org: Tenant) -> None:
    created = await make_swap(other_org, await make_user(other_org, funds="1"))
    await org.post(ADVANCE, {"seconds": 1000})
    assert (await swap(other_org, created["id"])).status is SwapStatus.OPEN_QUOTE


async def test_two_workers_expire_each_quote_once(
    still_org: Tenant, still_clock: FrozenClock, database: Database
) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    created = [(await make_swap(org, user, "0.1"))["id"] for _ in range(20)]
    still_clock.at += LIFETIME + timedelta(seconds=1)
    node = await take_node(database)
    second = wire(SETTINGS, database, FrozenClock(still_clock.at, node=node))
    offsets = {org.org_id: timedelta()}
    await asyncio.gather(
        org.container.scheduler.run_all(offsets), second.scheduler.run_all(offsets)
    )
    assert {(await swap(org, each)).status for each in created} == {SwapStatus.QUOTE_FAILED}
    rows = await database.rows(
        "select object_id from changes where org_id = $1 and change_type = 'expire'", org.org_id
    )
    assert len(rows) == 20


async def test_worker_expires_quotes_of_every_organisation(own_database: Database) -> None:
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        orgs = [await make_tenant(container, client) for _ in range(2)]
        created = [
            (org, (await make_swap(org, await make_user(org, funds="1")))["id"]) for org in orgs
        ]
        for org in orgs:
            await container.orgs.advance_clock(org.org_id, timedelta(seconds=60), actor="test")
        stop = asyncio.Event()
        working = asyncio.create_task(work(container, stop))
        async with asyncio.timeout(60):
            for org, each in created:
                while (await swap(org, each)).status is SwapStatus.OPEN_QUOTE:  # noqa: ASYNC110  theirs
                    await asyncio.sleep(0.02)
        stop.set()
        await working
        for org, each in created:
            assert (await swap(org, each)).status is SwapStatus.QUOTE_FAILED
            assert await held(org, str((await swap(org, each)).record.user_id)) == "1"
