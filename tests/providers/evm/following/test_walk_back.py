"""Walk-back against a model of a chain whose blocks are replaced at any time."""

import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.evm.chain_data import BlockHeader
from landbridge.providers.evm.following.model import BlockRef
from landbridge.providers.evm.following.walk_back import (
    find_common_block,
    linked_blocks,
    rewind_base,
)

# One step of a chain: how many blocks a reorganisation removes, and how many are added.
STEPS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 8)), max_size=30)


class ModelChain:
    """Chain of blocks; each block that ever existed has another hash."""

    def __init__(self) -> None:
        self._ids = itertools.count()
        self.blocks: list[BlockHeader] = []
        self.grow(1)

    def grow(self, count: int) -> None:
        for _ in range(count):
            parent = self.blocks[-1].hash if self.blocks else "0x"
            self.blocks.append(
                BlockHeader(
                    number=len(self.blocks),
                    hash=f"0x{next(self._ids):064x}",
                    parent_hash=parent,
                    timestamp_s=0,
                    base_fee_wei=None,
                )
            )

    def reorganise(self, removed: int, added: int) -> None:
        """Replace the last blocks; the genesis stays."""
        del self.blocks[max(len(self.blocks) - removed, 1) :]
        self.grow(added)

    async def block(self, number: int) -> BlockHeader | None:
        return self.blocks[number] if number < len(self.blocks) else None

    @property
    def refs(self) -> list[BlockRef]:
        return [BlockRef(each.number, each.hash) for each in self.blocks]


class ModelFollower:
    """Stored blocks of a chain, kept by the functions under test."""

    def __init__(self, chain: ModelChain, keep: int) -> None:
        self.chain = chain
        self.keep = keep
        self.stored = chain.refs[-1:]
        self.removed: list[BlockRef] = []

    async def follow(self, range_max: int) -> None:
        """Walk back if the latest stored block is gone, then read on."""
        common = await find_common_block(self.stored, self.chain.block)
        if common is None:
            number = rewind_base(
                start=self.stored[0].number,
                checkpoint=0,
                confirmed=len(self.chain.blocks) - 1,
                blocks_max=1_000,
            )
            common = self.chain.refs[number]
            self.removed, self.stored = [*self.removed, *self.stored], [common]
        else:
            self.removed += [each for each in self.stored if each.number > common.number]
            self.stored = [each for each in self.stored if each.number <= common.number]
        headers = self.chain.blocks[common.number + 1 :][:range_max]
        self.stored += [BlockRef(each.number, each.hash) for each in linked_blocks(common, headers)]
        del self.stored[: -self.keep]


@given(steps=STEPS, keep=st.integers(1, 20), range_max=st.integers(1, 5))
async def test_a_follower_ends_with_the_blocks_of_the_chain(
    steps: Sequence[tuple[int, int]], keep: int, range_max: int
) -> None:
    chain = ModelChain()
    follower = ModelFollower(chain, keep)
    for removed, added in steps:
        chain.reorganise(removed, added)
        await follower.follow(range_max)
        # Whatever is stored is of the chain, and only what the chain has lost was removed.
        assert set(follower.stored) <= set(chain.refs)
        assert not {each.hash for each in follower.removed} & {each.hash for each in chain.blocks}
    while follower.stored[-1] != chain.refs[-1]:
        await follower.follow(range_max)
    assert follower.stored == chain.refs[follower.stored[0].number :]


@given(steps=STEPS, gaps=st.integers(1, 5), removed=st.integers(0, 40), added=st.integers(0, 40))
async def test_the_common_block_is_the_highest_that_the_chain_still_has(
    steps: Sequence[tuple[int, int]], gaps: int, removed: int, added: int
) -> None:
    chain = ModelChain()
    for dropped, grown in steps:
        chain.reorganise(dropped, grown)
    stored = chain.refs[::gaps]
    chain.reorganise(removed, added)
    kept = [each for each in stored if each in set(chain.refs)]
    assert await find_common_block(stored, chain.block) == (kept[-1] if kept else None)


async def test_a_foreign_chain_has_no_common_block() -> None:
    chain, other = ModelChain(), ModelChain()
    chain.grow(5)
    other.grow(9)
    stored = [BlockRef(each.number, f"{each.hash}0") for each in other.blocks]
    assert await find_common_block(stored, chain.block) is None
    assert await find_common_block([], chain.block) is None


@given(
    start=st.integers(0, 10**7),
    checkpoint=st.none() | st.integers(0, 10**7),
    confirmed=st.integers(0, 10**7),
    blocks_max=st.integers(0, 10**6),
)
def test_a_rewind_is_bounded(
    start: int, checkpoint: int | None, confirmed: int, blocks_max: int
) -> None:
    base = rewind_base(
        start=start, checkpoint=checkpoint, confirmed=confirmed, blocks_max=blocks_max
    )
    assert 0 <= base <= min(start, confirmed)
    assert start - base <= blocks_max or base == confirmed


def test_blocks_are_linked_up_to_the_first_gap() -> None:
    chain = ModelChain()
    chain.grow(4)
    parent, before = chain.refs[0], chain.blocks[1:]
    assert linked_blocks(parent, before) == before
    assert linked_blocks(parent, [*before[:2], None]) == before[:2]
    assert linked_blocks(parent, [None, *before]) == []
    assert linked_blocks(parent, before[1:]) == []
    # The chain was reorganised between two reads: the next block has another parent.
    chain.reorganise(3, 3)
    assert linked_blocks(parent, [before[0], before[1], *chain.blocks[3:]]) == before[:2]
