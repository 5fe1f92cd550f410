"""The node of the soak, which stops, dies and comes back as a node with a disk does.

Anvil has no database. What it had written to a disk is its state of some moments before it is
killed: the blocks since then and all waiting transactions are lost with it. Its history of states
is not written: with it, anvil loses the code of contracts at a later reorganisation. So the chain
can be reorganised only above the block with which the node came back.
"""

import asyncio
import gzip
import os
import random
import signal
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from chains.nodes import Node, run_nodes

from tests.chain_world import ChainWorld
from tests.providers.evm.anvil import anvil_binary


class SoakNode:
    """Running node of a world; `base` is the lowest block down to which it can reorganise."""

    def __init__(self, world: ChainWorld, folder: Path, chance: random.Random) -> None:
        self.base = 0
        self.blocks_lost = 0
        self._world = world
        self._folder = folder
        self._chance = chance
        self._node: Node = world.node
        self._restarted = ExitStack()

    def close(self) -> None:
        """Stop the node if it was started again; the world stops its first one."""
        self._restarted.close()

    def height(self) -> int:
        """Return the number of the latest block."""
        return int(self._world.rpc.call("eth_blockNumber"), 16)

    def keep(self) -> None:
        """Let no reorganisation take away the blocks so far."""
        self.base = self.height()

    def reorganise(self, depth: int) -> None:
        """Replace up to `depth` of the latest blocks by empty ones."""
        depth = min(depth, self.height() - self.base)
        if depth > 0:
            self._world.reorganise(depth)

    async def pause(self) -> None:
        """Answer nothing for longer than a request waits, and then all at once."""
        os.kill(self._node.process.pid, signal.SIGSTOP)
        await asyncio.sleep(1 + self._chance.random())
        os.kill(self._node.process.pid, signal.SIGCONT)

    async def kill(self, *, blocks_max: int) -> None:
        """Kill the node, up to `blocks_max` blocks after its latest write, and start it again."""
        state = self._folder / "node.json"
        written = self._write(state)
        for _ in range(self._chance.randint(0, blocks_max)):
            await asyncio.sleep(0.1)
            self._world.mine()
        # The workers' requests are under way meanwhile.
        await asyncio.sleep(self._chance.random() / 10)
        self.blocks_lost += self.height() - written
        os.kill(self._node.process.pid, signal.SIGKILL)
        self._node.process.wait()
        await asyncio.sleep(self._chance.random())
        options = replace(self._node.options, state=state)
        nodes = run_nodes(anvil_binary(), [options], logs=self._folder)
        (self._node,) = self._restarted.enter_context(nodes)
        self._world.rpc.call("evm_setAutomine", False)  # noqa: FBT003  parameters of RPC have no names
        self.keep()

    def _write(self, state: Path) -> int:
        """Write the chain without its history of states; return its height."""
        dump = self._world.rpc.call("anvil_dumpState", False)  # noqa: FBT003  as above
        state.write_bytes(gzip.decompress(bytes.fromhex(dump.removeprefix("0x"))))
        return self.height()
