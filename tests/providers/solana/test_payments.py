"""Payments on Solana from the API to the chain and back, and how operators see them."""

from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.evm.signing.signature_log import check_log
from tests.dashboard.browsing import visit
from tests.providers.solana.solana_orders import new_address
from tests.providers.solana.solana_payments import (
    balance_of,
    carried_out,
    new_user,
    transfer_to_address,
)
from tests.solana_world import COIN, SolanaWorld, solana_world
from tests.tenants import (
    BATCHES,
    BRIDGES,
    TRANSFERS,
    batch_body,
    bridge_body,
    transfer_body,
)


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database) as world:
        yield world


async def test_coins_arrive_are_sent_to_a_user_and_leave(
    world: SolanaWorld, tmp_path: Path
) -> None:
    (ada, at_ada), (bob, at_bob) = await new_user(world, coins=10), await new_user(world)
    payee = new_address()
    body = transfer_body(ada, bob, "4", chain="SOLANA")
    inside = (await world.org.post(TRANSFERS, body))["transferDetails"]["id"]
    found = await carried_out(world, inside)
    assert found["status"] == "COMPLETED"
    signature = found["receipt"]["transactionHash"]
    assert world.chain.landed[signature].err is None
    outside = await transfer_to_address(world, bob, payee, "1.5")
    assert (await carried_out(world, outside))["status"] == "COMPLETED"
    world.chain.finalize()
    await world.follow()
    assert [world.units(each) for each in (at_ada, at_bob, payee)] == [
        6 * COIN,
        2_500_000,
        1_500_000,
    ]
    assert [await balance_of(world, each) for each in (ada, bob)] == ["6", "2.5"]
    assert check_log(tmp_path / "signatures.jsonl").count == 4


async def test_the_cost_is_booked_in_the_chains_own_coin(world: SolanaWorld) -> None:
    ada, _ = await new_user(world, coins=1)
    transfer = await transfer_to_address(world, ada, new_address(), "1")
    await carried_out(world, transfer)
    assert world.container.evm is not None
    await world.container.evm.gas_costs.book(await world.container.orgs.clock_offsets())
    (row,) = await world.container.database.rows(
        "select source_asset, source_units from transfers where kind = 'CHAIN.GAS'"
    )
    assert row["source_asset"] == "sol:SOLANA"
    (attempt,) = await world.container.database.rows("select paid_lamports from solana_attempts")
    assert row["source_units"] == attempt["paid_lamports"]


async def test_a_batch_is_one_transaction_and_a_larger_one_is_refused_at_once(
    world: SolanaWorld,
) -> None:
    ada, _ = await new_user(world, coins=20)
    payees = [await new_user(world) for _ in range(9)]
    items = [{"userId": user, "amount": "1"} for user, _ in payees]
    body = batch_body(ada, *items[:8], chain="SOLANA")
    created = await world.org.post(BATCHES, body)
    found = await carried_out(world, created["transferDetails"]["id"], BATCHES)
    assert found["status"] == "COMPLETED"
    assert [world.units(address) for _, address in payees] == [COIN] * 8 + [0]
    refused = await world.org.send("POST", BATCHES, batch_body(ada, *items, chain="SOLANA"))
    assert refused.status_code == 400
    assert "at most 8 recipients" in refused.text


async def test_bridges_with_solana_are_refused_in_words(world: SolanaWorld) -> None:
    ada, _ = await new_user(world, coins=5)
    body = bridge_body(ada, 1, source={"chain": "SOLANA"})
    refused = await world.org.send("POST", BRIDGES, body)
    assert refused.status_code == 400
    assert "SOLANA is not connected" in refused.text


async def test_the_treasury_bounds_what_is_quoted(world: SolanaWorld) -> None:
    org_id = world.org.org_id
    treasury = await world.container.wallets.treasury_address(org_id, Chain.SOLANA)
    operations, asset = world.container.chain_operations, TOKENS[Chain.SOLANA, "usdc"].asset
    assert await operations.treasury_units(org_id, asset) == 0
    world.pay(world.outsider(7 * COIN), {treasury: 7 * COIN})
    assert await operations.treasury_units(org_id, asset) == 7 * COIN


async def test_operators_see_the_chain_and_its_orders(world: SolanaWorld) -> None:
    ada, _ = await new_user(world, coins=3)
    transfer = await transfer_to_address(world, ada, new_address(), "1")
    await carried_out(world, transfer)
    (chain,) = (await world.org.get("/v2/chains"))["chains"]
    assert (chain["name"], chain["chainId"], chain["nativeCurrency"]) == ("SOLANA", None, "SOL")
    assert (chain["finality"], chain["head"]["number"]) == ("finalized", world.chain.slot)
    (relayer,) = chain["installation"]["accounts"]
    assert relayer["isRelayer"]
    assert 9.9 < relayer["balance"] <= 10
    assert (relayer["floor"], relayer["isLow"]) == (0.01, False)
    (order,) = (await world.org.get(f"/v2/chains/orders/{UUID(transfer)}"))["orders"]
    (attempt,) = order["attempts"]
    assert order["state"] == "FINAL"
    assert attempt["hash"] == order["transactionHash"]
    assert attempt["isSuccess"]
    assert 0.002 < order["gasCost"] < 0.0021
    admin = await visit(world.org)
    page = await admin.load("/dashboard/chains/SOLANA")
    assert "Chain ID" not in page.text
    assert "SOL" in page.text
    assert attempt["account"][:6] in page.text
    payment = await admin.load(f"/dashboard/transactions/{transfer}/references")
    assert order["explorerUrl"] in payment.response.text
    assert order["explorerUrl"] == f"https://explorer.example/tx/{attempt['hash']}"
