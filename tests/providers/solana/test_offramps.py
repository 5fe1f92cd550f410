"""Offramps from a counterparty wallet: its coins arrive at the organisation's own address."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair

from landbridge.platform.db.pool import Database
from tests.payments.virtual_accounts.virtual_account_setup import RULES, percentage, rule_body
from tests.payouts import (
    OFFRAMPS,
    accept,
    check_books,
    make_account,
    make_offramp,
    make_payee,
    offramp_body,
    shown,
)
from tests.providers.solana.solana_orders import make_due, run
from tests.providers.solana.solana_payments import address_of, new_user
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


@pytest.mark.parametrize(("count", "status"), [(7, 200), (8, 400)])
async def test_fees_and_parts_beyond_one_transaction_are_refused_at_once(
    world: SolanaWorld, count: int, status: int
) -> None:
    ada = await make_payee(world.org, funds=None, chains=["SOLANA"])
    world.pay(world.outsider(100 * COIN), {await address_of(world, ada): 100 * COIN})
    world.chain.finalize()
    await world.follow()
    account = await make_account(world.org, ada)
    addresses = [(await new_user(world))[1] for _ in range(count)]
    fees = [{"type": "FLAT", "value": 1, "walletAddress": each} for each in addresses]
    body = offramp_body(ada, account, 50, source={"chain": "SOLANA"}, developerFee={"fees": fees})
    quoted = await world.org.send("POST", OFFRAMPS, body)
    parts = [percentage(0.01, each) for each in addresses]
    ruled = await world.org.send("POST", RULES, rule_body(*parts, chain="SOLANA"))
    assert (quoted.status_code, ruled.status_code) == (status, status), (quoted.text, ruled.text)
    if status != 200:
        assert "developerFee.fees: one transaction on SOLANA pays at most 8" in quoted.text
        assert "rules: one transaction on SOLANA pays at most 8 recipients: 7 parts" in ruled.text
