"""Coins from outside on a real chain: held until the data of their originator are there."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from msgspec import structs

from landbridge.platform.db.pool import Database
from tests.customers.chain_deposits.chain_world import FollowedChain, chain_world
from tests.customers.deposit_screening.screening_world import run_worker
from tests.customers.deposit_screening.test_coins import HIT, decide, screenings, suspended
from tests.customers.travel_rule.travel_world import (
    APPLIED,
    BOB,
    HOSTED,
    SETTING,
    WAITING,
    state,
)
from tests.tenants import held

pytestmark = pytest.mark.long

ORIGINATOR = BOB | {"dateOfBirth": "1990-01-02", "placeOfBirth": "Paris"}
COMPLETE = HOSTED | {"person": ORIGINATOR}


@pytest.fixture
async def world(own_database: Database, tmp_path: Path) -> AsyncGenerator[FollowedChain]:
    settings = structs.replace(APPLIED, deposit_screening="sandbox")
    async with chain_world(own_database, tmp_path, settings) as found:
        await found.org.send("PUT", SETTING, {"jurisdiction": "EU"})
        yield found


async def test_a_deposit_is_held_until_the_originator_is_known(world: FollowedChain) -> None:
    org = world.org
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.finalize()
    await run_worker(org)
    (screening,) = await screenings(org)
    assert (screening["status"], screening["missing"]) == ("HELD", ["kind"])
    assert (await held(org, user), await suspended(org)) == ("0", 5_000_000)
    (waiting,) = (await org.get(WAITING))["transfers"]
    assert (waiting["direction"], waiting["userId"]) == ("deposit", user)
    assert waiting["walletAddress"].lower() == world.outsider
    await state(org, user, HOSTED, world.outsider)
    await run_worker(org)
    (screening,) = await screenings(org)
    assert screening["missing"] == ["originator.identity"]
    await state(org, user, COMPLETE, world.outsider)
    await run_worker(org)
    assert (await held(org, user), await suspended(org)) == ("5", 0)
    (screening,) = await screenings(org, "RELEASED")
    assert screening["missing"] == []
    message = (await org.get(f"/v2/travel-rule/messages/{screening['id']}"))["ivms101"]
    assert message["originator"]["accountNumber"] == [waiting["walletAddress"]]
    await world.check_ledger()


@pytest.mark.parametrize(("action", "amount"), [("RELEASE", "5"), ("REJECT", "0")])
async def test_two_people_accept_or_reject_without_data(
    world: FollowedChain, action: str, amount: str
) -> None:
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.finalize()
    await run_worker(world.org)
    (screening,) = await screenings(world.org)
    assert await decide(world.org, screening, action) == "COMPLETED"
    # Data that come too late change nothing.
    await state(world.org, user, COMPLETE, world.outsider)
    await run_worker(world.org)
    assert await held(world.org, user) == amount
    assert await suspended(world.org) == (0 if action == "RELEASE" else 5_000_000)
    await world.check_ledger()


async def test_data_do_not_release_a_hit(world: FollowedChain) -> None:
    user, address = await world.new_user()
    await state(world.org, user, COMPLETE, world.outsider)
    world.pay(address, HIT)
    await world.finalize()
    await run_worker(world.org)
    (screening,) = await screenings(world.org)
    assert (screening["categories"], screening["missing"]) == (["sanctions"], [])
    await run_worker(world.org)
    assert await held(world.org, user) == "0"
    assert (await world.org.get(WAITING))["transfers"] == []


async def test_known_originators_delay_nothing(world: FollowedChain) -> None:
    user, address = await world.new_user()
    await state(world.org, user, COMPLETE, world.outsider)
    world.pay(address, 5)
    await world.finalize()
    await run_worker(world.org)
    assert await held(world.org, user) == "5"
