"""Orders from the outbox to the chain: each way to pay gas, batches, refusals and waits."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderState, OrderLeg
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.chain_world import CONFIRMATIONS, FINAL_DEPTH, ChainWorld, chain_world
from tests.tenants import make_user

pytestmark = pytest.mark.long

BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
CAROL = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
COIN = 10**6


@pytest.fixture(params=["eip3009", "eip7702", "top-up"])
async def world(
    request: pytest.FixtureRequest, tmp_path: Path, own_database: Database
) -> AsyncGenerator[ChainWorld]:
    """A chain that pays gas in one way only."""
    async with chain_world(tmp_path, own_database, sponsor=[request.param]) as world:
        yield world


async def order_of(
    world: ChainWorld, currency: str, legs: dict[str, int], user: str | None
) -> ChainOrder:
    """Return an order from a user's wallet, or the organisation's own address, with coins."""
    org_id = world.org.org_id
    asset = TOKENS[Chain.POLYGON, currency].asset
    wallet_id, source = None, await world.container.wallets.treasury_address(org_id, Chain.POLYGON)
    if user is not None:
        wallet = await world.container.wallets.find(org_id, UUID(user), Chain.POLYGON)
        assert wallet is not None
        wallet_id, source = wallet.id, wallet.address
    await world.mint(currency, source, sum(legs.values()))
    return ChainOrder(
        org_id=org_id,
        key=new_id(),
        record_id=new_id(),
        action=ChainAction.TRANSFER,
        chain="POLYGON",
        source=source,
        wallet_id=wallet_id,
        legs=tuple(OrderLeg(each, Money(units, asset)) for each, units in legs.items()),
        at=datetime.now(UTC),
    )


async def state(world: ChainWorld, order: ChainOrder) -> ChainOrderState:
    found = await world.container.chains.find_status(order.org_id, order.key, order.at)
    assert found is not None
    return found.state


async def run_until_final(world: ChainWorld, order: ChainOrder) -> None:
    """Run the outbox and mine, until the order is not pending."""
    for _ in range(40):
        await world.outbox.run_once()
        world.mine()
        if await state(world, order) is not ChainOrderState.PENDING:
            return
    raise AssertionError("the order stays pending")


async def test_a_user_pays_without_native_coins(world: ChainWorld) -> None:
    user = await make_user(world.org)
    currency = "usdc"
    order = await order_of(world, currency, {BOB: 3 * COIN}, user)
    await world.container.chains.send(order)
    await run_until_final(world, order)
    assert await state(world, order) is ChainOrderState.CONFIRMED
    assert await world.balance(currency, BOB) == 3 * COIN
    assert await world.balance(currency, order.source) == 0
    world.mine(FINAL_DEPTH)
    await world.outbox.run_once()
    found = await world.container.chains.find_status(order.org_id, order.key, order.at)
    assert found is not None
    assert found.transaction_hash is not None
    receipt = await world.client.receipt(found.transaction_hash)
    assert receipt is not None
    assert receipt.is_success


async def test_the_treasury_pays_twice(world: ChainWorld) -> None:
    for count in (1, 2):
        order = await order_of(world, "usdc", {BOB: COIN}, None)
        await world.container.chains.send(order)
        await run_until_final(world, order)
        assert await state(world, order) is ChainOrderState.CONFIRMED
        assert await world.balance("usdc", BOB) == count * COIN


async def test_same_order_twice_is_paid_once(world: ChainWorld) -> None:
    order = await order_of(world, "usdc", {BOB: COIN}, await make_user(world.org))
    await world.mint("usdc", order.source, 5 * COIN)
    await world.container.chains.send(order)
    await run_until_final(world, order)
    again = await world.container.chains.send(order)
    assert again.state is ChainOrderState.CONFIRMED
    world.mine(CONFIRMATIONS)
    await world.outbox.run_once()
    assert await world.balance("usdc", BOB) == COIN
