"""Accidents of market swaps: reorganisations, dropped transactions, and others who submit."""

from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.evm.outbox.model import OutboxState
from landbridge.providers.evm.signing.model import UnsignedTransaction
from tests.chain_world import FINAL_DEPTH
from tests.market_world import COIN, MarketWorld, market_world
from tests.payouts import check_books
from tests.providers.evm.outbox.chain_orders import attempts_of_key
from tests.tenants import held

pytestmark = pytest.mark.long

SMALL = 500_000 * COIN


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[MarketWorld]:
    async with market_world(tmp_path, own_database) as world:
        yield world


async def reach(world: MarketWorld, swap_id: str, state: OutboxState, *, mines: bool) -> None:
    """Work until the order of a swap has a state."""
    for _ in range(20):
        order = await world.order(swap_id)
        if order is not None and order.state is state:
            return
        await world.work(mines=mines)
    raise AssertionError(f"the order does not become {state}")


async def test_the_block_that_stays_decides_what_is_booked(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    await reach(world, swap_id, OutboxState.MINED, mines=True)
    order = await world.order(swap_id)
    assert order is not None
    mined = world.chain.rpc.call("eth_getTransactionReceipt", order.transaction_hash)
    before = await world.chain.balance("usdt", await world.address(user))
    # Confirmed, and not reported, because another block may give another amount.
    world.chain.mine()
    await world.work(mines=False)
    order = await world.order(swap_id)
    assert order is not None
    assert (order.state, order.confirmed_at) == (OutboxState.MINED, None)
    head = int(world.chain.rpc.call("eth_blockNumber"), 16)
    world.chain.reorganise(head - int(mined["blockNumber"], 16) + 1)
    world.trade("usdt", "usdc", SMALL)
    swap = await world.run_until(swap_id, "COMPLETED")
    assert swap.received is not None
    assert swap.received.units > before
    wallet = await world.address(user)
    assert await world.chain.balance("usdt", wallet) == swap.received.units
    assert await held(world.chain.org, user, "usdt") == str(swap.received)
    await check_books(world.chain.org)


async def test_a_swap_below_the_final_block_is_made_again(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    swap = await world.run_until(swap_id, "COMPLETED")
    assert swap.received is not None
    order, rpc = await world.order(swap_id), world.chain.rpc
    assert order is not None
    receipt = rpc.call("eth_getTransactionReceipt", order.transaction_hash)
    head = int(rpc.call("eth_blockNumber"), 16)
    world.chain.reorganise(head - int(receipt["blockNumber"], 16) + 1)
    wallet = await world.address(user)
    assert await world.chain.balance("usdt", wallet) == 0
    world.chain.mine()
    await reach(world, swap_id, OutboxState.SENT, mines=False)
    assert (await world.swap(swap_id)).status == "COMPLETED"
    # Its deadline passes: another one is signed, for what was booked at least.
    rpc.call("evm_increaseTime", 1000)
    world.chain.mine(FINAL_DEPTH)
    await reach(world, swap_id, OutboxState.FINAL, mines=True)
    assert await world.chain.balance("usdt", wallet) == swap.received.units
    again = await world.order(swap_id)
    assert again is not None
    assert (again.step, again.received_units) == (1, swap.received.units)
    await check_books(world.chain.org)


async def test_what_another_party_submits_is_booked_once(world: MarketWorld) -> None:
    user = await world.user()
    # The first swap leaves the delegation behind.
    first = await world.run_until(await world.accepted(user, "1"), "COMPLETED")
    assert first.received is not None
    swap_id = await world.accepted(user, "2")
    await reach(world, swap_id, OutboxState.SENT, mines=False)
    order, rpc = await world.order(swap_id), world.chain.rpc
    assert order is not None
    (attempt,) = await attempts_of_key(world.chain, order.order_key)
    rpc.call("anvil_dropTransaction", attempt.hash)
    calls = msgspec.json.decode(attempt.request, type=UnsignedTransaction)
    request = {"from": rpc.accounts()[1], "to": order.source, "data": f"0x{calls.data.hex()}"}
    foreign = rpc.call("eth_sendTransaction", {**request, "gas": hex(2_000_000)})
    world.chain.mine()
    assert rpc.call("eth_getTransactionReceipt", foreign)["status"] == "0x1"
    swap = await world.run_until(swap_id, "COMPLETED")
    assert swap.received is not None
    assert swap.record.facts["transaction_hash"] == foreign
    total = first.received + swap.received
    assert await world.chain.balance("usdt", await world.address(user)) == total.units
    await world.follow()
    assert await held(world.chain.org, user, "usdt") == str(total)
    await check_books(world.chain.org)


async def test_a_swap_of_another_party_is_a_deposit(world: MarketWorld) -> None:
    user, rpc = await world.user(), world.chain.rpc
    wallet, tokens = await world.address(user), (world.token("usdc"), world.token("usdt"))
    world.send(tokens[0], "approve(address,uint256)", world.market.router, COIN)
    signature = "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))"
    world.send(world.market.router, signature, *tokens, 100, wallet, COIN, 0, 0)
    await world.follow()
    assert await held(world.chain.org, user, "usdt") == "0.999899"
    deposits = await world.chain.org.get(
        f"/v2/users/{user}/wallets/deposits?chain=POLYGON&currency=usdt"
    )
    assert str(rpc.accounts()[0]).lower() in str(deposits).lower()
