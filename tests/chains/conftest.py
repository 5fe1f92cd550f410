"""One anvil per test process, which mines each transaction in a block of its own."""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from chains.nodes import Node, NodeOptions, check_port, run_nodes
from chains.packages import MissingRequirement, fetch_anvil
from chains.rpc import Rpc

from landbridge.providers.chains.tokens import Chain
from tests.chains.contracts import Contract, deploy_contract

# Above those of `tests/app/processes/server_process.py`, below those that systems give to outgoing
# connections. Test processes, which have neighbouring ids, begin far from each other: a node may
# start on its port seconds after the port was found free.
_PORTS = range(30_000, 32_760, 8)


def _ports() -> Iterator[int]:
    # Not before the first is needed: a test process is forked after it has imported this.
    yield from itertools.islice(itertools.cycle(_PORTS), os.getpid() * 101 % len(_PORTS), None)


_candidates = _ports()


@pytest.fixture(scope="session")
def anvil() -> Path:
    """Binary of the node; tests that need it are skipped where it cannot be had."""
    try:
        return fetch_anvil()
    except MissingRequirement as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def node(anvil: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    options = NodeOptions(Chain.POLYGON, free_ports(1), block_time_s=None)
    with run_nodes(anvil, [options], logs=tmp_path_factory.mktemp("node")) as nodes:
        yield nodes[0]


@pytest.fixture
def rpc(node: Node) -> Rpc:
    return node.rpc


@pytest.fixture
def owner(rpc: Rpc) -> str:
    """Unlocked account that deploys, and owns the tokens."""
    return rpc.accounts()[0]


@pytest.fixture
def relayer(rpc: Rpc) -> str:
    """Unlocked account that pays for the calls of others."""
    return rpc.accounts()[1]


@pytest.fixture
def dollar(rpc: Rpc, owner: str) -> Contract:
    return deploy_contract(rpc, owner, "TestDollar", "USD Coin", "USDC")


@pytest.fixture
def tether(rpc: Rpc, owner: str) -> Contract:
    return deploy_contract(rpc, owner, "TestTether", "Tether USD", "USDT")


@pytest.fixture
def disperse(rpc: Rpc, owner: str) -> Contract:
    return deploy_contract(rpc, owner, "Disperse")


@pytest.fixture
def delegate(rpc: Rpc, owner: str) -> Contract:
    return deploy_contract(rpc, owner, "Delegate")


@pytest.fixture
def first_port() -> int:
    """First of four consecutive free ports."""
    return free_ports(4)


@pytest.fixture
def other_port() -> int:
    """First of four further ones."""
    return free_ports(4)


def free_ports(count: int) -> int:
    """Return the first of consecutive ports that nothing listens on."""
    while True:
        first = next(_candidates)
        try:
            for index in range(count):
                check_port(first + index)
        except MissingRequirement:
            continue
        return first
