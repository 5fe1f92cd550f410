"""A local chain with a pool of Uniswap v3, and the whole product on it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from chains.artifacts import encode_call
from chains.configuration import ChainConfiguration
from chains.markets import FEE, deploy_market
from chains.packages import MissingRequirement
from chains.rpc import Rpc

from landbridge.payments.swaps.model import Swap
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.evm import abi
from landbridge.providers.evm.market_configuration import MarketContracts
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.outbox.service import ChainOutbox
from tests.chain_world import FINAL_DEPTH, ChainWorld, chain_world
from tests.order_keys import key_of
from tests.providers.evm.outbox.chain_orders import make_due, make_resent, run
from tests.tenants import SWAPS, make_user, swap_body, swap_of

COIN = 10**6
# Runs of the worker after which a swap that makes no progress is stuck.
_RUNS_MAX = 40


@dataclass(frozen=True)
class MarketWorld:
    """Chain and product; `chain` mines only when a test says so."""

    chain: ChainWorld

    @property
    def market(self) -> MarketContracts:
        """The configured market."""
        market = self.chain.outbox.context.chain.market
        assert market is not None
        return market

    def token(self, currency: str) -> str:
        """Return the contract of a token."""
        return self.chain.outbox.context.chain.tokens[currency].address

    async def user(self, coins: int = 10, *, currency: str = "usdc") -> str:
        """Return a user with coins on the chain and in the ledger."""
        await self.follow()
        user = await make_user(self.chain.org)
        await self.chain.mint(currency, await self.address(user), coins * COIN)
        await self.follow()
        return user

    async def address(self, user: str) -> str:
        """Return the address of a user's wallet."""
        org_id = self.chain.org.org_id
        wallet = await self.chain.container.wallets.find(org_id, UUID(user), Chain.POLYGON)
        assert wallet is not None
        return wallet.address

    async def treasury(self) -> str:
        """Return the organisation's own address."""
        wallets = self.chain.container.wallets
        return await wallets.treasury_address(self.chain.org.org_id, Chain.POLYGON)

    async def follow(self) -> None:
        """Mine until everything is final, and credit what has arrived."""
        self.chain.mine(FINAL_DEPTH + 1)
        steps = self.chain.container.chain_deposit_steps
        assert steps is not None
        while await steps.run_once(await self.chain.container.orgs.clock_offsets()):
            pass

    async def quoted(self, user: str, amount: str = "5", **changes: Any) -> dict[str, Any]:
        """Create a swap of usdc for usdt; return its details."""
        created = await self.chain.org.post(SWAPS, swap_body(user, amount, **changes))
        return created["transferDetails"]

    async def accepted(self, user: str, amount: str = "5", **changes: Any) -> str:
        """Create and accept a swap; return its id."""
        created = str((await self.quoted(user, amount, **changes))["id"])
        answer = await self.chain.org.post(f"{SWAPS}/{created}/accept")
        assert answer["transferDetails"]["status"] == "CREATED"
        return created

    async def get(self, swap_id: str) -> dict[str, Any]:
        """Return the details of a swap, as the interface answers them."""
        return (await self.chain.org.get(f"{SWAPS}/{swap_id}"))["transferDetails"]

    async def swap(self, swap_id: str) -> Swap:
        """Return a swap."""
        return await swap_of(self.chain.org, swap_id)

    async def order(self, swap_id: str) -> OutboxOrder | None:
        """Return the market order of a swap."""
        org = self.chain.org
        key = (org.org_id, await key_of(org, swap_id, "market"))
        return await self.chain.container.database.single(lambda tx: order_store.get(tx, *key))

    async def work(self, outbox: ChainOutbox | None = None, *, mines: bool = True) -> None:
        """Run the worker's schedules once, and mine a block."""
        await self.chain.container.database.rows(
            "update transfers set due_at = updated_at where due_at is not null"
            " and kind = 'WALLET.SWAP' and status <> 'OPEN_QUOTE'"
        )
        offsets = await self.chain.container.orgs.clock_offsets()
        await self.chain.container.scheduler.run_all(offsets)
        await make_due(self.chain)
        await make_resent(self.chain)
        await run(self.chain, outbox)
        if mines:
            self.chain.mine()

    async def run_until(self, swap_id: str, *statuses: str, **options: Any) -> Swap:
        """Work and mine until a swap has one of these statuses."""
        swap = await self.swap(swap_id)
        for _ in range(_RUNS_MAX):
            if swap.status in statuses:
                return swap
            await self.work(**options)
            swap = await self.swap(swap_id)
        order = await self.order(swap_id)
        raise AssertionError(f"the swap stays {swap.status}: {order}")

    def trade(self, sold: str, bought: str, units: int) -> None:
        """Let another party sell one token for another, in a block of its own."""
        rpc, tokens = self.chain.rpc, self.chain.outbox.context.chain.tokens
        self.send(tokens[sold].address, "approve(address,uint256)", self.market.router, 0)
        self.send(tokens[sold].address, "approve(address,uint256)", self.market.router, units)
        signature = (
            "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))"
            if self.market.interface == "swap-router"
            else "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))"
        )
        deadline = [2**40] if self.market.interface == "swap-router" else []
        addresses = (tokens[sold].address, tokens[bought].address, FEE, rpc.accounts()[0])
        self.send(self.market.router, signature, *addresses, *deadline, units, 0, 0)

    def send(self, contract: str, signature: str, *values: int | str, account: int = 0) -> None:
        """Call a contract by an account of the node, in a block of its own."""
        rpc = self.chain.rpc
        data = encode_call(signature, *values)
        request = {"from": rpc.accounts()[account], "to": contract, "data": data}
        sent = rpc.call("eth_sendTransaction", {**request, "gas": hex(3_000_000)})
        self.chain.mine()
        assert rpc.call("eth_getTransactionReceipt", sent)["status"] == "0x1"

    async def allowance(self, owner: str, currency: str = "usdc") -> int:
        """Return what the router may still take from an address."""
        token = self.chain.outbox.context.chain.tokens[currency].address
        data = abi.ALLOWANCE.encode(owner, self.market.router)
        return abi.decode_uint256(await self.chain.client.call(destination=token, data=data))


@asynccontextmanager
async def market_world(
    folder: Path,
    database: Database,
    *,
    provider: str = "market",
    interface: str = "swap-router-02",
    market: dict[str, Any] | None = None,
    **overrides: Any,
) -> AsyncGenerator[MarketWorld]:
    """Run the world. `market` replaces members of the market's configuration.

    Skips the test where the contracts can't be had.
    """

    def deploys(rpc: Rpc, configuration: ChainConfiguration) -> ChainConfiguration:
        try:
            deployed = deploy_market(rpc, configuration, interface=interface, provider=provider)
        except MissingRequirement as missing:
            pytest.skip(str(missing))
        assert deployed.market is not None
        changed = msgspec.structs.replace(deployed.market, **(market or {}))
        return msgspec.structs.replace(deployed, market=changed)

    async with chain_world(folder, database, deploys=deploys, **overrides) as chain:
        yield MarketWorld(chain)
