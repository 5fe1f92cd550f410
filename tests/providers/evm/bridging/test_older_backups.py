"""Burns that are requested again after a restore of a backup that is older than them."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainAction, ChainOrder
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.model import OutboxOrder, OutboxState
from tests.bridge_world import BridgeWorld, bridge_world
from tests.providers.evm.bridging.test_orders import order_of

pytestmark = pytest.mark.long

OTHER = "0x" + "12" * 20


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[BridgeWorld]:
    async with bridge_world(tmp_path, own_database) as world:
        yield world


async def carried_out(world: BridgeWorld, order: ChainOrder, runs: int = 30) -> OutboxOrder:
    """Return an order once it is final, or has waited for this many runs."""
    await world.container.chains.send(order)
    found: OutboxOrder | None = None
    for _ in range(runs):
        await world.work()
        world.mine()
        found = await world.database.single(lambda tx: order_store.get(tx, order.org_id, order.key))
        if found is not None and found.state is OutboxState.FINAL:
            break
    assert found is not None
    return found


async def test_a_burn_for_another_recipient_does_not_count(world: BridgeWorld) -> None:
    user = await world.user(usdc=25)
    wallet = await world.container.wallets.find(world.org.org_id, UUID(user), Chain.POLYGON)
    assert wallet is not None
    base = await order_of(world, ChainAction.BURN)
    lost = replace(base, source=wallet.address, wallet_id=wallet.id)
    assert (await carried_out(world, lost)).state is OutboxState.FINAL
    for order, state in (
        (replace(lost, legs=(replace(lost.legs[0], address=OTHER),)), OutboxState.CREATED),
        (lost, OutboxState.FINAL),
    ):
        for table in ("chain_attempts", "chain_orders"):
            await world.database.rows(
                f"delete from {table} where key = $1",  # noqa: S608  a name of this test
                lost.key,
            )
        again = await carried_out(world, order, runs=12)
        assert (again.state, again.step) == (state, 0)
        is_waiting = str(again.reason).startswith("waits for a person")
        assert is_waiting == (state is OutboxState.CREATED)
