"""What happens to swaps without a request."""

import asyncio
from datetime import timedelta

from landbridge.core.clock import Clock, FrozenClock
from landbridge.db.pool import Database
from landbridge.flows.swaps.model import Status
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from landbridge.worker import work
from tests.tenants import SETTINGS, Tenant, held, make_swap, make_tenant, make_user, served
from tests.tenants import swap_of as swap

LIFETIME = timedelta(seconds=30)
ADVANCE = "/v2/sandbox/clock/advance"


async def _run(org: Tenant) -> int:
    """What the worker does, for this organisation alone."""
    return await org.house.due.run_once({org.org_id: timedelta()})


async def test_an_open_quote_is_ended_when_it_is_due(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    made = await make_swap(org, user)
    still_clock.at += LIFETIME - timedelta(seconds=1)
    assert await _run(org) == 0
    still_clock.at += timedelta(seconds=2)
    assert await _run(org) == 1
    found = await swap(org, made["id"])
    assert found.status is Status.QUOTE_FAILED
    assert found.record.due_at is None
    assert await _run(org) == 0


async def test_what_was_accepted_waits_for_nobody(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    made = await make_swap(org, user, status=Status.COMPLETED)
    still_clock.at += 2 * LIFETIME
    assert await _run(org) == 0
    assert (await swap(org, made["id"])).status is Status.COMPLETED


async def test_moving_the_clock_ends_what_falls_due_before_it_answers(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    done = await make_swap(org, user, status=Status.COMPLETED)
    made = [(await make_swap(org, user))["id"] for _ in range(5)]
    await org.post(ADVANCE, {"seconds": 20})
    young = (await make_swap(org, user))["id"]
    await org.post(ADVANCE, {"seconds": 11})
    assert {(await swap(org, each)).status for each in made} == {Status.QUOTE_FAILED}
    assert (await swap(org, young)).status is Status.OPEN_QUOTE
    assert (await swap(org, done["id"])).status is Status.COMPLETED
    found = await swap(org, made[0])
    assert found.record.updated_at >= found.details.quote_expires_at


async def test_more_than_a_batch_falls_due_at_once(org: Tenant) -> None:
    user = await make_user(org, funds="1")
    body = [make_swap(org, user, "0.1") for _ in range(300)]
    await asyncio.gather(*body)
    await org.post(ADVANCE, {"seconds": 31})
    rows = await org.house.database.rows(
        "select status from transfers where org_id = $1 and kind = 'WALLET.SWAP'", org.org_id
    )
    assert [row["status"] for row in rows] == ["QUOTE_FAILED"] * 300


async def test_one_organisations_time_is_not_anothers(org: Tenant, other_org: Tenant) -> None:
    made = await make_swap(other_org, await make_user(other_org, funds="1"))
    await org.post(ADVANCE, {"seconds": 1000})
    assert (await swap(other_org, made["id"])).status is Status.OPEN_QUOTE


async def test_two_workers_end_each_quote_once(
    still_org: Tenant, still_clock: FrozenClock, database: Database
) -> None:
    org, user = still_org, await make_user(still_org, funds="10")
    made = [(await make_swap(org, user, "0.1"))["id"] for _ in range(20)]
    still_clock.at += LIFETIME + timedelta(seconds=1)
    lane = await take_lane(database)
    second = wire(SETTINGS, database, FrozenClock(still_clock.at, lane=lane))
    offsets = {org.org_id: timedelta()}
    await asyncio.gather(org.house.due.run_all(offsets), second.due.run_all(offsets))
    assert {(await swap(org, each)).status for each in made} == {Status.QUOTE_FAILED}
    rows = await database.rows(
        "select object_id from changes where org_id = $1 and what = 'expire'", org.org_id
    )
    assert len(rows) == 20


async def test_the_worker_ends_quotes_of_every_organisation(own_database: Database) -> None:
    house = wire(SETTINGS, own_database, Clock(await take_lane(own_database)))
    async with served(house) as client:
        orgs = [await make_tenant(house, client) for _ in range(2)]
        made = [
            (org, (await make_swap(org, await make_user(org, funds="1")))["id"]) for org in orgs
        ]
        for org in orgs:
            await house.orgs.advance_clock(org.org_id, timedelta(seconds=60), actor="test")
        stop = asyncio.Event()
        working = asyncio.create_task(work(house, stop))
        async with asyncio.timeout(60):
            for org, each in made:
                while (await swap(org, each)).status is Status.OPEN_QUOTE:  # noqa: ASYNC110  theirs
                    await asyncio.sleep(0.02)
        stop.set()
        await working
        for org, each in made:
            assert (await swap(org, each)).status is Status.QUOTE_FAILED
            assert await held(org, str((await swap(org, each)).record.user_id)) == "1"
