"""Swaps that the market refuses: nothing moves but gas, and the reason is a sentence."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.evm.outbox.model import OutboxState
from tests.market_world import COIN, MarketWorld, market_world
from tests.payouts import check_books
from tests.tenants import SWAPS, held, refusal, swap_body

pytestmark = pytest.mark.long

NOT_PAID = (
    "the contract of the coins bought refuses to pay the recipient: "
    "its issuer may have paused it, or blocked the recipient"
)
# Moves the price of the pool beyond the slippage of a quote, and not beyond the least rate.
LARGE = 1_150_000 * COIN


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[MarketWorld]:
    async with market_world(tmp_path, own_database, market={"patience_s": 60}) as world:
        yield world


async def check_nothing_moved(world: MarketWorld, swap_id: str, user: str, reason: str) -> None:
    """Check that a swap of 5 of a user's 10 usdc has failed for a reason, and released them."""
    swap = await world.run_until(swap_id, "FAILED", "COMPLETED")
    assert (swap.status, swap.details.error_message) == ("FAILED", reason)
    assert (await world.get(swap_id))["errorDetails"]["message"] == reason
    assert await held(world.chain.org, user) == "10"
    wallet = await world.address(user)
    assert await world.chain.balance("usdc", wallet) == 10 * COIN
    assert await world.chain.balance("usdt", wallet) == 0
    await check_books(world.chain.org)


async def test_a_worse_price_is_refused_before_anything_is_signed(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    world.trade("usdc", "usdt", LARGE)
    reason = "the market gives less than the minimum of the quote"
    await check_nothing_moved(world, swap_id, user, reason)
    order = await world.order(swap_id)
    assert order is not None
    assert order.state is OutboxState.REJECTED


async def test_a_better_price_belongs_to_the_user(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    world.trade("usdt", "usdc", LARGE)
    swap = await world.run_until(swap_id, "COMPLETED")
    assert swap.received is not None
    assert swap.received.units > 4_995_000
    assert await held(world.chain.org, user, "usdt") == str(swap.received)
    await check_books(world.chain.org)


async def test_a_price_that_changes_after_signing_costs_only_gas(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    # Signed and sent, but in no block; a trade with higher fees comes first.
    for _ in range(3):
        await world.work(mines=False)
    order = await world.order(swap_id)
    assert order is not None
    assert order.state is OutboxState.SENT
    rpc = world.chain.rpc
    pending = rpc.call("eth_getTransactionByHash", order.transaction_hash)
    rpc.call("anvil_dropTransaction", order.transaction_hash)
    world.trade("usdc", "usdt", LARGE)
    assert pending is not None
    for _ in range(20):
        await world.work()
        order = await world.order(swap_id)
        assert order is not None
        if order.reason is not None:
            break
    # Until its deadline anybody could submit it again.
    assert (await world.swap(swap_id)).status == "PENDING"
    rpc.call("evm_increaseTime", 120)
    await check_nothing_moved(
        world,
        swap_id,
        user,
        "the chain has undone the swap: it came too late, or the market gave less than the minimum",
    )
    receipt = rpc.call("eth_getTransactionReceipt", order.transaction_hash)
    assert receipt["status"] == "0x0"


async def test_a_deadline_that_passes_costs_only_gas(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    for _ in range(3):
        await world.work(mines=False)
    rpc = world.chain.rpc
    rpc.call("evm_increaseTime", 120)
    await check_nothing_moved(
        world,
        swap_id,
        user,
        "the chain has undone the swap: it came too late, or the market gave less than the minimum",
    )


async def test_a_paused_token_is_refused(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    world.send(world.token("usdt"), "setPaused(bool)", 1)
    await check_nothing_moved(world, swap_id, user, NOT_PAID)


async def test_a_blocked_recipient_is_refused(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    world.send(world.token("usdt"), "setBlocked(address,bool)", await world.address(user), 1)
    await check_nothing_moved(world, swap_id, user, NOT_PAID)


async def test_a_frozen_user_s_swap_is_not_sent(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    await world.chain.org.post(f"/v2/users/{user}/freeze", {"reason": "court order"})
    swap = await world.run_until(swap_id, "FAILED")
    assert "frozen" in str(swap.details.error_message)
    assert await world.order(swap_id) is None
    assert await world.chain.balance("usdc", await world.address(user)) == 10 * COIN


async def test_an_order_that_can_t_be_sent_in_time_is_refused(world: MarketWorld) -> None:
    user = await world.user()
    swap_id = await world.accepted(user)
    rows = world.chain.container.database.rows
    # No relayer can send: it waits, and the quote gets old.
    await rows("update chain_accounts set stopped_at = now(), stopped_reason = 'a test'")
    await world.work()
    assert (await world.swap(swap_id)).status == "PENDING"
    await rows("update chain_orders set created_at = created_at - interval '2 minutes'")
    await check_nothing_moved(
        world, swap_id, user, "the swap could not be sent to the market in time"
    )


async def test_quotes_beyond_the_liquidity_are_refused(world: MarketWorld) -> None:
    user = await world.user(3_000_000)
    answer = await world.chain.org.send("POST", SWAPS, swap_body(user, "2000000"))
    assert refusal(answer) == "409 QUOTE_NOT_READY"
    sentence = "the market has too little liquidity for this amount"
    assert answer.json()["errorDetails"] == sentence
    dry_run = await world.chain.org.send("POST", f"{SWAPS}?dryRun=true", swap_body(user, "2000000"))
    assert dry_run.json()["errorDetails"] == sentence


async def test_the_caller_s_minimum_is_kept(world: MarketWorld) -> None:
    user = await world.user()
    body = swap_body(user, "5") | {"minReceive": "4.999"}
    for path in (SWAPS, f"{SWAPS}?dryRun=true"):
        answer = await world.chain.org.send("POST", path, body)
        assert refusal(answer) == "409 QUOTE_NOT_READY"
        assert "less than minReceive 4.999" in answer.json()["errorDetails"]
    body["minReceive"] = "4.9"
    created = (await world.chain.org.post(SWAPS, body))["transferDetails"]["id"]
    world.trade("usdc", "usdt", LARGE)
    answer = await world.chain.org.send("POST", f"{SWAPS}/{created}/accept", {})
    assert refusal(answer) == "409 QUOTE_NOT_READY"
    assert await held(world.chain.org, user) == "10"
    world.trade("usdt", "usdc", LARGE)
    await world.chain.org.post(f"{SWAPS}/{created}/accept")
    swap = await world.run_until(created, "COMPLETED")
    assert swap.received is not None
    assert swap.received >= swap.destination
