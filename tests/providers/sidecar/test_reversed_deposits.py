"""Deposits that a provider reports as reversed, or as returned, against what it reported before."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import credit_store, order_store
from tests.onramps import check_books, make_onramp, make_payer, onramp_of
from tests.providers.sidecar.deposit_world import DepositScenario, account_of, deposit_scenario
from tests.resolution_team import resolve_by_clock
from tests.tenants import held, run_due

REVERSED = "its bank took the deposit back: request DEPOSIT_REVERSED"


@pytest.fixture
async def world(database: Database, tmp_path: Path) -> AsyncIterator[DepositScenario]:
    async with deposit_scenario(database, tmp_path) as scenario:
        yield scenario


async def test_coins_of_a_reversed_deposit_are_not_sent(world: DepositScenario) -> None:
    user, number = await account_of(world)
    world.bank.add(number)
    await world.container_poll(world.org.container)
    world.bank.log.append({"reversed": "C1"})
    await world.poll()
    assert await held(world.org, user) == "0"
    (stuck,) = (await world.org.get("/v2/stuck"))["stuck"]
    assert (stuck["status"], stuck["attention"]) == ("FIAT_PENDING", REVERSED)
    resolution = await resolve_by_clock(world.org, stuck["id"], "DEPOSIT_REVERSED")
    assert resolution["status"] == "COMPLETED"
    assert await held(world.org, user) == "0"
    await check_books(world.org)


async def test_a_reversed_deposit_is_not_also_returned(world: DepositScenario) -> None:
    org, bank = world.org, world.bank
    user, number = await account_of(world)
    bank.return_state = "refused"
    bank.add(number)
    await world.container_poll(org.container)
    await org.post(f"/v2/users/{user}/freeze", {})
    await world.poll()
    assert len(bank.orders) == 1
    bank.log.append({"reversed": "C1"})
    await world.container_poll(org.container)
    bank.return_state = "settled"
    for _ in range(3):
        await org.post("/v2/sandbox/clock/advance", {"seconds": 3_600})
        await world.poll()
    assert len(bank.orders) == 1
    (stuck,) = (await org.get("/v2/stuck"))["stuck"]
    assert (stuck["status"], stuck["attention"]) == ("FIAT_FAILED", REVERSED)
    resolution = await resolve_by_clock(org, stuck["id"], "DEPOSIT_REVERSED")
    assert resolution["status"] == "COMPLETED"
    assert (await held(org, user), len(bank.orders)) == ("0", 1)
    await check_books(org)


async def test_coins_are_sent_once_the_problem_of_a_reversal_is_closed(
    world: DepositScenario,
) -> None:
    user, number = await account_of(world)
    world.bank.add(number)
    await world.container_poll(world.org.container)
    world.bank.log.append({"reversed": "C1"})
    await world.poll()
    await world.org.container.database.single(lambda tx: credit_store.close(tx, world.name, "C1"))
    await world.org.post("/v2/sandbox/clock/advance", {"seconds": 3_600})
    await run_due(world.org)
    assert await held(world.org, user) == "100"
    await check_books(world.org)


async def test_a_failed_return_that_is_reported_as_settled_is_not_repeated(
    world: DepositScenario,
) -> None:
    org, bank = world.org, world.bank
    onramp = await make_onramp(org, await make_payer(org), 100)
    number = (await onramp_of(org, onramp["id"])).details.account_number or ""
    bank.return_state = "failed"
    bank.add(number, "12.34")
    await world.poll()
    (key,) = bank.orders
    bank.return_state = "settled"
    assert await world.announce({"key": key}) == 204
    await org.container.provider_webhooks.run_once(await org.container.orgs.clock_offsets())
    await org.post("/v2/sandbox/clock/advance", {"seconds": 120})
    await world.poll()
    assert list(bank.orders) == [key]
    # A person has found out that it failed.
    await org.container.database.single(lambda tx: order_store.close(tx, world.name, UUID(key)))
    await world.poll()
    assert len(bank.orders) == 2
    (deposit,) = await world.deposits()
    assert deposit["status"] == "RETURNED"
    await check_books(org)
