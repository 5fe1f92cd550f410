"""Payments learn the result of their order at once, without asking again and again."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.evm.outbox.model import OutboxState
from tests.chain_world import ChainWorld, chain_world
from tests.customers.address_policies.test_payments import set_policy
from tests.providers.evm.outbox.chain_orders import new_address, run
from tests.providers.evm.outbox.test_gas_costs import funded_wallet
from tests.tenants import TRANSFERS, Tenant, make_transfer, make_user, register, run_due

pytestmark = pytest.mark.long


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    async with chain_world(tmp_path, own_database) as world:
        yield world


async def status(org: Tenant, transfer_id: str) -> str:
    """Return the status of a transfer."""
    return (await org.get(f"{TRANSFERS}/{transfer_id}"))["transferDetails"]["status"]


async def waits_for_s(world: ChainWorld) -> float:
    """Return for how long the one open transfer is not due, in seconds."""
    (row,) = await world.container.database.rows(
        "select extract(epoch from due_at - updated_at) as wait from transfers"
        " where due_at is not null"
    )
    return float(row["wait"])


async def test_a_payment_is_due_when_its_order_is_confirmed(world: ChainWorld) -> None:
    org = world.org
    user, _ = await funded_wallet(world)
    created = await make_transfer(org, user, await make_user(org), 5)
    await run_due(org)
    await run(world)
    assert await waits_for_s(world) >= 4
    for _ in range(3):
        world.mine()
        await run(world)
    assert await waits_for_s(world) == 0
    await run_due(org)
    assert await status(org, created["id"]) == "COMPLETED"


async def test_a_payment_is_due_when_its_order_is_refused(world: ChainWorld) -> None:
    org = world.org
    user, _ = await funded_wallet(world)
    recipient = new_address()
    await register(org, user, recipient)
    created = await make_transfer(org, user, {"walletAddress": recipient}, 5)
    await run_due(org)
    await set_policy(org, blockedAddresses=[recipient])
    await run(world)
    rows = await world.container.database.rows("select state from chain_orders")
    assert [row["state"] for row in rows] == [OutboxState.REJECTED.value]
    assert await waits_for_s(world) == 0
    await run_due(org)
    assert await status(org, created["id"]) == "FAILED"
