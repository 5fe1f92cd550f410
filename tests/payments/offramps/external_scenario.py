"""Offramps of a person whose external wallet has coins on a connected chain."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from chains.artifacts import load_artifact

from landbridge.app.settings import Settings
from landbridge.platform.db.pool import Database
from landbridge.platform.formats.evm_addresses import checked_evm_address
from tests.chain_world import FINAL_DEPTH, ChainWorld, chain_world
from tests.chains.contracts import Contract
from tests.payouts import accept, make_account, make_offramp, make_payee, shown
from tests.tenants import SETTINGS, register, run_due

COIN = 10**6


@dataclass(frozen=True)
class ExternalScenario:
    """Ada, whose external wallet has coins on the chain, and her bank account."""

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

    def send(self, treasury: str, coins: Decimal | int, *, sender: str | None = None) -> str:
        """Send coins to the treasury, in a block of their own; return the transaction's hash."""
        world = self.world
        address = world.outbox.context.chain.tokens["usdc"].address
        token = Contract(world.rpc, load_artifact("TestDollar"), address)
        data = token.data("transfer", treasury, int(coins * COIN))
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


@asynccontextmanager
async def external_scenario(
    database: Database, folder: Path, *, base: Settings = SETTINGS
) -> AsyncGenerator[ExternalScenario]:
    """Run a chain on which Ada's external wallet has 1,000 coins."""
    async with chain_world(folder, database, base=base) as world:
        ada = await make_payee(world.org, funds=None)
        sender = checked_evm_address(world.rpc.accounts()[3])
        wallet = await register(world.org, ada, sender)
        await world.mint("usdc", sender, 1_000 * COIN)
        made = ExternalScenario(world, ada, await make_account(world.org, ada), sender, wallet)
        await made.work(blocks=FINAL_DEPTH, ticks=2)
        yield made


def pay_address(offramp: dict[str, Any]) -> str:
    """Return the address at which an offramp awaits coins."""
    (deposit,) = offramp["depositInformation"]
    return str(deposit["toAddress"])
