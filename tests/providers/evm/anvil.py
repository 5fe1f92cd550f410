"""Anvil, a real node for tests, as local chains run it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from chains.nodes import NodeOptions, run_nodes
from chains.packages import MissingRequirement, fetch_anvil
from chains.rpc import Rpc

from landbridge.platform.core.clock import ReadingClock
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.rpc import ChainClient
from tests.chains.conftest import free_ports

CHAIN_ID = 137


@dataclass(frozen=True)
class LocalChain:
    """Chain of a local node, which the test mines and reorganises."""

    rpc: Rpc

    def mine(self, blocks: int = 1) -> None:
        """Mine blocks; the first has all transactions that wait."""
        self.rpc.call("anvil_mine", hex(blocks))

    def reorganise(self, depth: int) -> None:
        """Replace the last blocks by empty ones; their transactions are lost."""
        self.rpc.call("anvil_reorg", depth, [])


def anvil_binary() -> Path:
    """Return the binary; skip the test where it can't be had."""
    try:
        return fetch_anvil()
    except MissingRequirement as missing:
        pytest.skip(str(missing))


@asynccontextmanager
async def running_anvil(logs: Path) -> AsyncGenerator[tuple[Rpc, ChainClient]]:
    """Run a new chain, which mines each transaction at once; yield its control and our client."""
    options = NodeOptions(Chain.POLYGON, free_ports(1), block_time_s=None)
    with run_nodes(anvil_binary(), [options], logs=logs) as (node,):
        urls = [NodeUrl.parse(options.url)]
        async with ChainClient(urls, chain_id=CHAIN_ID, clock=ReadingClock()) as client:
            yield node.rpc, client
