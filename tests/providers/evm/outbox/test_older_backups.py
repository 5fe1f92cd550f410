"""Payments that wallets send themselves, after a restore of a backup that is older than them."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainOrder
from landbridge.providers.evm.outbox import attempt_store
from landbridge.providers.evm.outbox.model import OutboxState, SendingAccount
from landbridge.providers.evm.outbox.order_closing import OrderClosing
from tests.chain_world import FINAL_DEPTH, NETWORK, ChainWorld, chain_world
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    make_due,
    make_resent,
    new_address,
    new_order,
    resume,
    run,
    run_until_final,
    stored,
)
from tests.tenants import make_user

pytestmark = pytest.mark.long

_TABLES = ("chain_orders", "chain_accounts", "chain_attempts")


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    """A chain where wallets send their own transactions: no key of an order is on it."""
    async with chain_world(tmp_path, own_database, sponsor=["top-up"]) as world:
        yield world


async def back_up(database: Database) -> None:
    for each in _TABLES:
        await database.rows(f"create table backup_{each} as table {each}")


async def restore(database: Database) -> None:
    for each in reversed(_TABLES):
        await database.rows(f"delete from {each}")  # noqa: S608  a name of this test
    for each in _TABLES:
        await database.rows(f"insert into {each} table backup_{each}")


async def pay_and_restore(world: ChainWorld, *, before: int) -> tuple[ChainOrder, str]:
    """Pay an order and restore the backup from before; the wallet has sent `before` others."""
    database, recipient, user = (
        world.outbox.context.database,
        new_address(),
        await make_user(world.org),
    )
    for _ in range(before):
        earlier = await new_order(world, {new_address(): COIN}, user=user)
        await world.container.chains.send(earlier)
        assert (await run_until_final(world, earlier)).state is OutboxState.FINAL
    order = await new_order(world, {recipient: COIN}, user=user)
    await world.mint("usdc", order.source, COIN)
    await world.container.chains.send(order)
    await back_up(database)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await restore(database)
    return order, recipient


async def work(world: ChainWorld) -> None:
    for _ in range(FINAL_DEPTH + 3):
        await make_due(world)
        await make_resent(world)
        await run(world)
        world.mine()


async def stopped(world: ChainWorld) -> dict[str, str]:
    """Return why accounts are stopped, by address."""
    rows = await world.outbox.context.database.rows(
        "select address, stopped_reason from chain_accounts where stopped_at is not null"
    )
    return {row["address"]: row["stopped_reason"] for row in rows}


@pytest.mark.parametrize("before", [0, 1])
async def test_a_wallet_with_payments_that_the_backup_lacks_pays_nothing_twice(
    world: ChainWorld, before: int
) -> None:
    order, recipient = await pay_and_restore(world, before=before)
    await work(world)
    assert await world.balance("usdc", recipient) == COIN
    assert list(await stopped(world)) == [order.source]
    # People have compared it with the chain, and close it.
    closing = OrderClosing({order.chain: world.outbox})
    found = await closing.find_open(order.org_id, order.record_id, is_paid=True)
    at = world.outbox.context.clock.now()
    await world.outbox.context.database.transact(
        lambda tx: closing.close_in(tx, found, is_paid=True, transaction_hash=None, at=at)
    )
    (account,) = [each for each in await accounts(world) if each.address == order.source]
    await resume(world, account)
    await work(world)
    assert await world.balance("usdc", recipient) == COIN
    assert (await stored(world, order)).state is OutboxState.FINAL


async def test_a_wallet_that_the_backup_does_not_know_goes_on_once_it_is_resumed(
    world: ChainWorld,
) -> None:
    order, _ = await pay_and_restore(world, before=0)
    await work(world)
    # Meanwhile it is not planned in each run: thousands of them would hold up the others.
    waiting = await stored(world, order)
    assert waiting.due_at > world.outbox.context.clock.now()
    assert waiting.reason == "waits: its sending address is stopped until an operator resumes it"
    assert not await world.outbox.run_once()
    (account,) = [each for each in await accounts(world) if each.address == order.source]
    await resume(world, account)
    assert (await stored(world, order)).due_at <= world.outbox.context.clock.now()
    assert (await run_until_final(world, order)).state is OutboxState.FINAL


async def test_an_order_whose_key_has_paid_something_else_waits_for_a_person(
    tmp_path: Path, own_database: Database
) -> None:
    """A request that is repeated has the key of the lost payment, and may be quoted anew."""
    async with chain_world(tmp_path, own_database) as world:
        user, paid, unpaid = await make_user(world.org), new_address(), new_address()
        await back_up(own_database)
        lost = await new_order(world, {paid: COIN}, user=user)
        await world.container.chains.send(lost)
        assert (await run_until_final(world, lost)).state is OutboxState.FINAL
        await restore(own_database)
        other = replace(await new_order(world, {unpaid: 3 * COIN}, user=user), key=lost.key)
        await world.container.chains.send(other)
        await work(world)
        waiting = await stored(world, other)
        assert waiting.state is OutboxState.CREATED
        assert str(waiting.reason).startswith("waits for a person")
        await restore(own_database)
        await world.container.chains.send(lost)
        again = await run_until_final(world, lost)
        assert (again.state, again.step) == (OutboxState.FINAL, 0)
        assert await world.balance("usdc", paid) == COIN
        assert await world.balance("usdc", unpaid) == 0


async def accounts(world: ChainWorld) -> list[SendingAccount]:
    """Return the accounts as they are stored."""
    database = world.outbox.context.database
    rows = await database.rows("select address from chain_accounts")
    addresses = [row["address"] for row in rows]
    found = await database.transact(
        lambda tx: attempt_store.lock_accounts(tx, NETWORK.value, addresses)
    )
    return list(found.values())
