"""A swap on a local chain: both coins move there, and the ledger says the same."""

from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.payments.swaps.model import SwapLeg
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain
from tests.chain_world import FINAL_DEPTH, ChainWorld, chain_world
from tests.payouts import check_books
from tests.providers.evm.outbox.chain_orders import (
    make_due,
    make_resent,
    new_address,
    run,
    set_token,
)
from tests.tenants import (
    BATCHES,
    SWAPS,
    batch_body,
    held,
    make_transfer,
    make_user,
    swap_body,
    swap_of,
)

pytestmark = pytest.mark.long
COIN = 1_000_000


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    async with chain_world(tmp_path, own_database) as world:
        yield world


async def follow(world: ChainWorld) -> None:
    """Mine until everything is final, and credit what has arrived."""
    world.mine(FINAL_DEPTH)
    assert world.container.chain_deposit_steps is not None
    offsets = await world.container.orgs.clock_offsets()
    for _ in range(20):
        if not await world.container.chain_deposit_steps.run_once(offsets):
            return


async def swapper(world: ChainWorld) -> str:
    """Return a user with 10 usdc on the chain and in the ledger."""
    await follow(world)
    user = await make_user(world.org)
    wallet = await world.container.wallets.find(world.org.org_id, UUID(user), Chain.POLYGON)
    assert wallet is not None
    await world.mint("usdc", wallet.address, 10 * COIN)
    await follow(world)
    assert await held(world.org, user) == "10"
    return user


async def _accept(world: ChainWorld, user: str, **destination: str) -> str:
    body = swap_body(user, "5", destination=destination)
    created = (await world.org.post(SWAPS, body))["transferDetails"]["id"]
    accepted = await world.org.post(f"{SWAPS}/{created}/accept")
    assert accepted["transferDetails"]["status"] == "CREATED"
    return created


async def _run_until(world: ChainWorld, created: str, *, leg: SwapLeg | None = None) -> str:
    """Run worker and chain until the swap has ended, or is on this leg; return its status."""
    for _ in range(40):
        await world.org.post("/v2/sandbox/clock/advance", {"seconds": 60})
        await make_due(world)
        await run(world)
        world.mine()
        swap = await swap_of(world.org, created)
        if swap.record.due_at is None or (leg is not None and swap.details.leg is leg):
            return swap.status
    raise AssertionError("the swap does not end")


async def test_both_coins_move(world: ChainWorld) -> None:
    user = await swapper(world)
    org = world.org
    treasury = await world.container.wallets.treasury_address(org.org_id, Chain.POLYGON)
    await world.mint("usdt", treasury, 100 * COIN)
    created = await _accept(world, user)
    assert await _run_until(world, created) == "COMPLETED"
    swap = await swap_of(org, created)
    wallet = swap.details.source_address
    assert wallet is not None
    for currency, units in (("usdc", 5 * COIN), ("usdt", 4_995_000)):
        assert await world.balance(currency, wallet) == units
    assert await world.balance("usdc", treasury) == 5 * COIN
    assert (await held(org, user), await held(org, user, "usdt")) == ("5", "4.995")
    # What the treasury sends to a wallet of ours was booked already: it is no deposit.
    await follow(world)
    assert (await held(org, user), await held(org, user, "usdt")) == ("5", "4.995")
    facts = swap.record.facts
    for name in ("collect_transaction_hash", "transaction_hash"):
        receipt = world.rpc.call("eth_getTransactionReceipt", facts[name])
        assert receipt["status"] == "0x1"
    await check_books(org)


async def test_a_delivery_that_the_chain_has_lost_is_made_again(world: ChainWorld) -> None:
    user, org, recipient = await swapper(world), world.org, new_address()
    treasury = await world.container.wallets.treasury_address(org.org_id, Chain.POLYGON)
    await world.mint("usdt", treasury, 100 * COIN)
    created = await _accept(world, user, walletAddress=recipient)
    assert await _run_until(world, created) == "COMPLETED"
    assert await world.balance("usdt", recipient) == 4_995_000
    await run(world)
    world.mine(FINAL_DEPTH)
    await run(world)
    swap = await swap_of(org, created)
    receipt = world.rpc.call("eth_getTransactionReceipt", swap.record.facts["transaction_hash"])
    head = int(world.rpc.call("eth_blockNumber"), 16)
    # Below the final block.
    world.reorganise(head - int(receipt["blockNumber"], 16) + 1)
    assert await world.balance("usdt", recipient) == 0
    await run(world)
    assert (await swap_of(org, created)).status == "COMPLETED"
    await make_resent(world)
    await run(world)
    world.mine(FINAL_DEPTH)
    await run(world)
    assert await world.balance("usdt", recipient) == 4_995_000
    assert await held(org, user) == "5"
    assert (await swap_of(org, created)).status == "COMPLETED"
    await check_books(org)


async def test_coins_that_can_not_be_delivered_come_back(world: ChainWorld) -> None:
    user = await swapper(world)
    org = world.org
    treasury = await world.container.wallets.treasury_address(org.org_id, Chain.POLYGON)
    await world.mint("usdt", treasury, 100 * COIN)
    recipient = new_address()
    created = await _accept(world, user, walletAddress=recipient)
    set_token(world, "setBlocked", recipient, True)  # noqa: FBT003  the contract's argument
    assert await _run_until(world, created) == "FAILED"
    swap = await swap_of(org, created)
    assert swap.details.source_address is not None
    assert await world.balance("usdc", swap.details.source_address) == 10 * COIN
    assert await world.balance("usdt", treasury) == 100 * COIN
    assert await held(org, user) == "10"
    await check_books(org)


async def test_an_empty_treasury_makes_a_swap_wait(world: ChainWorld) -> None:
    user = await swapper(world)
    created = await _accept(world, user)
    assert await _run_until(world, created, leg=SwapLeg.DELIVER) == "PENDING"
    for _ in range(3):
        await world.org.post("/v2/sandbox/clock/advance", {"seconds": 60})
        await make_due(world)
        await run(world)
        world.mine()
    found = await world.org.get(f"/v2/chains/orders/{created}")
    assert "coins" in str([each["reason"] for each in found["orders"]])
    treasury = await world.container.wallets.treasury_address(world.org.org_id, Chain.POLYGON)
    await world.mint("usdt", treasury, 5 * COIN)
    assert await _run_until(world, created) == "COMPLETED"
    assert await held(world.org, user, "usdt") == "4.995"
    await check_books(world.org)


async def test_replies_name_the_contract_of_the_chain(world: ChainWorld) -> None:
    """Not the published contract of the currency, which is on another chain than this local one."""
    user, org = await swapper(world), world.org
    contract = world.outbox.context.chain.tokens["usdc"].address
    path, filters = f"/v2/users/{user}/wallets", {"chain": "POLYGON", "currency": "usdc"}
    balance = await org.get(f"{path}/balance", **filters)
    assert balance["tokenInfo"]["tokenAddress"] == contract
    (deposit,) = (await org.get(f"{path}/deposits", **filters))["records"]
    assert deposit["transaction"]["contractAddress"] == contract
    other = await make_user(org)
    made = await make_transfer(org, user, other, 2)
    assert made["contractAddress"] == contract
    batch = await org.post(BATCHES, batch_body(user, {"userId": other, "amount": "1"}))
    assert batch["transferDetails"]["contractAddress"] == contract
