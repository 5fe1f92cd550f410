"""Coins from outside wallets on a connected chain: each deposit has one outcome."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from chains.artifacts import load_artifact

from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database
from landbridge.platform.formats.evm_addresses import checked_evm_address
from tests.chain_world import FINAL_DEPTH, ChainWorld, chain_world
from tests.chains.contracts import Contract
from tests.payouts import (
    accept,
    check_books,
    make_account,
    make_offramp,
    make_payee,
    shown,
)
from tests.providers.evm.outbox.chain_orders import restarted
from tests.tenants import register, run_due

pytestmark = pytest.mark.long

COIN = 10**6


@dataclass(frozen=True)
class ExternalScenario:
    """Ada, whose wallet outside has coins on the chain, and her bank account."""

    world: ChainWorld
    ada: str
    account: str
    sender: str
    wallet: str

    async def quoted(self, amount: Any = 100) -> dict[str, Any]:
        parties = {"externalWalletId": self.wallet}
        return await make_offramp(self.world.org, None, self.account, amount, source=parties)

    async def awaited(self, amount: Any = 100) -> dict[str, Any]:
        return await accept(self.world.org, await self.quoted(amount))

    def send(self, treasury: str, coins: int, *, sender: str | None = None) -> str:
        """Send coins to the treasury, in a block of their own; return the transaction's hash."""
        world = self.world
        address = world.outbox.context.chain.tokens["usdc"].address
        token = Contract(world.rpc, load_artifact("TestDollar"), address)
        data = token.data("transfer", treasury, coins * COIN)
        hash_ = world.rpc.call(
            "eth_sendTransaction",
            {"from": sender or self.sender, "to": address, "data": data, "gas": hex(200_000)},
        )
        world.mine()
        return str(hash_)

    async def work(self, *, blocks: int = 0, ticks: int = 1) -> None:
        """Mine, and run the worker's schedules of the chain and of due records."""
        world, container = self.world, self.world.container
        assert container.chain_deposit_steps is not None
        for _ in range(ticks):
            if blocks:
                world.mine(blocks)
                # Orders that wait for the chain are due again after some seconds.
                await world.org.post("/v2/sandbox/clock/advance", {"seconds": 5})
            offsets = await container.orgs.clock_offsets()
            while await container.chain_deposit_steps.run_once(offsets):
                pass
            await container.external_coins.run_once(offsets)
            await run_due(world.org)
            await world.outbox.run_once()

    async def finalize(self) -> None:
        """Run until everything so far is final and settled, and returns are final as well."""
        await self.work(blocks=1, ticks=3 * FINAL_DEPTH)

    async def deposits(self) -> list[tuple[str, int]]:
        rows = await self.world.container.database.rows(
            "select status, units from treasury_deposits where org_id = $1 order by found_at",
            self.world.org.org_id,
        )
        return [(row["status"], int(row["units"]) // COIN) for row in rows]

    async def status(self, offramp: dict[str, Any]) -> str:
        return str((await shown(self.world.org, offramp))["status"])

    async def outside(self) -> int:
        """Return the coins that the sender has on the chain."""
        return await self.world.balance("usdc", self.sender) // COIN


@pytest.fixture
async def scenario(own_database: Database, tmp_path: Path) -> AsyncGenerator[ExternalScenario]:
    async with chain_world(tmp_path, own_database) as world:
        ada = await make_payee(world.org, funds=None)
        sender = checked_evm_address(world.rpc.accounts()[3])
        wallet = await register(world.org, ada, sender)
        await world.mint("usdc", sender, 1_000 * COIN)
        made = ExternalScenario(world, ada, await make_account(world.org, ada), sender, wallet)
        await made.work(blocks=FINAL_DEPTH, ticks=2)
        yield made


def _address(offramp: dict[str, Any]) -> str:
    (deposit,) = offramp["depositInformation"]
    return str(deposit["toAddress"])


async def test_the_exact_amount_is_paid_out_once_it_is_final(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    transaction = scenario.send(_address(offramp), 100)
    await scenario.work()
    assert await scenario.status(offramp) == "AWAITING_FUNDS"
    await scenario.finalize()
    done = await shown(scenario.world.org, offramp)
    assert done["status"] == "COMPLETED"
    assert done["receipt"]["transactionHash"] == transaction
    assert await scenario.deposits() == [("SETTLED", 100)]
    assert await scenario.outside() == 900
    await check_books(scenario.world.org)


async def test_another_amount_is_returned(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    scenario.send(_address(offramp), 60)
    await scenario.finalize()
    assert await scenario.status(offramp) == "CRYPTO_RETURNED"
    assert await scenario.outside() == 1_000
    await check_books(scenario.world.org)


async def test_a_second_payment_is_returned(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    scenario.send(_address(offramp), 100)
    scenario.send(_address(offramp), 100)
    await scenario.finalize()
    assert await scenario.status(offramp) == "COMPLETED"
    assert await scenario.deposits() == [("SETTLED", 100), ("SETTLED", 100)]
    assert await scenario.outside() == 900
    await check_books(scenario.world.org)


async def test_two_offramps_each_take_their_own_amount(scenario: ExternalScenario) -> None:
    first, second = await scenario.awaited(100), await scenario.awaited(70)
    scenario.send(_address(first), 70)
    scenario.send(_address(first), 100)
    await scenario.finalize()
    assert [await scenario.status(each) for each in (first, second)] == ["COMPLETED"] * 2
    assert await scenario.outside() == 830


async def test_late_coins_are_returned(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    await scenario.world.org.post("/v2/sandbox/clock/advance", {"seconds": 601})
    await scenario.work()
    assert await scenario.status(offramp) == "QUOTE_FAILED"
    scenario.send(_address(offramp), 100)
    await scenario.finalize()
    assert await scenario.status(offramp) == "QUOTE_FAILED"
    assert await scenario.outside() == 1_000
    await check_books(scenario.world.org)


async def test_coins_found_in_time_count_although_they_are_final_late(
    scenario: ExternalScenario,
) -> None:
    offramp = await scenario.awaited()
    scenario.send(_address(offramp), 100)
    await scenario.work(blocks=1)
    assert await scenario.deposits() == [("CONFIRMED", 100)]
    await scenario.world.org.post("/v2/sandbox/clock/advance", {"seconds": 601})
    await scenario.work()
    assert await scenario.status(offramp) == "AWAITING_FUNDS"
    await scenario.finalize()
    assert await scenario.status(offramp) == "COMPLETED"


async def test_a_confirmed_deposit_that_is_lost_pays_nothing(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    scenario.send(_address(offramp), 100)
    await scenario.work(blocks=1)
    scenario.world.reorganise(2)
    await scenario.work()
    assert await scenario.deposits() == []
    await scenario.finalize()
    assert await scenario.status(offramp) == "AWAITING_FUNDS"


async def test_coins_from_an_unknown_address_are_kept_until_they_are_assigned(
    scenario: ExternalScenario,
) -> None:
    world = scenario.world
    stranger = world.rpc.accounts()[4]
    await world.mint("usdc", stranger, 100 * COIN)
    offramp = await scenario.awaited()
    scenario.send(_address(offramp), 100, sender=stranger)
    await scenario.finalize()
    assert await scenario.deposits() == [("UNMATCHED", 100)]
    assert await scenario.status(offramp) == "AWAITING_FUNDS"
    org_id, coins = world.org.org_id, world.container.external_coins
    (kept,) = await coins.kept(org_id)
    assert kept.source_address == checked_evm_address(stranger)
    await coins.assign(org_id, kept.id, UUID(offramp["id"]))
    with pytest.raises(ResourceConflict, match="is FINAL"):
        await coins.assign(org_id, kept.id, UUID(offramp["id"]))
    await scenario.finalize()
    assert await scenario.status(offramp) == "COMPLETED"
    await check_books(world.org)


async def test_a_deposit_is_settled_once_if_it_is_reported_again(
    scenario: ExternalScenario,
) -> None:
    offramp = await scenario.awaited()
    scenario.send(_address(offramp), 100)
    await scenario.finalize()
    database = scenario.world.container.database
    # As if the worker had been killed after the offramp had taken the coins.
    await database.rows("update treasury_deposits set status = 'FINAL'")
    await scenario.finalize()
    assert await scenario.deposits() == [("SETTLED", 100)]
    assert await scenario.outside() == 900
    await check_books(scenario.world.org)


async def test_racing_workers_settle_each_deposit_once(scenario: ExternalScenario) -> None:
    world, amounts = scenario.world, (50, 60, 70, 80)
    offramps = [await scenario.awaited(each) for each in amounts]
    # Twice each: the second one is returned.
    for each in (*amounts, *amounts):
        scenario.send(_address(offramps[0]), each)
    world.mine(FINAL_DEPTH)
    offsets = await world.container.orgs.clock_offsets()
    steps = world.container.chain_deposit_steps
    assert steps is not None
    while await steps.run_once(offsets):
        pass
    assert {status for status, _ in await scenario.deposits()} == {"FINAL"}
    worlds = [world, *[await restarted(world) for _ in range(3)]]
    await asyncio.gather(
        *[each.container.external_coins.run_once(offsets) for each in worlds for _ in range(2)]
    )
    for each in worlds[1:]:
        assert each.container.evm is not None
        await each.container.evm.close()
    await scenario.finalize()
    assert {status for status, _ in await scenario.deposits()} == {"SETTLED"}
    assert [await scenario.status(each) for each in offramps] == ["COMPLETED"] * len(amounts)
    assert await scenario.outside() == 1_000 - sum(amounts)
    await check_books(world.org)


async def test_coins_are_not_simulated_on_a_connected_chain(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    path = f"/v2/sandbox/offramps/{offramp['id']}/deposit"
    answer = await scenario.world.org.send("POST", path, {})
    assert answer.status_code == 409
    assert "POLYGON is connected" in answer.text
