"""Coins from outside wallets on a connected chain: each deposit has one outcome."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.payments.offramps.external_coins import DEPOSITS_EACH
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database
from landbridge.platform.formats.evm_addresses import checked_evm_address
from tests.chain_world import FINAL_DEPTH
from tests.payments.offramps.external_scenario import (
    COIN,
    ExternalScenario,
    external_scenario,
    pay_address,
)
from tests.payouts import check_books, shown
from tests.providers.evm.outbox.chain_orders import restarted

pytestmark = pytest.mark.long


@pytest.fixture
async def scenario(own_database: Database, tmp_path: Path) -> AsyncGenerator[ExternalScenario]:
    async with external_scenario(own_database, tmp_path) as made:
        yield made


async def test_the_exact_amount_is_paid_out_once_it_is_final(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    transaction = scenario.send(pay_address(offramp), 100)
    await scenario.work()
    assert await scenario.status(offramp) == "AWAITING_FUNDS"
    await scenario.finalize()
    done = await shown(scenario.world.org, offramp)
    assert done["status"] == "COMPLETED"
    assert done["receipt"]["transactionHash"] == transaction
    assert await scenario.deposits() == [("SETTLED", 100)]
    assert await scenario.outside() == 900
    await check_books(scenario.world.org)


async def test_another_amount_is_returned(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    scenario.send(pay_address(offramp), 60)
    await scenario.finalize()
    assert await scenario.status(offramp) == "CRYPTO_RETURNED"
    assert await scenario.outside() == 1_000
    await check_books(scenario.world.org)


async def test_a_second_payment_is_returned(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    scenario.send(pay_address(offramp), 100)
    scenario.send(pay_address(offramp), 100)
    await scenario.finalize()
    assert await scenario.status(offramp) == "COMPLETED"
    assert await scenario.deposits() == [("SETTLED", 100), ("SETTLED", 100)]
    assert await scenario.outside() == 900
    await check_books(scenario.world.org)


async def test_coins_that_are_sent_again_and_again_are_returned_ten_times_at_most(
    scenario: ExternalScenario,
) -> None:
    offramp = await scenario.awaited()
    scenario.send(pay_address(offramp), 100)
    for _ in range(DEPOSITS_EACH):
        scenario.send(pay_address(offramp), 1)
    await scenario.finalize()
    expected = [("SETTLED", 100), *[("SETTLED", 1)] * (DEPOSITS_EACH - 1), ("UNMATCHED", 1)]
    assert await scenario.deposits() == expected
    assert await scenario.outside() == 899
    await check_books(scenario.world.org)


async def test_two_offramps_each_take_their_own_amount(scenario: ExternalScenario) -> None:
    first, second = await scenario.awaited(100), await scenario.awaited(70)
    scenario.send(pay_address(first), 70)
    scenario.send(pay_address(first), 100)
    await scenario.finalize()
    assert [await scenario.status(each) for each in (first, second)] == ["COMPLETED"] * 2
    assert await scenario.outside() == 830


async def test_late_coins_are_returned(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    await scenario.world.org.post("/v2/sandbox/clock/advance", {"seconds": 601})
    await scenario.work()
    assert await scenario.status(offramp) == "QUOTE_FAILED"
    scenario.send(pay_address(offramp), 100)
    await scenario.finalize()
    assert await scenario.status(offramp) == "QUOTE_FAILED"
    assert await scenario.outside() == 1_000
    await check_books(scenario.world.org)


async def test_coins_found_in_time_count_although_they_are_final_late(
    scenario: ExternalScenario,
) -> None:
    offramp = await scenario.awaited()
    scenario.send(pay_address(offramp), 100)
    await scenario.work(blocks=1)
    assert await scenario.deposits() == [("CONFIRMED", 100)]
    await scenario.world.org.post("/v2/sandbox/clock/advance", {"seconds": 601})
    await scenario.work()
    assert await scenario.status(offramp) == "AWAITING_FUNDS"
    await scenario.finalize()
    assert await scenario.status(offramp) == "COMPLETED"


async def test_a_confirmed_deposit_that_is_lost_pays_nothing(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    scenario.send(pay_address(offramp), 100)
    await scenario.work(blocks=1)
    scenario.world.reorganise(2)
    await scenario.work()
    assert await scenario.deposits() == []
    await scenario.finalize()
    assert await scenario.status(offramp) == "AWAITING_FUNDS"


async def test_coins_from_an_unknown_address_are_kept_until_they_are_assigned(
    scenario: ExternalScenario,
) -> None:
    world = scenario.world
    stranger = world.rpc.accounts()[4]
    await world.mint("usdc", stranger, 100 * COIN)
    offramp = await scenario.awaited()
    scenario.send(pay_address(offramp), 100, sender=stranger)
    await scenario.finalize()
    assert await scenario.deposits() == [("UNMATCHED", 100)]
    assert await scenario.status(offramp) == "AWAITING_FUNDS"
    org_id, coins = world.org.org_id, world.container.external_coins
    (kept,) = await coins.kept(org_id)
    assert kept.source_address == checked_evm_address(stranger)
    await coins.assign(org_id, kept.id, UUID(offramp["id"]))
    with pytest.raises(ResourceConflict, match="is FINAL"):
        await coins.assign(org_id, kept.id, UUID(offramp["id"]))
    await scenario.finalize()
    assert await scenario.status(offramp) == "COMPLETED"
    await check_books(world.org)


async def test_a_deposit_is_settled_once_if_it_is_reported_again(
    scenario: ExternalScenario,
) -> None:
    offramp = await scenario.awaited()
    scenario.send(pay_address(offramp), 100)
    await scenario.finalize()
    database = scenario.world.container.database
    # As if the worker had been killed after the offramp had taken the coins.
    await database.rows("update treasury_deposits set status = 'FINAL'")
    await scenario.finalize()
    assert await scenario.deposits() == [("SETTLED", 100)]
    assert await scenario.outside() == 900
    await check_books(scenario.world.org)


async def test_racing_workers_settle_each_deposit_once(scenario: ExternalScenario) -> None:
    world, amounts = scenario.world, (50, 60, 70, 80)
    offramps = [await scenario.awaited(each) for each in amounts]
    # Twice each: the second one is returned.
    for each in (*amounts, *amounts):
        scenario.send(pay_address(offramps[0]), each)
    world.mine(FINAL_DEPTH)
    offsets = await world.container.orgs.clock_offsets()
    steps = world.container.chain_deposit_steps
    assert steps is not None
    while await steps.run_once(offsets):
        pass
    assert {status for status, _ in await scenario.deposits()} == {"FINAL"}
    worlds = [world, *[await restarted(world) for _ in range(3)]]
    await asyncio.gather(
        *[each.container.external_coins.run_once(offsets) for each in worlds for _ in range(2)]
    )
    for each in worlds[1:]:
        assert each.container.evm is not None
        await each.container.evm.close()
    await scenario.finalize()
    assert {status for status, _ in await scenario.deposits()} == {"SETTLED"}
    assert [await scenario.status(each) for each in offramps] == ["COMPLETED"] * len(amounts)
    assert await scenario.outside() == 1_000 - sum(amounts)
    await check_books(world.org)


async def test_coins_are_not_simulated_on_a_connected_chain(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    path = f"/v2/sandbox/offramps/{offramp['id']}/deposit"
    answer = await scenario.world.org.send("POST", path, {})
    assert answer.status_code == 409
    assert "POLYGON is connected" in answer.text
