"""Orders of all kinds on a local chain: batches, awkward tokens, and what they wait for."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainOrderState
from landbridge.providers.evm.outbox.model import OutboxState
from tests.chain_world import ChainWorld, chain_world
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    another_outbox,
    attempts_of,
    check_paid_once,
    free_lease,
    make_due,
    new_address,
    new_order,
    outbox_with,
    relayers,
    run,
    run_until,
    run_until_final,
    sent_order,
    set_token,
    status,
    stored,
)
from tests.tenants import make_user

pytestmark = pytest.mark.long

_LEGS = 50


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    """A chain that pays gas as the deployed configuration says."""
    async with chain_world(tmp_path, own_database) as world:
        yield world


@pytest.fixture
async def top_up_world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    """A chain on which wallets pay their own gas."""
    async with chain_world(tmp_path, own_database, sponsor=["top-up"]) as world:
        yield world


@pytest.mark.parametrize("currency", ["usdc", "usdt"])
@pytest.mark.parametrize("of_user", [True, False])
async def test_a_batch_is_paid_in_one_transaction(
    world: ChainWorld, currency: str, *, of_user: bool
) -> None:
    legs = {new_address(): COIN + place for place in range(_LEGS)}
    order = await sent_order(world, legs, currency=currency, of_user=of_user)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)
    assert len(await attempts_of(world, order)) == 1


@pytest.mark.parametrize("currency", ["usdc", "usdt"])
async def test_a_wallet_pays_the_gas_of_a_batch(top_up_world: ChainWorld, currency: str) -> None:
    world = top_up_world
    legs = {new_address(): COIN + place for place in range(_LEGS)}
    order = await sent_order(world, legs, currency=currency)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)
    kinds = [each.is_payment for each in await attempts_of(world, order)]
    assert kinds.count(True) == 1


@pytest.mark.parametrize("currency", ["usdc", "usdt"])
async def test_a_left_allowance_does_not_hold_up_a_batch(
    top_up_world: ChainWorld, currency: str
) -> None:
    """A paid batch leaves no allowance; what another program left is changed through zero."""
    world = top_up_world
    user = await make_user(world.org)
    first = await new_order(world, {new_address(): COIN, new_address(): COIN}, currency=currency,
                            user=user)  # fmt: skip
    await world.container.chains.send(first)
    await run_until(world, first, OutboxState.SIGNED, OutboxState.SENT)
    token = world.outbox.context.chain.tokens[currency].address
    world.rpc.call("anvil_impersonateAccount", first.source)
    world.rpc.call("anvil_setBalance", first.source, hex(10**18))
    batch = world.outbox.context.chain.batch_contract
    assert batch is not None
    data = f"0x095ea7b3{int(batch, 16):064x}{5:064x}"
    before = int(world.rpc.call("eth_getTransactionCount", first.source, "latest"), 16)
    world.rpc.call("eth_sendTransaction", {"from": first.source, "to": token, "data": data})
    world.mine()
    world.rpc.call("anvil_setNonce", first.source, hex(before))
    assert (await run_until_final(world, first)).state is OutboxState.FINAL
    await check_paid_once(world, first)


async def test_two_batches_of_one_wallet_do_not_share_an_allowance(
    top_up_world: ChainWorld,
) -> None:
    world = top_up_world
    user = await make_user(world.org)
    orders = [
        await new_order(
            world, {new_address(): units, new_address(): COIN}, currency="usdt", user=user
        )
        for units in (5 * COIN, COIN, 9 * COIN)
    ]
    for order in orders:
        await world.container.chains.send(order)
    for order in orders:
        assert (await run_until_final(world, order)).state is OutboxState.FINAL
        await check_paid_once(world, order)


async def test_a_transfer_to_a_blocked_recipient_is_refused_unpaid(world: ChainWorld) -> None:
    recipient = new_address()
    set_token(world, "setBlocked", recipient, True)  # noqa: FBT003  the contract's argument
    order = await sent_order(world, {recipient: COIN}, currency="usdt")
    assert (await run_until_final(world, order)).state is OutboxState.REJECTED
    found = await status(world, order)
    assert found.state is ChainOrderState.FAILED
    assert found.reason == "the token's contract refuses the transfer"
    assert await attempts_of(world, order) == []
    assert await world.balance("usdt", order.source) == COIN


async def test_a_blocked_recipient_refuses_the_whole_batch(world: ChainWorld) -> None:
    blocked, other = new_address(), new_address()
    set_token(world, "setBlocked", blocked, True)  # noqa: FBT003
    order = await sent_order(world, {other: COIN, blocked: COIN}, currency="usdt")
    assert (await run_until_final(world, order)).state is OutboxState.REJECTED
    assert await world.balance("usdt", other) == 0
    assert await world.balance("usdt", order.source) == 2 * COIN


async def test_an_empty_treasury_is_waited_for(world: ChainWorld) -> None:
    order = await new_order(world, {new_address(): COIN}, is_funded=False)
    await world.container.chains.send(order)
    await run(world)
    found = await stored(world, order)
    assert (found.state, found.reason) == (
        OutboxState.CREATED,
        "waits for coins at the paying address",
    )
    assert (await status(world, order)).state is ChainOrderState.PENDING
    await world.mint("usdc", order.source, COIN)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)


@pytest.mark.parametrize("currency", ["usdc", "usdt"])
async def test_orders_above_the_balance_wait_and_none_is_reverted(
    world: ChainWorld, currency: str
) -> None:
    orders = [
        await new_order(world, {new_address(): COIN}, currency=currency, is_funded=False)
        for _ in range(3)
    ]
    await world.mint(currency, orders[0].source, COIN + COIN // 2)
    for order in orders:
        await world.container.chains.send(order)
    for _ in range(8):
        await make_due(world)
        await run(world)
        world.mine()
    states = [(await stored(world, order)).state for order in orders]
    assert sorted(states) == [OutboxState.CREATED, OutboxState.CREATED, OutboxState.FINAL]
    await world.mint(currency, orders[0].source, 2 * COIN)
    for order in orders:
        assert (await run_until_final(world, order)).state is OutboxState.FINAL
        await check_paid_once(world, order)


async def test_a_relayer_below_its_floor_sends_nothing(world: ChainWorld) -> None:
    (relayer,) = await relayers(world)
    world.rpc.call("anvil_setBalance", relayer.address, hex(10**15))
    order = await sent_order(world, {new_address(): COIN})
    await run(world)
    found = await stored(world, order)
    assert found.state is OutboxState.CREATED
    assert found.reason == "waits for a relayer: none has native coins to send"
    world.rpc.call("anvil_setBalance", relayer.address, hex(10**20))
    assert (await run_until_final(world, order)).state is OutboxState.FINAL


async def test_fees_above_the_cap_are_waited_for(world: ChainWorld) -> None:
    order = await sent_order(world, {new_address(): COIN})
    capped = outbox_with(world, max_fee_cap_wei=10**9)
    await run(world, capped)
    assert (await stored(world, order)).state is OutboxState.CREATED
    await make_due(world)
    await run(world, capped)
    found = await stored(world, order)
    assert found.reason == "waits: the chain's fees are above the configured cap"
    assert await attempts_of(world, order) == []


async def test_a_second_payment_of_a_delegated_account(world: ChainWorld) -> None:
    user = await make_user(world.org)
    for _ in range(2):
        order = await new_order(world, {new_address(): COIN}, currency="usdt", user=user)
        await world.container.chains.send(order)
        assert (await run_until_final(world, order)).state is OutboxState.FINAL
        await check_paid_once(world, order)
    # EIP-3009 of an account that has code by now.
    order = await new_order(world, {new_address(): COIN}, user=user)
    await world.container.chains.send(order)
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)


async def test_two_first_payments_of_an_account_at_once(world: ChainWorld) -> None:
    user = await make_user(world.org)
    orders = [
        await new_order(world, {new_address(): COIN}, currency="usdt", user=user) for _ in range(2)
    ]
    for order in orders:
        await world.container.chains.send(order)
    for order in orders:
        assert (await run_until_final(world, order)).state is OutboxState.FINAL
        await check_paid_once(world, order)


async def test_a_wallet_with_other_code_is_refused(world: ChainWorld) -> None:
    order = await sent_order(world, {new_address(): COIN}, currency="usdt")
    world.rpc.call("anvil_setCode", order.source, "0x00")
    found = await run_until_final(world, order)
    assert found.state is OutboxState.REJECTED
    assert found.reason == "the paying address has the code of another contract"


async def test_two_relayers_share_the_orders(tmp_path: Path, own_database: Database) -> None:
    async with chain_world(tmp_path, own_database, relayers=2) as world:
        orders = [await sent_order(world, {new_address(): COIN}) for _ in range(4)]
        for order in orders:
            assert (await run_until_final(world, order)).state is OutboxState.FINAL
            await check_paid_once(world, order)
        accounts = [(await attempts_of(world, order))[0].account for order in orders]
        assert len(set(accounts)) == 2


async def test_a_paused_token_is_waited_for(world: ChainWorld) -> None:
    order = await sent_order(world, {new_address(): COIN}, currency="usdt")
    set_token(world, "setPaused", True)  # noqa: FBT003
    await run(world)
    assert (await stored(world, order)).state is OutboxState.CREATED
    set_token(world, "setPaused", False)  # noqa: FBT003
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    await check_paid_once(world, order)


async def test_an_order_that_cannot_be_planned_does_not_hold_up_others(world: ChainWorld) -> None:
    await run(world)
    broken = await sent_order(world, {new_address(): COIN}, currency="usdt")
    world.rpc.call("anvil_setCode", world.outbox.context.chain.tokens["usdt"].address, "0x")
    order = await sent_order(world, {new_address(): COIN})
    assert (await run_until_final(world, order)).state is OutboxState.FINAL
    assert (await stored(world, broken)).state is OutboxState.CREATED


async def test_batches_that_an_address_sends_itself_do_not_share_an_allowance(
    tmp_path: Path, own_database: Database
) -> None:
    async with chain_world(tmp_path, own_database, sponsor=["top-up"]) as world:
        user = await make_user(world.org)
        orders = [
            await new_order(
                world, {new_address(): COIN, new_address(): COIN}, currency="usdt", user=user
            )
            for _ in range(3)
        ]
        for order in orders:
            await world.container.chains.send(order)
        # Two workers plan all of them at once, as if the lease of one had ended meanwhile.
        workers = [another_outbox(world) for _ in range(2)]
        for _ in range(80):
            await make_due(world)
            await free_lease(world)
            await asyncio.gather(*(each.signing.run() for each in workers))
            await run(world)
            world.mine()
        for order in orders:
            assert (await stored(world, order)).state is OutboxState.FINAL
            await check_paid_once(world, order)
            attempts = await attempts_of(world, order)
            assert all(each.is_success for each in attempts), "a transaction was reverted"
            assert [each.is_payment for each in attempts].count(True) == 1
