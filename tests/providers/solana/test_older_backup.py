"""A restored older backup on Solana: what the chain has paid since is never paid again."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.port import ChainOrder
from landbridge.providers.evm.outbox.model import OutboxState
from tests.providers.solana.solana_orders import (
    make_due,
    new_address,
    new_order,
    run,
    run_until_final,
    sent_order,
    stored,
)
from tests.providers.solana.solana_payments import new_user
from tests.solana_world import COIN, SolanaWorld, solana_world

STOPPED = "waits: its sending address is stopped until an operator resumes it"
UNREAD = "waits until the transactions of the paying address are read"
SENT_BEFORE = "the chain has transactions of this address that are not in the database"


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database) as world:
        yield world


async def test_a_payment_that_the_database_has_lost_is_not_paid_again(world: SolanaWorld) -> None:
    user, source = await new_user(world, coins=10)
    payee = new_address()
    order = await new_order(world, {payee: COIN}, user=user, is_funded=False)
    await world.container.chains.send(order)
    await run_until_final(world, order)
    world.chain.finalize()
    await restore_older(world, order)
    # The client sends the same request again: an order with the same key.
    await world.container.chains.send(order)
    await run_worker(world)
    found = await stored(world, order)
    assert (found.state, found.reason) == (OutboxState.CREATED, UNREAD)
    await world.follow()
    await run_worker(world)
    found = await stored(world, order)
    assert (found.state, found.reason) == (OutboxState.CREATED, STOPPED)
    assert (world.units(payee), await stopped(world)) == (COIN, {source: SENT_BEFORE})


async def test_a_lost_payment_counts_before_it_is_final(world: SolanaWorld) -> None:
    user, _ = await new_user(world, coins=10)
    payee = new_address()
    order = await new_order(world, {payee: COIN}, user=user, is_funded=False)
    await world.container.chains.send(order)
    await run(world)
    assert world.units(payee) == COIN
    await restore_older(world, order)
    await world.container.chains.send(order)
    await run_worker(world)
    assert (await stored(world, order)).reason == UNREAD
    assert world.units(payee) == COIN


async def test_a_resumed_address_sends_again(world: SolanaWorld) -> None:
    user, source = await new_user(world, coins=10)
    world.steal(source, COIN)
    world.chain.finalize()
    await world.follow()
    payee = new_address()
    order = await new_order(world, {payee: COIN}, user=user, is_funded=False)
    await world.container.chains.send(order)
    await run_worker(world)
    assert (await stored(world, order)).reason == STOPPED
    operations = world.container.chain_operations
    assert operations is not None
    await operations.resume_for(world.org.caller, "SOLANA", source)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    world.chain.finalize()
    await world.follow()
    assert await stopped(world) == {}
    with pytest.raises(ResourceConflict):
        await operations.resume_for(world.org.caller, "SOLANA", source)


async def test_own_payments_and_deposits_stop_nothing(world: SolanaWorld) -> None:
    orders = [await sent_order(world, {new_address(): COIN}) for _ in range(2)]
    for order in orders:
        # Not read by the follower when the second order of this address is signed.
        world.pay(world.outsider(COIN), {order.source: COIN})
        await run_until_final(world, order)
    world.chain.finalize()
    await world.follow()
    assert await stopped(world) == {}


async def test_unread_transactions_of_others_delay_a_payment_by_some_runs(
    world: SolanaWorld,
) -> None:
    user, source = await new_user(world, coins=10)
    sender = world.outsider(COIN)
    for units in range(1, 61):
        world.pay(sender, {source: units})
    order = await new_order(world, {new_address(): COIN}, user=user, is_funded=False)
    await world.container.chains.send(order)
    await run_worker(world)
    assert (await stored(world, order)).reason == UNREAD
    # The follower reads nothing meanwhile.
    assert (await run_until_final(world, order)).state is OutboxState.FINAL


async def test_nothing_is_signed_while_a_node_does_not_list_transactions(
    world: SolanaWorld,
) -> None:
    user, _ = await new_user(world, coins=10)
    order = await new_order(world, {new_address(): COIN}, user=user, is_funded=False)
    await world.container.chains.send(order)
    world.node.lag_slots = 1
    await run_worker(world)
    assert (await stored(world, order)).reason == "waits for the chain's nodes"
    world.node.lag_slots = 0
    assert (await run_until_final(world, order)).state is OutboxState.FINAL


async def run_worker(world: SolanaWorld) -> None:
    await make_due(world)
    await run(world)


async def restore_older(world: SolanaWorld, order: ChainOrder) -> None:
    """Forget an order and what was signed for it, as an older backup does."""

    async def forget(tx: Tx) -> None:
        for table in ("solana_attempts", "chain_orders"):
            await tx.execute(
                f"delete from {table} where org_id = $1 and key = $2",  # noqa: S608  a fixed name
                order.org_id,
                order.key,
            )

    await world.container.database.transact(forget)


async def stopped(world: SolanaWorld) -> dict[str, str]:
    rows = await world.container.database.rows(
        "select address, stopped_reason from chain_accounts where stopped_at is not null"
    )
    return {row["address"]: row["stopped_reason"] for row in rows}
