"""Every flow to outside waits for the data of the travel rule, and continues with them."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any

import pytest

from landbridge.app.container import wire
from landbridge.customers.payment_screening.model import INCOMPLETE
from landbridge.platform.db.pool import Database
from tests.customers.payment_screening.payment_world import OUTSIDE, PaymentWorld, payment_world
from tests.customers.payment_screening.test_flows import ANOTHER, FLOWS
from tests.customers.travel_rule.travel_world import (
    APPLIED,
    HOSTED,
    SELF_HOSTED,
    SETTING,
    WAITING,
    state,
    travel_world,
)
from tests.tenants import SETTINGS, held, make_user, run_due

# The fiat of a payout is no coin.
COINS = sorted(set(FLOWS) - {"payout"})


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[PaymentWorld]:
    async with travel_world(database) as found:
        yield found


@pytest.mark.parametrize("name", COINS)
async def test_a_flow_waits_for_the_data_and_continues_with_them(
    world: PaymentWorld, name: str
) -> None:
    flow = FLOWS[name]
    path = await flow.make(world)
    await world.settle()
    await world.work(days=2)
    assert (await _shown(world, path))["status"] == flow.waits_at
    assert world.sent_to(flow.address) == 0
    for screening in await world.screenings():
        assert (screening["status"], screening["missing"]) == ("IN_SCREENING", ["kind"])
    for address in {flow.address, ANOTHER}:
        await state(world.org, world.ada, SELF_HOSTED, address)
    await world.settle()
    assert (await _shown(world, path))["status"] == flow.paid
    assert await held(world.org, world.ada) == flow.left
    await world.check()


async def test_the_reason_names_what_is_missing(world: PaymentWorld) -> None:
    transfer = await world.transfer("10")
    assert await _reason(world) == f"{INCOMPLETE}: kind"
    (waiting,) = (await world.org.get(WAITING))["transfers"]
    assert (waiting["transferId"], waiting["missing"]) == (transfer, ["kind"])
    assert (waiting["walletAddress"], waiting["amount"]) == (OUTSIDE, "10")
    await state(world.org, world.ada, HOSTED | {"person": {"type": "individual"}})
    # Stamps are ahead of the clock now, whichever node it has.
    world.clock.at = world.clock.at.replace(microsecond=0)
    await world.work()
    assert await _reason(world) == f"{INCOMPLETE}: beneficiary.name"
    await state(world.org, world.ada, HOSTED)
    await world.settle()
    assert await world.transfer_status(transfer) == "COMPLETED"
    assert world.sent_to() == 1
    assert (await world.org.get(WAITING))["transfers"] == []
    await world.check()


async def test_data_that_are_there_before_delay_nothing(world: PaymentWorld) -> None:
    await state(world.org, world.ada, HOSTED)
    transfer = await world.transfer("10")
    await world.settle()
    assert await world.transfer_status(transfer) == "COMPLETED"
    (screening,) = await world.screenings(status="RELEASED")
    assert screening["provider"] == "travel-rule"


async def test_people_give_up_on_a_payment_that_waits(world: PaymentWorld) -> None:
    transfer = await world.transfer("10")
    (screening,) = await world.screenings()
    assert await world.team.actions(screening["id"]) == []
    assert (await world.team.resolve(transfer, "FAIL"))["status"] == "COMPLETED"
    assert await world.transfer_status(transfer) == "FAILED"
    assert await held(world.org, world.ada) == "1000"
    # Data that come too late send nothing.
    await state(world.org, world.ada, HOSTED)
    await world.settle()
    assert world.sent_to() == 0
    assert (await world.screenings(status="VOID"))[0]["transferId"] == transfer
    await world.check()


async def test_an_organisation_without_a_jurisdiction_waits_for_nothing(
    database: Database,
) -> None:
    async with payment_world(database, APPLIED) as world:
        transfer = await world.transfer("10")
        await world.settle()
        assert await world.transfer_status(transfer) == "COMPLETED"


async def test_a_jurisdiction_that_is_taken_away_releases_what_waits(world: PaymentWorld) -> None:
    transfer = await world.transfer("10")
    await world.org.send("PUT", SETTING, {"jurisdiction": None})
    await world.settle()
    assert await world.transfer_status(transfer) == "COMPLETED"


async def test_a_restart_without_the_travel_rule_sends_nothing(database: Database) -> None:
    async with travel_world(database) as world:
        transfer = await world.transfer("10")
        container = wire(SETTINGS, database, world.clock, chains=world.chains)
        offset = world.org.caller.clock_offset
        world.clock.at += timedelta(hours=2)
        await container.scheduler.run_all({world.org.org_id: offset})
        assert await world.transfer_status(transfer) == "INITIATED"
        assert world.sent_to() == 0


async def test_data_of_another_user_release_nothing(world: PaymentWorld) -> None:
    transfer = await world.transfer("10")
    await state(world.org, await make_user(world.org), HOSTED)
    await world.settle()
    assert await world.transfer_status(transfer) == "INITIATED"


async def test_data_given_twice_at_once_send_once(world: PaymentWorld) -> None:
    transfer = await world.transfer("10")
    found = await asyncio.gather(*(state(world.org, world.ada, HOSTED) for _ in range(8)))
    assert {each["version"] for each in found} == {1}
    await asyncio.gather(*(run_due(world.org) for _ in range(3)))
    await world.settle()
    assert await world.transfer_status(transfer) == "COMPLETED"
    assert world.sent_to() == 1
    await world.check()


async def _reason(world: PaymentWorld) -> str:
    (stuck,) = (await world.org.get("/v2/stuck"))["stuck"]
    return str(stuck["attention"])


async def _shown(world: PaymentWorld, path: str) -> dict[str, Any]:
    return (await world.org.get(path))["transferDetails"]
