"""Reopens final orders after a chain has lost their blocks: a reorganisation below its finality.

The newest block of all final orders stands for those below: a chain that has a block has all blocks
below it. So each new head costs one request.

A reopened order stays reported as paid, and is followed again: its transaction is mined again, or
its bytes are sent again, or a new one is signed if they can't pay any more (`tracking_step.py`).
"""

from collections.abc import Sequence
from datetime import datetime

import structlog

from landbridge.providers.evm.chain_data import BlockHeader
from landbridge.providers.evm.following.model import BlockRef
from landbridge.providers.evm.following.walk_back import find_common_block
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.chain_context import ChainContext
from landbridge.providers.evm.outbox.metrics import REOPENED

_log = structlog.stdlib.get_logger()

_BLOCKS_MAX = 10_000


class FinalityCheck:
    """Compares the blocks of one chain's final orders with the chain."""

    def __init__(self, context: ChainContext) -> None:
        self._context = context

    async def run(self, head: BlockHeader, at: datetime) -> int:
        """Reopen the final orders that the chain has lost; return how many.

        A chain that is shorter than before, and the same as far as it goes, decides nothing.
        """
        client = self._context.client
        count = 0
        while newest := await self._blocks(head, limit=1):
            block = await client.block(newest[0].number)
            if block is None or block.hash == newest[0].hash:
                break
            stored = await self._blocks(head, limit=_BLOCKS_MAX)
            common = await find_common_block(stored, client.block)
            above = stored[0].number - 1 if common is None else common.number
            count += await self._reopen(above, at)
        return count

    async def _blocks(self, head: BlockHeader, *, limit: int) -> Sequence[BlockRef]:
        """Return the newest blocks of final orders up to the head, in ascending order."""
        name = self._context.name
        found = await self._context.database.single(
            lambda tx: order_store.final_blocks(tx, name, up_to=head.number, limit=limit)
        )
        return found[::-1]

    async def _reopen(self, above: int, at: datetime) -> int:
        name = self._context.name
        count = await self._context.database.single(
            lambda tx: order_store.reopen(tx, name, above=above, at=at)
        )
        _log.error("chain.payments.reopened", chain=name, block=above, count=count)
        REOPENED.labels(name).inc(count)
        return count
