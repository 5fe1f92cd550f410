"""Coins from outside wallets that a deep reorganisation takes back after they were final."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from prometheus_client import REGISTRY

from landbridge.customers.chain_deposits import treasury_store
from landbridge.customers.chain_deposits.commands import recover, write_off
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.customers.chain_deposits.chain_world import PAYS_ONE_UNIT, correct_all
from tests.house_accounts import house_balance
from tests.payments.offramps.external_scenario import (
    COIN,
    ExternalScenario,
    external_scenario,
    pay_address,
)
from tests.payouts import check_books
from tests.providers.evm.outbox.chain_orders import restarted

pytestmark = pytest.mark.long

USDC = TOKENS[Chain.POLYGON, "usdc"].asset
KIND = "TREASURY.DEPOSIT.REVERSAL"


@pytest.fixture
async def scenario(own_database: Database, tmp_path: Path) -> AsyncGenerator[ExternalScenario]:
    async with external_scenario(own_database, tmp_path) as made:
        yield made


def raw_of(scenario: ExternalScenario, transaction: str) -> str:
    return str(scenario.world.rpc.call("eth_getRawTransactionByHash", transaction))


async def lose(scenario: ExternalScenario, transaction: str) -> None:
    """Take back the block of a transaction, and all later ones."""
    rpc = scenario.world.rpc
    receipt: Any = rpc.call("eth_getTransactionReceipt", transaction)
    height = int(rpc.call("eth_blockNumber"), 16)
    scenario.world.reorganise(height - int(receipt["blockNumber"], 16) + 1)
    await scenario.work()


async def send_again(scenario: ExternalScenario, raw: str) -> None:
    scenario.world.rpc.call("eth_sendRawTransaction", raw)
    scenario.world.mine()
    await scenario.finalize()


async def owed(scenario: ExternalScenario, role: HouseRole = HouseRole.RECEIVABLE) -> int:
    """Return the coins that are owed to the organisation, or that it has lost."""
    org = scenario.world.org
    found = await house_balance(org.container.database, org.org_id, role, USDC)
    return -found.units // COIN


async def reversals(scenario: ExternalScenario) -> list[tuple[UUID, str]]:
    rows = await scenario.world.container.database.rows(
        "select id, status from transfers where org_id = $1 and kind = $2 order by created_at",
        scenario.world.org.org_id,
        KIND,
    )
    return [(row["id"], row["status"]) for row in rows]


async def is_frozen(scenario: ExternalScenario) -> bool:
    org = scenario.world.org
    state = await scenario.world.container.users.freeze_of(org.org_id, UUID(scenario.ada))
    return state.user.is_frozen


async def stuck_kinds(scenario: ExternalScenario) -> list[str]:
    container = scenario.world.container
    found = await container.timelines.stuck(await container.orgs.clock_offsets(), limit=10)
    return [each.kind for each in found]


async def paid(scenario: ExternalScenario) -> tuple[dict[str, Any], str]:
    """Return a completed offramp, and the transaction that has paid it."""
    offramp = await scenario.awaited()
    transaction = scenario.send(pay_address(offramp), 100)
    await scenario.finalize()
    assert await scenario.deposits() == [("SETTLED", 100)]
    return offramp, transaction


async def test_lost_coins_of_a_payment_are_owed_by_its_user(scenario: ExternalScenario) -> None:
    labels = {"chain": "POLYGON"}
    metric = "landbridge_chain_reversed_treasury_deposits_total"
    before = REGISTRY.get_sample_value(metric, labels) or 0
    offramp, transaction = await paid(scenario)
    await lose(scenario, transaction)
    # They may return.
    assert await scenario.deposits() == [("SETTLED", 100)]
    assert REGISTRY.get_sample_value("landbridge_chain_lost_treasury_deposits", labels) == 1
    assert await owed(scenario) == 0
    await scenario.finalize()
    assert await scenario.deposits() == [("REVERSED", 100)]
    assert [status for _, status in await reversals(scenario)] == ["OPEN"]
    assert await owed(scenario) == 100
    assert await is_frozen(scenario)
    assert await stuck_kinds(scenario) == [KIND]
    assert REGISTRY.get_sample_value(metric, labels) == before + 1
    assert REGISTRY.get_sample_value("landbridge_chain_lost_treasury_deposits", labels) == 0
    # The payment itself is never changed.
    assert await scenario.status(offramp) == "COMPLETED"
    await check_books(scenario.world.org)


async def test_lost_coins_that_a_correction_gave_back_are_not_owed(
    scenario: ExternalScenario,
) -> None:
    offramp, transaction = await paid(scenario)
    await correct_all(scenario.world.org, UUID(offramp["id"]))
    await lose(scenario, transaction)
    await scenario.finalize()
    assert await scenario.deposits() == [("REVERSED", 100)]
    assert await reversals(scenario) == []
    assert await owed(scenario) == 0
    await check_books(scenario.world.org)


async def test_the_organisation_bears_the_loss_once(scenario: ExternalScenario) -> None:
    _, transaction = await paid(scenario)
    await lose(scenario, transaction)
    await scenario.finalize()
    container, org = scenario.world.container, scenario.world.org
    ((reversal, _),) = await reversals(scenario)
    at = container.clock.stamp((await container.orgs.clock_offsets())[org.org_id])
    loss = await write_off(container.ledger, org.org_id, reversal, actor="cli", at=at)
    assert loss.units == 100 * COIN
    with pytest.raises(ResourceConflict, match="is WRITTEN_OFF"):
        await write_off(container.ledger, org.org_id, reversal, actor="cli", at=at)
    assert await owed(scenario) == 0
    assert await owed(scenario, HouseRole.WRITE_OFFS) == 100
    assert await stuck_kinds(scenario) == []
    await check_books(org)


async def test_a_user_pays_lost_coins_in_others(scenario: ExternalScenario) -> None:
    _, transaction = await paid(scenario)
    await lose(scenario, transaction)
    await scenario.finalize()
    container, org = scenario.world.container, scenario.world.org
    ((reversal, _),) = await reversals(scenario)
    at = container.clock.stamp((await container.orgs.clock_offsets())[org.org_id])
    received = await recover(container.ledger, org.org_id, reversal, actor="cli", at=at)
    assert received.units == 100 * COIN
    for close in (recover, write_off):
        with pytest.raises(ResourceConflict, match="is RECOVERED"):
            await close(container.ledger, org.org_id, reversal, actor="cli", at=at)
    assert await owed(scenario) == await owed(scenario, HouseRole.WRITE_OFFS) == 0
    assert await stuck_kinds(scenario) == []
    await check_books(org)


async def test_coins_that_return_in_time_are_not_taken_back(scenario: ExternalScenario) -> None:
    offramp, transaction = await paid(scenario)
    raw = raw_of(scenario, transaction)
    await lose(scenario, transaction)
    await send_again(scenario, raw)
    await scenario.finalize()
    assert await scenario.deposits() == [("SETTLED", 100)]
    assert await reversals(scenario) == []
    assert await scenario.status(offramp) == "COMPLETED"
    assert not await is_frozen(scenario)
    await check_books(scenario.world.org)


async def test_coins_that_return_late_are_recovered_and_may_be_lost_again(
    scenario: ExternalScenario,
) -> None:
    _, transaction = await paid(scenario)
    raw = raw_of(scenario, transaction)
    await lose(scenario, transaction)
    await scenario.finalize()
    await send_again(scenario, raw)
    assert await scenario.deposits() == [("SETTLED", 100)]
    assert [status for _, status in await reversals(scenario)] == ["RECOVERED"]
    assert await owed(scenario) == 0
    await check_books(scenario.world.org)
    await lose(scenario, transaction)
    await scenario.finalize()
    assert [status for _, status in await reversals(scenario)] == ["RECOVERED", "OPEN"]
    assert await owed(scenario) == 100
    await check_books(scenario.world.org)


@pytest.mark.parametrize("is_late", [False, True])
async def test_coins_that_return_with_another_amount_stay_owed(
    scenario: ExternalScenario, *, is_late: bool
) -> None:
    _, transaction = await paid(scenario)
    raw = raw_of(scenario, transaction)
    await lose(scenario, transaction)
    if is_late:
        await scenario.finalize()
    token = scenario.world.outbox.context.chain.tokens["usdc"]
    scenario.world.rpc.call("anvil_setCode", token.address, PAYS_ONE_UNIT)
    await send_again(scenario, raw)
    await scenario.finalize()
    await scenario.finalize()
    assert await scenario.deposits() == [("REVERSED", 100)]
    assert [status for _, status in await reversals(scenario)] == ["OPEN"]
    assert await owed(scenario) == 100
    assert await is_frozen(scenario)
    await check_books(scenario.world.org)


async def test_coins_that_return_and_are_lost_before_they_are_final_stay_owed(
    scenario: ExternalScenario,
) -> None:
    _, transaction = await paid(scenario)
    raw = raw_of(scenario, transaction)
    await lose(scenario, transaction)
    await scenario.finalize()
    scenario.world.rpc.call("eth_sendRawTransaction", raw)
    await scenario.work(blocks=1, ticks=2)
    assert await scenario.deposits() == [("CONFIRMED", 100)]
    await lose(scenario, transaction)
    await scenario.finalize()
    assert await scenario.deposits() == [("REVERSED", 100)]
    assert [status for _, status in await reversals(scenario)] == ["OPEN"]
    assert await owed(scenario) == 100


async def test_lost_coins_that_were_sent_back_are_owed_as_well(
    scenario: ExternalScenario,
) -> None:
    offramp, _ = await paid(scenario)
    second = scenario.send(pay_address(offramp), 30)
    await scenario.finalize()
    assert await scenario.deposits() == [("SETTLED", 100), ("SETTLED", 30)]
    await lose(scenario, second)
    await scenario.finalize()
    assert await scenario.deposits() == [("SETTLED", 100), ("REVERSED", 30)]
    assert await owed(scenario) == 30
    await check_books(scenario.world.org)


async def test_lost_coins_of_nobody_are_forgotten_until_they_return(
    scenario: ExternalScenario,
) -> None:
    world = scenario.world
    stranger = world.rpc.accounts()[4]
    await world.mint("usdc", stranger, 100 * COIN)
    offramp = await scenario.awaited()
    transaction = scenario.send(pay_address(offramp), 100, sender=stranger)
    await scenario.finalize()
    raw = raw_of(scenario, transaction)
    await lose(scenario, transaction)
    assert await world.container.external_coins.kept(world.org.org_id) == []
    await scenario.finalize()
    assert await scenario.deposits() == [("REVERSED", 100)]
    assert await reversals(scenario) == []
    assert not await is_frozen(scenario)
    await send_again(scenario, raw)
    assert await scenario.deposits() == [("UNMATCHED", 100)]


async def test_racing_workers_take_back_once(scenario: ExternalScenario) -> None:
    world = scenario.world
    _, transaction = await paid(scenario)
    await lose(scenario, transaction)
    database = world.container.database
    await database.rows("update treasury_deposits set status = 'LOST', is_lost = false")
    offsets = await world.container.orgs.clock_offsets()
    worlds = [world, *[await restarted(world) for _ in range(3)]]
    await asyncio.gather(
        *[each.container.external_coins.run_once(offsets) for each in worlds for _ in range(2)]
    )
    for each in worlds[1:]:
        assert each.container.evm is not None
        await each.container.evm.close()
    assert [status for _, status in await reversals(scenario)] == ["OPEN"]
    assert await owed(scenario) == 100


async def test_coins_that_a_slow_worker_books_after_they_were_given_up_are_taken_back(
    scenario: ExternalScenario,
) -> None:
    offramp, transaction = await paid(scenario)
    world = scenario.world
    await lose(scenario, transaction)
    # As if they had been given up before the payment took them.
    database = world.container.database
    await database.rows("update treasury_deposits set status = 'REVERSED', is_lost = false")
    (row,) = await database.rows("select id from treasury_deposits")
    deposit = await database.single(lambda tx: treasury_store.lock(tx, world.org.org_id, row["id"]))
    assert deposit is not None
    await world.container.external_coins.deposits.settle(deposit, UUID(offramp["id"]))
    await scenario.finalize()
    assert await scenario.deposits() == [("REVERSED", 100)]
    assert await owed(scenario) == 100
