"""Deposits on Solana: credited once they are finalized, and once."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.providers.solana.solana_orders import new_address
from tests.providers.solana.solana_payments import (
    balance_of,
    carried_out,
    deposits_of,
    new_user,
    transfer_to_address,
)
from tests.solana_world import COIN, SolanaWorld, solana_world
from tests.tenants import TRANSFERS, transfer_body


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database) as world:
        yield world


async def another_container(world: SolanaWorld) -> Container:
    database = world.container.database
    return wire(world.settings, database, Clock(await take_node(database)))


async def test_a_deposit_is_credited_once_it_is_finalized(world: SolanaWorld) -> None:
    user, address = await new_user(world)
    sender = world.outsider(10 * COIN)
    signature = world.pay(sender, {address: 3 * COIN})
    await world.follow()
    assert await balance_of(world, user) == "0"
    world.chain.finalize()
    await world.follow()
    assert await balance_of(world, user) == "3"
    (deposit,) = await deposits_of(world, user)
    transaction = deposit["transaction"]
    assert transaction["status"] == "COMPLETED"
    assert transaction["transactionHash"] == signature
    assert transaction["sourceAddress"] == str(sender.pubkey())


async def test_what_a_fork_takes_away_is_never_credited(world: SolanaWorld) -> None:
    user, address = await new_user(world)
    signature = world.pay(world.outsider(COIN), {address: COIN})
    await world.follow()
    world.chain.fork_away(signature)
    world.chain.finalize()
    await world.follow()
    assert (await balance_of(world, user), await deposits_of(world, user)) == ("0", [])


async def test_one_transaction_may_pay_several_users_and_tokens_of_both_programs(
    world: SolanaWorld,
) -> None:
    (ada, at_ada), (bob, at_bob) = await new_user(world), await new_user(world)
    world.pay(world.outsider(10 * COIN), {at_ada: COIN, at_bob: 2 * COIN})
    world.pay(world.outsider(COIN, "usdg"), {at_ada: COIN}, "usdg")
    world.chain.finalize()
    await world.follow()
    assert [await balance_of(world, each) for each in (ada, bob)] == ["1", "2"]
    assert await balance_of(world, ada, "usdg") == "1"


async def test_deposits_are_credited_once_over_restarts_and_by_two_workers(
    world: SolanaWorld,
) -> None:
    user, address = await new_user(world)
    other = await another_container(world)
    assert other.chain_deposit_steps is not None
    assert world.container.chain_deposit_steps is not None
    offsets = {each.id: timedelta() for each in await world.container.orgs.all()}
    sender = world.outsider(100 * COIN)
    for paid in range(1, 6):
        world.pay(sender, {address: COIN})
        world.chain.finalize()
        for _ in range(3):
            # The lease of a worker that was killed has run out.
            await world.container.database.single(
                lambda tx: tx.execute("update chain_cursors set leased_to = null")
            )
            await asyncio.gather(
                world.container.chain_deposit_steps.run_once(offsets),
                other.chain_deposit_steps.run_once(offsets),
            )
        assert await balance_of(world, user) == str(paid)
    assert len(await deposits_of(world, user)) == 5
    assert other.evm is not None
    await other.evm.close()


async def test_a_lost_reading_credits_nothing_again(world: SolanaWorld) -> None:
    user, address = await new_user(world)
    world.pay(world.outsider(COIN), {address: COIN})
    world.chain.finalize()
    await world.follow()
    # A restored backup: everything is read again from the start.
    await world.container.database.single(
        lambda tx: tx.execute("delete from solana_token_accounts")
    )
    world.chain.finalize()
    await world.follow()
    assert await balance_of(world, user) == "1"
    assert len(await deposits_of(world, user)) == 1


async def test_a_node_that_leaves_out_a_transaction_is_not_believed(world: SolanaWorld) -> None:
    user, address = await new_user(world)
    sender = world.outsider(10 * COIN)
    world.pay(sender, {address: COIN})
    world.chain.finalize()
    await world.follow()
    hidden = world.pay(sender, {address: 2 * COIN})
    world.pay(sender, {address: 4 * COIN})
    world.chain.finalize()
    world.node.hidden.add(hidden)
    await world.follow()
    assert await balance_of(world, user) == "1"
    world.node.hidden.clear()
    await world.follow()
    assert await balance_of(world, user) == "7"


async def test_a_node_some_slots_behind_only_delays_a_deposit(world: SolanaWorld) -> None:
    user, address = await new_user(world)
    world.pay(world.outsider(COIN), {address: COIN})
    world.chain.finalize()
    world.node.lag_slots = 1
    await world.follow()
    assert await balance_of(world, user) == "0"
    world.node.lag_slots = 0
    await world.follow()
    assert await balance_of(world, user) == "1"


async def test_what_came_and_went_between_two_readings_is_found_later(world: SolanaWorld) -> None:
    user, address = await new_user(world)
    sender = world.outsider(10 * COIN)
    world.pay(sender, {address: COIN})
    world.chain.finalize()
    await world.follow()
    payee = new_address()
    transfer = await transfer_to_address(world, user, payee, "1")
    assert (await carried_out(world, transfer))["status"] == "COMPLETED"
    # As many coins arrive as have left.
    world.pay(sender, {address: COIN})
    world.chain.finalize()
    await world.follow()
    assert await balance_of(world, user) == "0"
    world.chain.mine(2_000)
    await world.follow()
    assert (await balance_of(world, user), world.units(payee)) == ("1", COIN)


async def test_transfers_between_users_and_unknown_tokens_are_no_deposits(
    world: SolanaWorld,
) -> None:
    (ada, at_ada), (bob, at_bob) = await new_user(world), await new_user(world)
    world.pay(world.outsider(5 * COIN), {at_ada: 5 * COIN})
    world.chain.finalize()
    await world.follow()
    body = transfer_body(ada, bob, "2", chain="SOLANA")
    created = await world.org.post(TRANSFERS, body)
    assert (await carried_out(world, created["transferDetails"]["id"]))["status"] == "COMPLETED"
    world.chain.finalize()
    await world.follow()
    assert [await balance_of(world, each) for each in (ada, bob)] == ["3", "2"]
    rows = await world.container.database.rows("select user_id from chain_deposits")
    assert [str(row["user_id"]) for row in rows] == [ada]
    assert [world.units(each) for each in (at_ada, at_bob)] == [3 * COIN, 2 * COIN]


async def test_coins_from_before_the_first_start_are_no_deposit(
    tmp_path: Path, own_database: Database
) -> None:
    async with solana_world(tmp_path, own_database) as world:
        user, address = await new_user(world)
        sender = world.outsider(10 * COIN)
        world.pay(sender, {address: COIN})
        world.chain.finalize()
        await world.container.database.single(lambda tx: tx.execute("delete from chain_cursors"))
        await world.follow()
        world.pay(sender, {address: 2 * COIN})
        world.chain.finalize()
        await world.follow()
        assert await balance_of(world, user) == "2"
