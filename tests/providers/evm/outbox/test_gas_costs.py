"""Gas of real transactions: the ledger books what relayers and wallets have paid on the chain."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from landbridge.ledger.model import HouseRole
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.evm.outbox import attempt_store
from landbridge.providers.evm.outbox.model import OutboxState
from tests.chain_world import FINAL_DEPTH, NETWORK, ChainWorld, chain_world
from tests.payouts import check_books
from tests.providers.evm.gas.orders import native_units
from tests.providers.evm.outbox.chain_orders import new_address, sent_order, stored
from tests.tenants import TRANSFERS, make_transfer, make_user

pytestmark = pytest.mark.long

COIN = 10**6


@pytest.fixture(params=["eip3009", "eip7702", "top-up"])
async def world(
    request: pytest.FixtureRequest, tmp_path: Path, own_database: Database
) -> AsyncGenerator[ChainWorld]:
    """A chain that pays gas in one way only."""
    async with chain_world(tmp_path, own_database, sponsor=[request.param]) as world:
        yield world


async def funded_wallet(world: ChainWorld) -> tuple[str, str]:
    """Return a user with a hundred usdc in the wallet, and the wallet's address."""
    user = await make_user(world.org)
    wallet = await world.container.wallets.find(world.org.org_id, UUID(user), Chain.POLYGON)
    assert wallet is not None
    # The first run of the follower begins at the head of the chain.
    await follow(world)
    await world.mint("usdc", wallet.address, 100 * COIN)
    world.mine(FINAL_DEPTH)
    await follow(world)
    return user, wallet.address


async def follow(world: ChainWorld) -> None:
    """Credit the deposits in final blocks."""
    steps = world.container.chain_deposit_steps
    assert steps is not None
    while await steps.run_once(await world.container.orgs.clock_offsets()):
        pass


async def run_until_final(world: ChainWorld, transfer_id: str) -> None:
    """Run the worker's schedules and mine, until a transfer is completed and its order final."""
    container = world.container
    reached: object = None
    for _ in range(200):
        await container.scheduler.run_once(await container.orgs.clock_offsets())
        await world.outbox.run_once()
        world.mine()
        rows = await container.database.rows("select state from chain_orders")
        shown = (await world.org.get(f"{TRANSFERS}/{transfer_id}"))["transferDetails"]
        reached = shown["status"], {row["state"] for row in rows}
        if reached == ("COMPLETED", {"FINAL"}):
            return
        # The scheduler asks for an order's state again after a second.
        await asyncio.sleep(0.05)
    raise AssertionError(f"the transfer and its orders are {reached}")


async def native_coins(world: ChainWorld, *wallets: str) -> int:
    """Return the wei of all relayers, and of wallets that may have been topped up."""
    relayers = await world.container.database.single(
        lambda tx: attempt_store.relayers(tx, NETWORK.value)
    )
    addresses = [*(each.address for each in relayers), *wallets]
    return sum([await world.client.balance(each) for each in addresses])


async def test_gas_of_one_organisation_is_bounded(tmp_path: Path, own_database: Database) -> None:
    gwei = "0.000000001"
    async with chain_world(
        tmp_path, own_database, sponsor=["eip3009"], organisation_day=gwei
    ) as world:
        org, (user, _) = world.org, await funded_wallet(world)
        first = await make_transfer(org, user, await make_user(org), 10)
        await run_until_final(world, first["id"])
        await make_transfer(org, user, await make_user(org), 10)
        await world.container.scheduler.run_once(await world.container.orgs.clock_offsets())
        with capture_logs() as logs:
            await world.outbox.run_once()
        assert [each["org_id"] for each in logs if each["event"] == "chain.gas.used_up"] == [
            str(org.org_id)
        ]
        (waiting,) = await own_database.rows(
            "select reason from chain_orders where state = 'CREATED'"
        )
        assert "has used up the gas" in waiting["reason"]
        await own_database.rows(
            "update chain_attempts set created_at = created_at - interval '1 day'"
        )
        await own_database.rows("update chain_orders set due_at = created_at")
        await world.outbox.run_once()
        assert not await own_database.rows("select 1 from chain_orders where state = 'CREATED'")


async def test_a_delivery_waits_while_its_gas_is_out_of_proportion(
    tmp_path: Path, own_database: Database
) -> None:
    async with chain_world(
        tmp_path, own_database, sponsor=["eip3009"], gas_per_coin_max="0.01"
    ) as world:
        small, large = {new_address(): COIN // 1_000}, {new_address(): COIN}
        waiting = await sent_order(world, small, of_user=False)
        sent = [
            await sent_order(world, large, of_user=False),
            await sent_order(world, small, of_user=True),
        ]
        await world.outbox.run_once()
        assert "gas_per_coin_max" in ((await stored(world, waiting)).reason or "")
        assert {(await stored(world, each)).state for each in sent} == {OutboxState.SENT}


async def test_coins_for_the_gas_of_a_wallet_count_as_gas(
    tmp_path: Path, own_database: Database
) -> None:
    async with chain_world(tmp_path, own_database, sponsor=["top-up"]) as world:
        org_id = world.org.org_id
        user, _ = await funded_wallet(world)
        before = await native_coins(world)
        created = await make_transfer(world.org, user, await make_user(world.org), 10)
        await run_until_final(world, created["id"])
        paid = before - await native_coins(world)
        since = world.container.clock.now() - timedelta(days=1)
        counted = await own_database.read(
            lambda tx: attempt_store.gas_of(tx, {org_id}, NETWORK.value, since)
        )
        assert counted == {org_id: paid}


async def test_booked_gas_is_what_left_the_relayers(world: ChainWorld) -> None:
    assert world.container.evm is not None
    database, org = world.container.database, world.org
    user, wallet = await funded_wallet(world)
    before = await native_coins(world, wallet)
    created = await make_transfer(org, user, await make_user(org), 10)
    await run_until_final(world, created["id"])
    paid = before - await native_coins(world, wallet)
    assert paid > 0
    offsets = await world.container.orgs.clock_offsets()
    await world.container.evm.gas_costs.book(offsets)
    await world.container.evm.gas_costs.book(offsets)
    assert await native_units(database, org.org_id) == {
        (HouseRole.GAS, "pol:POLYGON"): -paid,
        (HouseRole.OUTSIDE, "pol:POLYGON"): paid,
    }
    await check_books(org)
    # The next transfer adds to it.
    again = await make_transfer(org, user, await make_user(org), 10)
    await run_until_final(world, again["id"])
    await world.container.evm.gas_costs.book(offsets)
    total = before - await native_coins(world, wallet)
    gas = await native_units(database, org.org_id)
    assert gas[HouseRole.GAS, "pol:POLYGON"] == -total < -paid
    await check_books(org)
