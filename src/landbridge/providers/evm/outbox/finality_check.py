"""Reopens confirmed and final orders after a chain has lost their blocks.

Only the newest block of these orders is checked: a chain that has a block has all blocks below it.
So each new head costs one request, and an order that only waits to be final is not read.

A reopened order is followed again, and the reported result does not change:
- paid: its transaction is mined again, or its bytes are sent again, or a new one is signed if they
  can't pay any more (`tracking_step.py`);
- failed: its payment is not sent again. Another transaction uses up the nonce (`sending_step.py`).
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
from landbridge.providers.evm.outbox.model import FINAL_STATES

_log = structlog.stdlib.get_logger()

_BLOCKS_MAX = 10_000


class FinalityCheck:
    """Compares the blocks of one chain's confirmed and final orders with the node's chain."""

    def __init__(self, context: ChainContext) -> None:
        self._context = context

    async def run(self, head: BlockHeader, at: datetime) -> None:
        """Reopen orders in blocks that the chain has lost.

        A chain that is shorter than before, but otherwise the same, decides nothing.
        """
        client = self._context.client
        while newest := await self._blocks(head, limit=1):
            block = await client.block(newest[0].number)
            if block is None or block.hash == newest[0].hash:
                break
            stored = await self._blocks(head, limit=_BLOCKS_MAX)
            common = await find_common_block(stored, client.block)
            await self._reopen(stored[0].number - 1 if common is None else common.number, at)

    async def _blocks(self, head: BlockHeader, *, limit: int) -> Sequence[BlockRef]:
        """Return the newest blocks of these orders up to the head, in ascending order."""
        name = self._context.name
        found = await self._context.database.single(
            lambda tx: order_store.blocks(tx, name, up_to=head.number, limit=limit)
        )
        return found[::-1]

    async def _reopen(self, above: int, at: datetime) -> None:
        name = self._context.name
        counts = await self._context.database.transact(
            lambda tx: order_store.reopen(tx, name, above=above, at=at)
        )
        count = sum(counts.get(each, 0) for each in FINAL_STATES)
        if count:
            _log.error("chain.payments.reopened", chain=name, block=above, count=count)
            REOPENED.labels(name).inc(count)
