"""Offramps from a wallet outside: its coins arrive at the organisation's own address."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair

from landbridge.platform.db.pool import Database
from tests.payouts import accept, check_books, make_account, make_offramp, make_payee, shown
from tests.providers.solana.solana_orders import make_due, run
from tests.solana_world import COIN, SolanaWorld, solana_world
from tests.tenants import register, run_due

_TICKS = 12


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database) as world:
        yield world


async def awaited(world: SolanaWorld, sender: Keypair, amount: int) -> dict[str, Any]:
    """Return an accepted offramp of a person with this wallet."""
    ada = await make_payee(world.org, funds=None)
    wallet = await register(world.org, ada, str(sender.pubkey()), chain="SOLANA")
    source = {"externalWalletId": wallet, "chain": "SOLANA"}
    account = await make_account(world.org, ada)
    return await accept(
        world.org, await make_offramp(world.org, None, account, amount, source=source)
    )


async def work(world: SolanaWorld) -> None:
    """Run the worker's schedules until everything so far is settled."""
    for _ in range(_TICKS):
        world.chain.mine()
        await world.org.post("/v2/sandbox/clock/advance", {"seconds": 5})
        await world.follow()
        await world.container.external_coins.run_once(await world.container.orgs.clock_offsets())
        await run_due(world.org)
        await make_due(world)
        await run(world)


def pay_address(offramp: dict[str, Any]) -> str:
    (deposit,) = offramp["depositInformation"]
    return str(deposit["toAddress"])


async def test_the_exact_amount_is_paid_out(world: SolanaWorld) -> None:
    sender = world.outsider(100 * COIN)
    offramp = await awaited(world, sender, 30)
    signature = world.pay(sender, {pay_address(offramp): 30 * COIN})
    await work(world)
    done = await shown(world.org, offramp)
    assert done["status"] == "COMPLETED"
    assert done["receipt"]["transactionHash"] == signature
    assert world.units(pay_address(offramp)) == 30 * COIN
    await check_books(world.org)


async def test_another_amount_is_returned_to_its_sender(world: SolanaWorld) -> None:
    sender = world.outsider(100 * COIN)
    offramp = await awaited(world, sender, 30)
    world.pay(sender, {pay_address(offramp): 20 * COIN})
    await work(world)
    assert (await shown(world.org, offramp))["status"] == "CRYPTO_RETURNED"
    assert world.units(str(sender.pubkey())) == 100 * COIN
    await check_books(world.org)
