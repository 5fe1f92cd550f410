"""Two local chains, their bridge and its attestation service, and the whole product on them.

The chains mine only when a test says so, and the service is in the test's process: the test slows
it down, or lets it lie. `work` is one run of the worker's schedules for both chains.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from chains.artifacts import encode_call
from chains.attestations import Attestations, running_attestations
from chains.bridges import DOMAINS, attested_chains, connect_bridges
from chains.configuration import ChainConfiguration, format_configuration
from chains.deploy import deploy
from chains.nodes import NodeOptions, run_nodes
from chains.rpc import Rpc

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm import abi
from landbridge.providers.evm.outbox import attempt_store, order_store
from landbridge.providers.evm.outbox.model import OutboxOrder, TransactionAttempt
from landbridge.providers.evm.outbox.service import ChainOutbox
from tests.chain_world import running_signer
from tests.chains.conftest import free_ports
from tests.order_keys import key_of
from tests.providers.evm.anvil import anvil_binary
from tests.tenants import BRIDGES, SETTINGS, Tenant, bridge_body, make_tenant, make_user, served

CONFIRMATIONS, FINAL_DEPTH = 2, 4
COIN = 10**6
# Runs of the worker after which a bridge that makes no progress is stuck.
_RUNS_MAX = 120


@dataclass
class BridgeWorld:
    """Two chains and the product that uses them."""

    container: Container
    org: Tenant
    attestations: Attestations
    rpcs: dict[Network, Rpc]
    # Where bridges go.
    into: Chain

    @property
    def database(self) -> Database:
        """The product's database."""
        return self.container.database

    def outbox(self, name: Network) -> ChainOutbox:
        """Return the product's outbox of a chain."""
        assert self.container.evm is not None
        return self.container.evm.outboxes[name]

    def mine(self, blocks: int = 1, *, on: Network | None = None) -> None:
        """Mine blocks on one chain, or on both."""
        for name, rpc in self.rpcs.items():
            if on in (None, name):
                rpc.call("anvil_mine", hex(blocks))

    def set_blocked(self, address: str, *, is_blocked: bool) -> None:
        """Block or unblock an address for usdt on the other chain, in a block of its own."""
        name = Network(self.into)
        token = self.outbox(name).context.chain.tokens["usdt"].address
        rpc = self.rpcs[name]
        call = encode_call("setBlocked(address,bool)", address, int(is_blocked))
        rpc.send(rpc.accounts()[0], call, to=token)
        self.mine(on=name)

    async def remove(self, bridge_id: str, name: str, *, on: Network) -> None:
        """Replace the block with an order's transaction, and all after it, by empty ones."""
        blocks = [each.block_number for each in await self.attempts(bridge_id, name)]
        (block,) = [each for each in blocks if each is not None]
        head = self.rpcs[on].block("latest")
        assert head is not None
        self.rpcs[on].call("anvil_reorg", int(head["number"], 16) - block + 1, [])

    async def work(self, outboxes: Mapping[Network, ChainOutbox] | None = None) -> None:
        """Run the worker's schedules once, and let what waits be due; with other outboxes."""
        offsets = await self.container.orgs.clock_offsets()
        await self.database.rows(
            "update chain_orders set due_at = created_at where state = 'CREATED'"
        )
        await self.database.rows("update chain_attempts set sent_at = sent_at - interval '1 hour'")
        await self.database.rows(
            "update transfers set due_at = updated_at where due_at is not null"
            " and kind = 'WALLET.BRIDGE' and status <> 'OPEN_QUOTE'"
        )
        # Without the delays between the attempts of one record.
        await self.container.scheduler.run_all(offsets)
        for name in self.rpcs:
            await (self.outbox(name) if outboxes is None else outboxes[name]).run_once()

    async def follow(self) -> None:
        """Credit the deposits in final blocks."""
        steps = self.container.chain_deposit_steps
        assert steps is not None
        while await steps.run_once(await self.container.orgs.clock_offsets()):
            pass

    async def address(self, user: str, chain: Chain) -> str:
        """Return the address of a user's wallet."""
        wallet = await self.container.wallets.find(self.org.org_id, UUID(user), chain)
        assert wallet is not None
        return wallet.address

    async def units(self, currency: str, address: str, on: Network) -> int:
        """Return the units that an address has on a chain."""
        context = self.outbox(on).context
        token = context.chain.tokens[currency].address
        return await context.client.token_balance(token, address)

    async def supply(self, currency: str, on: Network) -> int:
        """Return the units of a token that exist on a chain."""
        token = self.outbox(on).context.chain.tokens[currency].address
        return int(self.rpcs[on].read(token, "0x18160ddd"), 16)

    async def allowance(self, currency: str, owner: str) -> int:
        """Return what the messenger of POLYGON may still take from an address."""
        context = self.outbox(Network.POLYGON).context
        token = context.chain.tokens[currency].address
        assert context.chain.bridge is not None
        data = abi.ALLOWANCE.encode(owner, context.chain.bridge.token_messenger)
        return abi.decode_uint256(await context.client.call(destination=token, data=data))

    async def user(self, **funds: int) -> str:
        """Create a person with coins of these currencies on POLYGON; return their id."""
        assert self.container.evm is not None
        user = await make_user(self.org, chains=["POLYGON", self.into])
        await self.follow()
        for currency, coins in funds.items():
            faucet = self.container.evm.faucets[Network.POLYGON]
            address = await self.address(user, Chain.POLYGON)
            await faucet.mint(currency, address, coins * COIN)
        self.mine(FINAL_DEPTH + 1)
        await self.follow()
        return user

    async def quoted(
        self, user: str, amount: int = 10, *, currency: str = "usdc", **destination: str
    ) -> str:
        """Create a bridge to the other chain; return its id."""
        party = destination or {"userId": user}
        body = bridge_body(
            user,
            amount,
            source={"currency": currency},
            destination={"userId": None, "chain": self.into, "currency": currency, **party},
        )
        return str((await self.org.post(BRIDGES, body))["transferDetails"]["id"])

    async def accepted(self, user: str, amount: int = 10, **changes: Any) -> str:
        """Create and accept a bridge to the other chain; return its id."""
        bridge_id = await self.quoted(user, amount, **changes)
        await self.org.post(f"{BRIDGES}/{bridge_id}/accept")
        return bridge_id

    async def get(self, bridge_id: str) -> dict[str, Any]:
        return (await self.org.get(f"{BRIDGES}/{bridge_id}"))["transferDetails"]

    async def status(self, bridge_id: str) -> str:
        return str((await self.get(bridge_id))["status"])

    async def run_until(self, bridge_id: str, *statuses: str, mines: bool = True) -> None:
        """Work and mine until a bridge has one of these statuses."""
        found = ""
        for _ in range(_RUNS_MAX):
            found = await self.status(bridge_id)
            if found in statuses:
                return
            await self.work()
            if mines:
                self.mine()
        orders = [await self.order(bridge_id, each) for each in ("burn", "mint")]
        reasons = [each and (each.state, each.reason) for each in orders]
        raise AssertionError(f"the bridge stays {found}: {reasons}")

    async def finish(self) -> None:
        """Let all orders become final."""
        for _ in range(_RUNS_MAX):
            await self.work()
            self.mine()
            if not await self.database.rows(
                "select from chain_orders where state not in ('FINAL', 'REVERTED', 'REJECTED')"
            ):
                return
        raise AssertionError("orders do not become final")

    async def order(self, bridge_id: str, name: str) -> OutboxOrder | None:
        """Return an order of a bridge: its approve, burn or mint."""
        key = await key_of(self.org, bridge_id, name)
        return await self.database.single(lambda tx: order_store.get(tx, self.org.org_id, key))

    async def attempts(self, bridge_id: str, name: str) -> list[TransactionAttempt]:
        """Return the signed transactions of an order of a bridge."""
        key = await key_of(self.org, bridge_id, name)
        return await self.database.single(
            lambda tx: attempt_store.of_orders(tx, [(self.org.org_id, key)])
        )

    async def another_worker(self, **parts: Any) -> dict[Network, ChainOutbox]:
        """Return the outboxes of another worker, after the lease of the one before has ended.

        `parts` are other parts of their contexts.
        """
        await self.database.rows("update chain_leases set expires_at = '-infinity'")
        return {
            name: ChainOutbox(replace(self.outbox(name).context, **parts), owner=new_id())
            for name in self.rpcs
        }

    def minted(self, transaction_hash: str) -> tuple[bytes, bytes]:
        """Return the attested message of a burn on POLYGON, whatever the service answers now."""
        usual = Attestations(self.attestations.chains)
        (found,) = usual.messages(DOMAINS[Chain.POLYGON], transaction_hash) or []
        return bytes.fromhex(found["message"][2:]), bytes.fromhex(found["attestation"][2:])

    def relay(self, transaction_hash: str, **fields: str) -> str:
        """Submit the message of a burn as another party; return the transaction's hash."""
        name = Network(self.into)
        bridge = self.outbox(name).context.chain.bridge
        assert bridge is not None
        data = abi.RECEIVE_MESSAGE.encode(*self.minted(transaction_hash))
        rpc = self.rpcs[name]
        request = {
            "from": rpc.accounts()[1],
            "to": bridge.message_transmitter,
            "data": f"0x{data.hex()}",
            "gas": hex(500_000),
            **fields,
        }
        return str(rpc.call("eth_sendTransaction", request))


@asynccontextmanager
async def bridge_world(
    folder: Path,
    database: Database,
    *,
    into: Chain = Chain.BASE,
    bridges_tokens: bool = True,
    **overrides: Any,
) -> AsyncGenerator[BridgeWorld]:
    """Run POLYGON and another chain, their attestation service, a signer, and the product.

    `overrides` replace members of both chains' configuration; without `bridges_tokens` none of
    their tokens is bridgeable. Skips the test where the node can't
    be had.
    """
    first_port = free_ports(3)
    options = [
        NodeOptions(Chain.POLYGON, first_port, block_time_s=None),
        NodeOptions(into, first_port + 1, block_time_s=None),
    ]
    attestation_port = first_port + 2
    url = f"http://127.0.0.1:{attestation_port}"
    with ExitStack() as stack:
        nodes = stack.enter_context(run_nodes(anvil_binary(), options, logs=folder))
        rpcs = {Network(node.options.chain): node.rpc for node in nodes}
        configured = {
            str(node.options.chain): _configuration(
                deploy(node.rpc, node.options.chain, attestation_url=url), overrides
            )
            for node in nodes
        }
        connect_bridges(configured)
        if not bridges_tokens:
            for chain in configured.values():
                for currency, token in chain.tokens.items():
                    chain.tokens[currency] = msgspec.structs.replace(token, bridgeable=False)
        attestations = Attestations(attested_chains(configured))
        stack.enter_context(running_attestations(attestations, attestation_port))
        for rpc in rpcs.values():
            rpc.call("evm_setAutomine", False)  # noqa: FBT003  parameters of RPC have no names
        path = folder / "chains.toml"
        path.write_text(format_configuration(configured), encoding="utf-8")
        settings = msgspec.structs.replace(
            SETTINGS, chains_file=str(path), signer_socket=str(folder / "signer.sock")
        )
        container = wire(settings, database, Clock(await take_node(database)))
        async with running_signer(settings, folder), served(container) as client:
            org = await make_tenant(container, client)
            world = BridgeWorld(container, org, attestations, rpcs, into)
            assert container.evm is not None
            for funds in container.evm.local_funds.values():
                await funds.run()
            world.mine()
            try:
                yield world
            finally:
                await container.evm.close()


def _configuration(deployed: ChainConfiguration, overrides: dict[str, Any]) -> ChainConfiguration:
    members: dict[str, Any] = {
        "confirmations": CONFIRMATIONS,
        "finality": FINAL_DEPTH,
        "relayers": 1,
        "resend_after_s": 1,
        **overrides,
    }
    return msgspec.structs.replace(deployed, **members)
