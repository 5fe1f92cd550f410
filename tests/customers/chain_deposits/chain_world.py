"""One organisation and one real chain: an anvil with tokens, and the steps that follow it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from chains.artifacts import load_artifact
from chains.configuration import format_configuration
from chains.deploy import deploy
from chains.rpc import Rpc
from msgspec import structs

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, Container, wire
from landbridge.app.container.chain_deposits import build_chain_deposits
from landbridge.app.container.registry import ASSETS
from landbridge.app.settings import Settings
from landbridge.customers.chain_deposits.steps import ChainDepositSteps
from landbridge.ledger.audit import audit, table
from landbridge.ledger.corrections import correct
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm.configuration import EvmChain, FinalityTag, parse_chains
from landbridge.providers.evm.rpc import ChainClient
from tests.chains.contracts import Contract
from tests.providers.evm.anvil import LocalChain, running_anvil
from tests.tenants import SETTINGS, Tenant, make_tenant, make_user, served

COIN = 10**6
CONFIRMATIONS, FINALITY = 2, 4
_STEPS_MAX = 200
# A token that moves one unit, whatever its caller transfers: it logs that, and returns true.
PAYS_ONE_UNIT = (
    "0x60016000526004353"  # one in memory; the third topic is the payee
    "37fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"  # Transfer, by the caller
    "60206000a360206000f3"
)


@dataclass(frozen=True)
class FollowedChain(LocalChain):
    """Chain, its client, and an organisation on an installation that follows the chain."""

    chain: EvmChain
    client: ChainClient
    container: Container
    org: Tenant
    steps: ChainDepositSteps

    @property
    def outsider(self) -> str:
        """Account that owns all tokens and belongs to nobody here."""
        return self.rpc.accounts()[0]

    def token(self, currency: str = "usdc") -> Contract:
        name = "TestTether" if currency == "usdt" else "TestDollar"
        return Contract(self.rpc, load_artifact(name), self.chain.tokens[currency].address)

    def pay(
        self,
        destination: str,
        coins: Decimal | int,
        *,
        currency: str = "usdc",
        sender: str | None = None,
    ) -> str:
        """Transfer coins in a block of its own; return the transaction's hash."""
        token = self.token(currency)
        result = token.send(sender or self.outsider, "transfer", destination, int(coins * COIN))
        return str(result["transactionHash"])

    def impersonate(self, address: str) -> None:
        """Let the node sign for an address, which gets gas and coins."""
        self.rpc.call("anvil_impersonateAccount", address)
        self.rpc.call("anvil_setBalance", address, hex(10**18))
        self.pay(address, 100)

    def height(self) -> int:
        return int(self.rpc.call("eth_blockNumber"), 16)

    async def follow(self, steps: ChainDepositSteps | None = None) -> None:
        """Run the steps until nothing is left to do; the lease of other steps has ended."""
        await end_leases(self.container.database)
        offsets = await self.container.orgs.clock_offsets()
        for _ in range(_STEPS_MAX):
            if not await (steps or self.steps).run_once(offsets):
                return
        raise AssertionError("the steps do not come to an end")

    async def finalize(self) -> None:
        """Mine until everything so far is final, and follow the chain."""
        self.mine(FINALITY)
        await self.follow()

    def on(self, rpc: Rpc, client: ChainClient) -> "FollowedChain":
        """Return the same installation with another node."""
        steps = follower(self.container, self.chain, client)
        return replace(self, rpc=rpc, client=client, steps=steps)

    async def address(self, user: str, chain: str = "POLYGON") -> str:
        holding = await self.container.wallets.holding(
            self.org.org_id, UUID(user), Chain(chain), "usdc"
        )
        return holding.wallet.address

    async def new_user(self) -> tuple[str, str]:
        """Create a user; return the id and the address on the chain."""
        user = await make_user(self.org)
        return user, await self.address(user)

    async def check_ledger(self) -> None:
        """Audit the ledger of every organisation."""
        for org in await self.container.orgs.all():
            found = await audit(self.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.id)
            assert found.is_clean, table(found)


def follower(
    container: Container,
    chain: EvmChain,
    client: ChainClient,
    *,
    start_blocks: dict[Network, int] | None = None,
) -> ChainDepositSteps:
    """Return the steps of one worker."""
    return build_chain_deposits(
        container.database,
        container.ledger,
        container.wallets,
        container.vault,
        container.clock,
        screenings=container.deposit_screenings,
        chains={chain.name: chain},
        clients={chain.name: client},
        start_blocks=start_blocks,
    )


def configured(
    rpc: Rpc, *, finality: FinalityTag | int = FINALITY, confirmations: int = CONFIRMATIONS
) -> EvmChain:
    """Deploy the tokens, and return the chain's configuration."""
    text = format_configuration({"POLYGON": deploy(rpc, Chain.POLYGON)})
    chain = parse_chains(text)[Network.POLYGON]
    return structs.replace(chain, finality=finality, confirmations=confirmations)


@asynccontextmanager
async def chain_world(
    database: Database, logs: Path, settings: Settings = SETTINGS
) -> AsyncGenerator[FollowedChain]:
    """Run a new chain with an organisation that has followed it up to its head."""
    container = wire(settings, database, Clock(await take_node(database)))
    async with running_anvil(logs) as (rpc, client), served(container) as http:
        chain = configured(rpc)
        org = await make_tenant(container, http)
        steps = follower(container, chain, client)
        world = FollowedChain(rpc, chain, client, container, org, steps)
        world.mine(FINALITY)
        await world.follow()
        yield world


async def correct_all(org: Tenant, record_id: UUID, seqs: Sequence[int] = ()) -> None:
    """Reverse these journals of a record, or all, as `landbridge correct` does."""
    container = org.container
    rows = await container.database.rows(
        "select distinct seq from entries where org_id = $1 and transfer_id = $2",
        org.org_id,
        record_id,
    )
    await correct(
        container.database,
        container.ledger,
        ASSETS,
        TRANSITIONS,
        org_id=org.org_id,
        transfer_id=record_id,
        seqs=seqs or [row["seq"] for row in rows],
        reason="test",
        actor="test",
        at=container.clock.stamp(),
    )


async def end_leases(database: Database) -> None:
    """Let any worker follow any chain, as if the last one had been killed some time ago."""
    await database.rows("update chain_cursors set leased_to = null, leased_until = null")


async def deposits(org: Tenant, user: str, **query: str | int) -> list[dict[str, Any]]:
    """Return the deposits of a user, newest first."""
    path = f"/v2/users/{user}/wallets/deposits"
    page = await org.get(path, **{"chain": "POLYGON", "currency": "usdc", **query})
    found: list[dict[str, Any]] = page["records"]
    return found


async def statuses(org: Tenant, user: str, **query: str | int) -> list[tuple[str, str]]:
    """Return amount and status of each deposit of a user, newest first."""
    return [
        (each["transaction"]["amount"], each["transaction"]["status"])
        for each in await deposits(org, user, **query)
    ]
