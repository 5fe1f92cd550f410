"""A wallet that sends transactions itself and also signs delegations: both use its nonces."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from tests.chain_world import ChainWorld, chain_world
from tests.payouts import check_books
from tests.providers.evm.outbox.test_gas_costs import funded_wallet, run_until_final
from tests.tenants import make_transfer, make_user

pytestmark = pytest.mark.long


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    async with chain_world(tmp_path, own_database, sponsor=["top-up", "eip7702"]) as world:
        yield world


async def ordered(world: ChainWorld, user: str, *, is_delegating: bool = False) -> str:
    """Return a transfer with an order that is not signed; as a swap it would delegate."""
    created = await make_transfer(world.org, user, await make_user(world.org), 10)
    container = world.container
    await container.scheduler.run_once(await container.orgs.clock_offsets())
    if is_delegating:
        await container.database.rows(
            "update chain_orders set method = 'eip7702' where state = 'CREATED'"
        )
    return str(created["id"])


async def test_a_wallet_sends_again_after_a_delegation_has_used_a_nonce(world: ChainWorld) -> None:
    user, wallet = await funded_wallet(world)
    for is_delegating in (False, True, False):
        transfer = await ordered(world, user, is_delegating=is_delegating)
        await run_until_final(world, transfer)
    (account,) = await world.container.database.rows(
        "select next_nonce, stopped_at from chain_accounts where address = $1", wallet
    )
    assert (account["next_nonce"], account["stopped_at"]) == (3, None)
    await check_books(world.org)


async def test_a_delegation_waits_for_the_own_transaction_of_its_wallet(world: ChainWorld) -> None:
    user, wallet = await funded_wallet(world)
    await run_until_final(world, await ordered(world, user))
    first = await ordered(world, user)
    database = world.container.database
    await world.outbox.run_once()
    (sent,) = await database.rows("select state from chain_orders where state <> 'FINAL'")
    assert sent["state"] == "SENT"
    second = await ordered(world, user, is_delegating=True)
    await world.outbox.run_once()
    (waiting,) = await database.rows("select reason from chain_orders where state = 'CREATED'")
    assert waiting["reason"] == "waits for another transaction of the paying address"
    await run_until_final(world, first)
    await run_until_final(world, second)
    (account,) = await database.rows(
        "select stopped_at from chain_accounts where address = $1", wallet
    )
    assert account["stopped_at"] is None
