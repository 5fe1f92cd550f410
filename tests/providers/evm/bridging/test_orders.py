"""Orders of bridges at the port of two connected chains."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from landbridge.platform.core.errors import InvariantBroken, Rejected
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderState, OrderLeg
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.bridge_world import COIN, BridgeWorld, bridge_world
from tests.tenants import BRIDGES, bridge_body, make_user, refusal

pytestmark = pytest.mark.long

RECIPIENT = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[BridgeWorld]:
    async with bridge_world(tmp_path, own_database) as world:
        yield world


async def order_of(world: BridgeWorld, action: ChainAction) -> ChainOrder:
    """Return an order of the organisation's own address on POLYGON."""
    return ChainOrder(
        org_id=world.org.org_id,
        key=new_id(),
        record_id=new_id(),
        action=action,
        chain="POLYGON",
        source=await world.container.wallets.treasury_address(world.org.org_id, Chain.POLYGON),
        wallet_id=None,
        legs=(OrderLeg(RECIPIENT, Money(COIN, TOKENS[Chain.POLYGON, "usdc"].asset)),),
        at=datetime.now(UTC),
        into=None if action is ChainAction.MINT else "BASE",
        after=new_id() if action is ChainAction.MINT else None,
    )


@pytest.mark.parametrize("action", [ChainAction.APPROVE, ChainAction.BURN, ChainAction.MINT])
async def test_an_order_is_stored_once_per_key(world: BridgeWorld, action: ChainAction) -> None:
    chains, order = world.container.chains, await order_of(world, action)
    assert chains.carries("POLYGON", action)
    first = await chains.send(order)
    is_approve = action is ChainAction.APPROVE
    assert first.state is (ChainOrderState.CONFIRMED if is_approve else ChainOrderState.PENDING)
    assert (await chains.send(order)).state is first.state
    found = await chains.find_status(order.org_id, order.key, order.at)
    assert found is not None
    assert found.state is first.state
    for other in (
        replace(order, legs=(replace(order.legs[0], address="0x" + "12" * 20),)),
        replace(order, action=ChainAction.TRANSFER),
    ):
        with pytest.raises(InvariantBroken, match="another content"):
            await chains.send(other)


async def test_orders_that_no_bridge_carries_are_rejected(world: BridgeWorld) -> None:
    chains, burn = world.container.chains, await order_of(world, ChainAction.BURN)
    mint = await order_of(world, ChainAction.MINT)
    for wrong in (
        replace(burn, into=None),
        replace(burn, into="ETHEREUM"),
        replace(burn, legs=burn.legs * 2),
        replace(mint, after=None),
        replace(mint, is_refund=True),
    ):
        with pytest.raises(Rejected):
            await chains.send(wrong)
    assert not chains.refunds_burns("POLYGON")
    # Other chains of the sandbox are simulated.
    assert chains.refunds_burns("SOLANA")


@pytest.mark.parametrize(
    ("source", "destination", "sentence"),
    [
        (
            {"chain": "POLYGON"},
            {"chain": "SOLANA"},
            "destination.chain: no bridge reaches SOLANA, so nothing could carry this bridge",
        ),
        (
            {"chain": "SOLANA"},
            {"chain": "BASE"},
            "destination.chain: no bridge reaches SOLANA, so nothing could carry this bridge",
        ),
    ],
)
async def test_a_connected_chain_has_no_bridge_to_a_simulated_one(
    world: BridgeWorld, source: dict[str, str], destination: dict[str, str], sentence: str
) -> None:
    user = await make_user(world.org, chains=["POLYGON", "BASE", "SOLANA"])
    body = bridge_body(user, 1, source=source, destination=destination)
    for path in (BRIDGES, f"{BRIDGES}?dryRun=true"):
        answer = await world.org.send("POST", path, body)
        assert refusal(answer) == "400 INVALID_TRANSACTION_ROUTE"
        assert answer.json()["errorDetails"] == sentence


async def test_a_token_that_is_not_bridgeable_is_refused(
    tmp_path: Path, own_database: Database
) -> None:
    async with bridge_world(tmp_path, own_database, bridges_tokens=False) as world:
        user = await world.user(usdc=5)
        answer = await world.org.send("POST", BRIDGES, bridge_body(user, 1))
        assert refusal(answer) == "400 INVALID_TRANSACTION_ROUTE"
        assert answer.json()["errorDetails"] == (
            "destination.chain: usdc on POLYGON can't be bridged, "
            "so nothing could carry this bridge"
        )
