"""Transfers on a local EVM chain, from the request to finality, beside what its node can mine.

The node's own limit is measured first, in the same run: signed transfers of tokens, sent as bytes
by as many accounts as we have relayers.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import msgspec
from chains.artifacts import encode_call
from chains.configuration import ChainConfiguration, write_configuration
from chains.deploy import deploy, fund
from chains.nodes import NodeOptions, run_nodes
from chains.packages import fetch_anvil
from chains.rpc import Rpc
from coincurve import PrivateKey

from bench import databases, machine, server
from landbridge.platform.core.ids import new_id
from landbridge.platform.formats.evm_addresses import checked_evm_address, keccak256
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm.signing.model import UnsignedTransaction
from landbridge.providers.evm.signing.transactions import raw_transaction, transaction_digest
from landbridge.sandbox.scenarios.client import ScenarioClient, connected
from landbridge.sandbox.scenarios.people import sign_up

PrintLine = Callable[[str], None]

_KEY = "lb_sandbox_chain-bench-0123456789"
_GWEI = 10**9
_BATCH = 100
_TOGETHER = 24
_PAYERS = 12
_PARTS = ("postgres", "worker", "api", "signer")
_DONE = "select count(*) from transfers where kind = 'WALLET.TRANSFER' and status = 'COMPLETED'"


@dataclass(frozen=True, slots=True)
class ChainEffort:
    """How many transfers, and with how many relayers."""

    transfers: int
    relayers: Sequence[int]


DEFAULT = ChainEffort(transfers=2_000, relayers=(1, 4))
QUICK = ChainEffort(transfers=300, relayers=(2,))


@dataclass(frozen=True, slots=True)
class ChainFigures:
    """Per second: what the node mined of raw bytes, and our transfers that were completed.

    `steady` leaves out the first and the last tenth, and so the wait for finality. `signatures`
    are those that the signer would make with a whole core. `cpu_ms` is CPU time of one transfer in
    each of `_PARTS` and the node: unlike rates, other work on the machine hardly changes it.
    """

    relayers: int
    node: float
    overall: float
    steady: float
    signatures: float
    cpu_ms: Mapping[str, float]


def measure(effort: ChainEffort, print_line: PrintLine) -> list[ChainFigures]:
    """Measure with each number of relayers, on a new chain and a new installation each."""
    return [_measure_one(effort.transfers, each, print_line) for each in effort.relayers]


def markdown(found: Sequence[ChainFigures]) -> str:
    """Return a table of figures per second."""
    lines = [
        "| Relayers | Node alone | Transfers, steady | Ratio | From first to last | Signer, core |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {each.relayers} | {each.node:.0f}/s | {each.steady:.0f}/s "
        f"| {each.steady / each.node:.2f} | {each.overall:.0f}/s | {each.signatures:.0f}/s |"
        for each in found
    ]
    lines += ["", "| Relayers | CPU ms of a transfer | of which |", "|---|---|---|"]
    lines += [
        f"| {each.relayers} | {sum(each.cpu_ms.values()):.1f} | "
        + ", ".join(f"{part} {spent:.1f}" for part, spent in each.cpu_ms.items())
        + " |"
        for each in found
    ]
    return "\n".join(lines)


def _measure_one(transfers: int, relayers: int, print_line: PrintLine) -> ChainFigures:
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as name:
        folder = Path(name)
        options = NodeOptions(Chain.POLYGON, server.free_port())
        with run_nodes(fetch_anvil(), [options], logs=folder) as (node,):
            configuration = msgspec.structs.replace(
                deploy(node.rpc, Chain.POLYGON), relayers=relayers
            )
            mined = asyncio.run(_feed_node(node.rpc, configuration, transfers, relayers))
            print_line(f"{relayers} relayers: the node alone mines {mined:.0f}/s")
            write_configuration(folder / "chains.toml", {"POLYGON": configuration})
            os.environ["LANDBRIDGE_CHAINS_FILE"] = str(folder / "chains.toml")
            os.environ["LANDBRIDGE_API_KEY"] = _KEY
            with server.serving(folder / "data") as ours:
                token = configuration.tokens["usdc"].address
                pids = {part: ours.pids(part) for part in _PARTS}
                pids["node"] = [node.process.pid]
                before = {part: machine.cpu_s(each) for part, each in pids.items()}
                figures = asyncio.run(_pay(ours, node.rpc, token, transfers))
                cpu_ms = {
                    part: (machine.cpu_s(each) - before[part]) * 1000 / transfers
                    for part, each in pids.items()
                }
    overall, steady, signatures = figures
    print_line(f"{relayers} relayers: {steady:.0f} transfers/s to finality")
    return ChainFigures(relayers, mined, overall, steady, signatures, cpu_ms)


async def _feed_node(
    rpc: Rpc, configuration: ChainConfiguration, count: int, senders: int
) -> float:
    """Send signed transfers as bytes; return how many the node mined per second."""
    token = configuration.tokens["usdc"].address
    each_count = count // senders
    raws: list[list[str]] = []
    addresses: list[str] = []
    for _ in range(senders):
        key = PrivateKey()
        address = _address(key)
        fund(rpc, configuration, address)
        addresses.append(address)
        raws.append([_signed(key, token, nonce) for nonce in range(each_count)])
    began_s = time.monotonic()
    async with aiohttp.ClientSession() as session:
        await asyncio.gather(*[_send_all(session, rpc.url, each) for each in raws])
    while any(_nonce(rpc, each) < each_count for each in addresses):  # noqa: ASYNC110  a node is polled
        await asyncio.sleep(0.05)
    return each_count * senders / (time.monotonic() - began_s)


async def _send_all(session: aiohttp.ClientSession, url: str, raws: Sequence[str]) -> None:
    for first in range(0, len(raws), _BATCH):
        calls = [
            {"jsonrpc": "2.0", "id": number, "method": "eth_sendRawTransaction", "params": [raw]}
            for number, raw in enumerate(raws[first : first + _BATCH])
        ]
        async with session.post(url, json=calls) as response:
            answers = await response.json()
        assert all("result" in answer for answer in answers), answers


def _address(key: PrivateKey) -> str:
    return checked_evm_address(
        f"0x{keccak256(key.public_key.format(compressed=False)[1:])[-20:].hex()}"
    )


def _signed(key: PrivateKey, token: str, nonce: int) -> str:
    unsigned = UnsignedTransaction(
        chain=Network.POLYGON,
        chain_id=137,
        nonce=nonce,
        max_fee_wei=100 * _GWEI,
        tip_wei=_GWEI,
        gas=100_000,
        destination=token,
        value_wei=0,
        data=bytes.fromhex(
            encode_call("transfer(address,uint256)", f"0x{nonce + 1:040x}", 1).removeprefix("0x")
        ),
    )
    packed = key.sign_recoverable(transaction_digest(unsigned), hasher=None)  # pyright: ignore[reportUnknownMemberType]
    r, s = int.from_bytes(packed[:32]), int.from_bytes(packed[32:64])
    return f"0x{raw_transaction(unsigned, y_parity=packed[64], r=r, s=s).raw.hex()}"


def _nonce(rpc: Rpc, address: str) -> int:
    return int(rpc.call("eth_getTransactionCount", address, "latest"), 16)


async def _pay(ours: server.Server, rpc: Rpc, token: str, count: int) -> tuple[float, float, float]:
    """Make transfers; return per second: all, those in the middle, signatures of a core."""
    signer = ours.pids("signer")
    async with connected(f"http://127.0.0.1:{ours.port}", _KEY) as client:
        payee = await sign_up(client, "Payee")
        payers = [await sign_up(client, f"Payer{each}") for each in range(_PAYERS)]
        for each in payers:
            await _fund_payer(client, rpc, token, each)
        for each in payers:
            while not await _is_funded(client, each):  # noqa: ASYNC110  the API is polled
                await asyncio.sleep(0.2)
        spent_s = machine.precise_cpu_s(signer)
        began_s = time.monotonic()
        requests = asyncio.create_task(_request_all(client, payers, payee, count))
        reached: dict[float, float] = {}
        done = 0
        while done < count:
            await asyncio.sleep(0.1)
            done = await asyncio.to_thread(databases.count, ours.dsn, _DONE)
            for part in (0.1, 0.9, 1.0):
                if done >= part * count:
                    reached.setdefault(part, time.monotonic())
        await requests
        spent_s = machine.precise_cpu_s(signer) - spent_s
    middle_s = reached[0.9] - reached[0.1]
    # Each transfer has two: the payer's authorization and the relayer's transaction.
    return count / (reached[1.0] - began_s), 0.8 * count / middle_s, 2 * count / spent_s


async def _fund_payer(client: ScenarioClient, rpc: Rpc, token: str, user: str) -> None:
    """Mint coins at the address of a user, as from outside; it has no native coins."""
    found = await client.get(f"/v2/users/{user}")
    address = found["wallets"]["INDIVIDUAL"]["POLYGON"]["address"]
    rpc.send(rpc.accounts()[0], encode_call("mint(address,uint256)", address, 10**12), to=token)


async def _is_funded(client: ScenarioClient, user: str) -> bool:
    path = f"/v2/users/{user}/wallets/balance"
    balance = await client.get(path, chain="POLYGON", currency="usdc")
    return int(balance["availableBalance"]) > 0


async def _request_all(
    client: ScenarioClient, payers: Sequence[str], payee: str, count: int
) -> None:
    gate = asyncio.Semaphore(_TOGETHER)

    async def request(number: int) -> None:
        body = {
            "requestId": str(new_id()),
            "chain": "POLYGON",
            "currency": "usdc",
            "source": {"userId": payers[number % len(payers)]},
            "destination": {"userId": payee},
            "amount": "0.01",
        }
        async with gate:
            await client.post("/v2/wallets/transfers", body)

    await asyncio.gather(*[request(number) for number in range(count)])
