"""Reorganisations: the last block that is both stored and on the chain, and links of blocks.

Pure, except for the blocks that are read: tests run it against a model of a chain.
"""

from collections.abc import Awaitable, Callable, Sequence

from landbridge.providers.evm.chain_data import BlockHeader
from landbridge.providers.evm.following.model import BlockRef

ReadBlock = Callable[[int], Awaitable[BlockHeader | None]]


async def find_common_block(stored: Sequence[BlockRef], read_block: ReadBlock) -> BlockRef | None:
    """Return the highest stored block that is on the node's chain; None if none is.

    `stored` is in ascending order and may have gaps. A chain that has a block has all stored blocks
    below it, so a binary search reads few of them.
    """
    common: BlockRef | None = None
    low, high = 0, len(stored)
    while low < high:
        middle = (low + high) // 2
        candidate = stored[middle]
        header = await read_block(candidate.number)
        if header is not None and header.hash == candidate.hash:
            common, low = candidate, middle + 1
        else:
            high = middle
    return common


def linked_blocks(parent: BlockRef, headers: Sequence[BlockHeader | None]) -> Sequence[BlockHeader]:
    """Return the first blocks that continue `parent` without a gap, by their parent hashes."""
    linked: list[BlockHeader] = []
    for header in headers:
        is_next = (
            header is not None
            and header.number == parent.number + 1
            and header.parent_hash == parent.hash
        )
        if header is None or not is_next:
            break
        linked.append(header)
        parent = BlockRef(header.number, header.hash)
    return linked


def rewind_base(*, start: int, checkpoint: int | None, confirmed: int, blocks_max: int) -> int:
    """Return the block from which to read a chain that has none of the stored blocks.

    Such a chain differs already below `start`, so blocks before it are new too. At most
    `blocks_max` of them are read, and none before the checkpoint, if the chain still has it.
    """
    base = max(checkpoint or 0, start - blocks_max, 0)
    return min(base, start, confirmed)
