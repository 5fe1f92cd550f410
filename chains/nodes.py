"""Anvil nodes: one process for each chain, with its state in a file.

Guarantees:
- A node is ready when `run_nodes` yields: it answers with its chain id.
- Every node is stopped when `run_nodes` ends, with SIGTERM, so that it writes its state.

State: with a folder, a chain goes on where it was stopped. A node that is killed loses its latest
blocks, which looks like a reorganisation of the chain.
"""

import signal
import socket
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from chains.packages import MissingRequirement
from chains.rpc import Rpc
from landbridge.providers.chains.tokens import Chain

HOST = "127.0.0.1"
FIRST_PORT = 8545
CHAIN_IDS = {Chain.POLYGON: 137, Chain.ETHEREUM: 1, Chain.BASE: 8453}
# The attestation service has the port after those of the nodes.
ATTESTATION_PORT_OFFSET = len(CHAIN_IDS)
ATTESTATION_URL = f"http://{HOST}:{FIRST_PORT + ATTESTATION_PORT_OFFSET}"

_START_TIMEOUT_S = 30.0
_STOP_TIMEOUT_S = 30.0
_POLL_S = 0.02
# Room for hundreds of transfers in a block.
_BLOCK_GAS = 1_000_000_000
# The tag `finalized` lags two epochs behind the head: eight blocks instead of 64.
_EPOCH_SLOTS = 4
# An empty block takes about 1.8 kB of the file, which is always written whole.
_STATE_INTERVAL_S = 30


class NodeError(Exception):
    """A node did not start, or ended, in one sentence."""


@dataclass(frozen=True, slots=True)
class NodeOptions:
    """How a node runs. Without a block time, each transaction is mined in a block of its own."""

    chain: Chain
    port: int
    block_time_s: int | None = 1
    state: Path | None = None

    @property
    def url(self) -> str:
        """Address of the node's JSON-RPC."""
        return f"http://{HOST}:{self.port}"

    @property
    def arguments(self) -> list[str]:
        """Arguments of anvil."""
        arguments = ["--host", HOST, "--port", str(self.port), "--quiet"]
        arguments += ["--chain-id", str(CHAIN_IDS[self.chain]), "--gas-limit", str(_BLOCK_GAS)]
        arguments += ["--slots-in-an-epoch", str(_EPOCH_SLOTS)]
        if self.block_time_s is not None:
            arguments += ["--block-time", str(self.block_time_s)]
        if self.state is not None:
            arguments += ["--state", str(self.state), "--state-interval", str(_STATE_INTERVAL_S)]
        return arguments


@dataclass(frozen=True, slots=True)
class Node:
    """Running anvil."""

    options: NodeOptions
    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def rpc(self) -> Rpc:
        """Client of the node."""
        return Rpc(self.options.url)

    def check(self) -> None:
        """Refuse a node that has ended.

        Raises:
            NodeError: The process has ended.
        """
        if _is_running(self.process):
            return
        written = self.log.read_text(encoding="utf-8", errors="replace").strip()
        reason = written.partition("\n")[0] or "it wrote nothing"
        state = self.options.state
        hint = "" if state is None else f" If {state.name} is damaged, start with --fresh."
        code = self.process.returncode
        raise NodeError(f"The node of {self.options.chain} ended with code {code}: {reason}.{hint}")


def plan_nodes(
    *, first_port: int, block_time_s: int | None, folder: Path | None
) -> list[NodeOptions]:
    """Return the options of each EVM chain's node, on consecutive ports."""
    return [
        NodeOptions(
            chain, first_port + place, block_time_s, folder and folder / f"{chain.lower()}.json"
        )
        for place, chain in enumerate(CHAIN_IDS)
    ]


@contextmanager
def run_nodes(binary: Path, planned: Sequence[NodeOptions], *, logs: Path) -> Generator[list[Node]]:
    """Start nodes, yield them once all are ready, and stop them.

    Raises:
        MissingRequirement: A port is in use.
        NodeError: A node did not start.
    """
    for options in planned:
        check_port(options.port)
    logs.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        nodes: list[Node] = []
        # Called last: it waits for all, which were signalled before.
        stack.callback(lambda: [_wait(node) for node in nodes])
        for options in planned:
            node = _start(binary, options, logs / f"{options.chain.lower()}.log")
            nodes.append(node)
            stack.callback(node.process.terminate)
        for node in nodes:
            _await_ready(node)
        yield nodes


def watch(nodes: Sequence[Node], *, interval_s: float = 0.5) -> None:
    """Return never; raise when a node ends.

    Raises:
        NodeError: A node has ended.
    """
    while True:
        for node in nodes:
            node.check()
        time.sleep(interval_s)


def check_port(port: int) -> None:
    """Refuse a port that something listens on.

    Raises:
        MissingRequirement: The port is in use.
    """
    with socket.socket() as probe:
        # As the nodes do: a port that was in use a moment ago is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise MissingRequirement(
                f"Port {port} is in use: stop what listens there, or choose others with --port."
            ) from None


def _start(binary: Path, options: NodeOptions, log: Path) -> Node:
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(binary), *options.arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            # Ctrl-C reaches this program only, which then stops its nodes.
            process_group=0,
        )
    return Node(options, process, log)


def _await_ready(node: Node) -> None:
    expected = CHAIN_IDS[node.options.chain]
    deadline_s = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline_s:
        node.check()
        try:
            answered = node.rpc.chain_id()
        except OSError:
            time.sleep(_POLL_S)
            continue
        if answered != expected:
            raise NodeError(f"{node.options.url} has chain id {answered}, not {expected}")
        return
    raise NodeError(f"{node.options.url} did not answer within {_START_TIMEOUT_S:.0f} s")


def _is_running(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether a process has not ended."""
    # A handler that raises within `poll` may leave its lock held, and `wait` then never returns.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        return process.poll() is None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _wait(node: Node) -> None:
    try:
        node.process.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        node.process.send_signal(signal.SIGKILL)
        node.process.wait()
