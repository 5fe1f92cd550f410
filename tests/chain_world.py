"""A local chain, a signer and the whole product on it, for tests with real coins.

The chain mines only when a test says so. Nothing runs in the background: `work` is one run of the
worker's schedules for this chain.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from chains.configuration import ChainConfiguration, format_configuration
from chains.deploy import deploy
from chains.nodes import Node, NodeOptions, run_nodes
from chains.rpc import Rpc

from landbridge.app.container import Container, sealer, wire
from landbridge.app.settings import Settings
from landbridge.app.signer_commands import message_signer
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm.configuration import read_chains_file
from landbridge.providers.evm.outbox.service import ChainOutbox
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.signing.client import SignerClient
from landbridge.providers.evm.signing.server import SignerServer
from landbridge.providers.evm.signing.signature_log import SignatureLog
from landbridge.providers.evm.signing.signer import ChainSigner
from landbridge.providers.evm.signing.socket_path import listen
from tests.chains.conftest import free_ports
from tests.providers.evm.anvil import LocalChain, anvil_binary
from tests.tenants import SETTINGS, Tenant, make_tenant, served

CONFIRMATIONS, FINAL_DEPTH = 2, 4
NETWORK = Network.POLYGON


@dataclass(frozen=True)
class ChainWorld(LocalChain):
    """One local chain and the product that uses it."""

    settings: Settings
    container: Container
    org: Tenant
    node: Node

    @property
    def outbox(self) -> ChainOutbox:
        """The product's outbox of the chain."""
        assert self.container.evm is not None
        return self.container.evm.outboxes[NETWORK]

    @property
    def client(self) -> ChainClient:
        """The product's client of the chain."""
        return self.outbox.context.client

    async def balance(self, currency: str, address: str) -> int:
        """Return the units of a token that an address has on the chain."""
        token = self.outbox.context.chain.tokens[currency]
        return await self.client.token_balance(token.address, address)

    async def mint(self, currency: str, address: str, units: int) -> None:
        """Mint tokens for an address, in a block of their own."""
        assert self.container.evm is not None
        await self.container.evm.faucets[NETWORK].mint(currency, address, units)
        self.mine()

    async def fund_relayers(self) -> None:
        """Give the relayers native coins, in a block of their own."""
        assert self.container.evm is not None
        await self.container.evm.local_funds[NETWORK].run()
        self.mine()


@asynccontextmanager
async def chain_world(
    folder: Path,
    database: Database,
    *,
    has_signer: bool = True,
    base: Settings = SETTINGS,
    deploys: Callable[[Rpc, ChainConfiguration], ChainConfiguration] | None = None,
    **overrides: Any,
) -> AsyncGenerator[ChainWorld]:
    """Run a chain that the test mines, a signer, and the product on a database of its own.

    `overrides` replace members of the chain's configuration; `deploys` deploys more. Without
    `has_signer` the test runs the signer, once the relayers have coins.
    """
    options = NodeOptions(Chain.POLYGON, free_ports(1), block_time_s=None)
    with run_nodes(anvil_binary(), [options], logs=folder) as (node,):
        configuration = _configuration(deploy(node.rpc, Chain.POLYGON), overrides)
        if deploys is not None:
            configuration = deploys(node.rpc, configuration)
        node.rpc.call("evm_setAutomine", False)  # noqa: FBT003  parameters of RPC have no names
        path = folder / "chains.toml"
        path.write_text(format_configuration({"POLYGON": configuration}), encoding="utf-8")
        settings = msgspec.structs.replace(
            base, chains_file=str(path), signer_socket=str(folder / "signer.sock")
        )
        container = wire(settings, database, Clock(await take_node(database)))
        lasting = running_signer(settings, folder) if has_signer else nullcontext()
        async with lasting, served(container) as client:
            org = await make_tenant(container, client)
            world = ChainWorld(node.rpc, settings, container, org, node)
            first = nullcontext() if has_signer else running_signer(settings, folder)
            async with first:
                await world.fund_relayers()
            try:
                yield world
            finally:
                assert container.evm is not None
                await container.evm.close()


@asynccontextmanager
async def running_signer(settings: Settings, folder: Path) -> AsyncGenerator[SignerClient]:
    """Serve the signer of these settings in this process."""
    assert settings.chains_file is not None

    clock = Clock(node=99)
    log = SignatureLog.open(folder / "signatures.jsonl", since="2000-01-01")
    opener = sealer(settings)
    signer = ChainSigner(
        opener,
        read_chains_file(Path(settings.chains_file)),
        log,
        clock,
        messages=message_signer(settings, opener),
    )
    stop = asyncio.Event()
    sock = listen(settings.signer_path)
    serving = asyncio.create_task(SignerServer(signer, log).run(sock, stop))
    try:
        yield SignerClient(settings.signer_path)
    finally:
        stop.set()
        await serving
        log.close()


def _configuration(deployed: ChainConfiguration, overrides: dict[str, Any]) -> ChainConfiguration:
    members: dict[str, Any] = {
        "confirmations": CONFIRMATIONS,
        "finality": FINAL_DEPTH,
        "relayers": 1,
        "resend_after_s": 1,
        **overrides,
    }
    return msgspec.structs.replace(deployed, **members)
