"""Segments of the books: the leaves of a part of the log, compared with the tree.

A segment begins after a number of leaves and ends at a position in the log. The log is append-only,
so a segment is always the same.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.changes.model import LogPosition
from landbridge.platform.changes.service import position_after
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.pool import Tx
from landbridge.reporting.proofs import leaf_store, store
from landbridge.reporting.proofs.leaves import LeafBuilder
from landbridge.reporting.proofs.model import BookLeaf, LoggedChange, StoredCheckpoint
from landbridge.reporting.proofs.sequencer import Sequencer, compute, salt_key
from landbridge.reporting.proofs.signing import CheckpointSigning
from landbridge.reporting.proofs.tree import (
    HASH_BYTES,
    TILE_WIDTH,
    TileKey,
    consistency_path,
    root_hash,
)


class BooksDiffer(LandbridgeError):
    """The changes of the database are not those of its tree."""


@dataclass(frozen=True, slots=True)
class BookSegments:
    """Reads segments of the books of all organisations."""

    sequencer: Sequencer
    signing: CheckpointSigning

    async def checkpoint(self, org_id: UUID, offset: timedelta) -> StoredCheckpoint | None:
        """Append all changes so far, and return a checkpoint of them; None without changes.

        Raises `BooksForked` if a published checkpoint is not one of this tree.
        """
        await self.sequencer.append_all(org_id)
        return await self.signing.sign(org_id, offset)

    async def end(self, org_id: UUID, until: datetime) -> LogPosition:
        """Return the position after the last change before a time, at least `SPREAD` ago."""
        return await self.sequencer.database.single(lambda tx: position_after(tx, org_id, until))

    async def root(self, org_id: UUID, size: int) -> bytes | None:
        """Return the root of the first `size` leaves; None if the tree has fewer."""

        async def work(tx: Tx) -> bytes | None:
            tree = await store.find(tx, org_id)
            if tree is None or tree.size < size:
                return None
            return await compute(tx, org_id, lambda read: root_hash(size, read))

        return await self.sequencer.database.single(work)

    async def growth(self, org_id: UUID, size: int, checkpoint: StoredCheckpoint) -> list[bytes]:
        """Return the proof that a checkpoint continues the first `size` leaves."""
        return await self.sequencer.database.single(
            lambda tx: compute(
                tx, org_id, lambda read: consistency_path(size, checkpoint.size, read)
            )
        )

    async def leaves(
        self, org_id: UUID, first: int, end: LogPosition
    ) -> AsyncIterator[list[BookLeaf]]:
        """Yield the leaves from index `first` up to a position, in lists of at most a block.

        Raises `BooksDiffer` at the first leaf that differs from the tree.
        """
        database = self.sequencer.database
        builder = LeafBuilder(await self._salt_key(org_id), first // TILE_WIDTH * TILE_WIDTH)
        is_more = True
        while is_more:
            number = builder.size // TILE_WIDTH
            changes = await database.single(
                lambda tx, each=number: self._block_changes(tx, org_id, each, builder)
            )
            inside = [each for each in changes if each.position < end]
            leaves = list(builder.build(inside))
            builder.blocks.clear()
            await database.single(
                lambda tx, each=number, built=leaves: _check_leaves(tx, org_id, each, built)
            )
            if found := [each for each in leaves if each.index >= first]:
                yield found
            is_more = len(inside) == TILE_WIDTH

    async def _salt_key(self, org_id: UUID) -> bytes:
        vault = self.sequencer.vault

        async def find_key(tx: Tx) -> bytes:
            return salt_key(await vault.make(tx, org_id, org_id))

        return await self.sequencer.database.transact(find_key)

    async def _block_changes(
        self, tx: Tx, org_id: UUID, number: int, builder: LeafBuilder
    ) -> list[LoggedChange]:
        """Return the changes of a block, and set the builder's balances to those before it."""
        block = (await store.blocks(tx, org_id, [number])).get(number)
        if block is None:
            return []
        builder.accounts.clear()
        builder.accounts.update(block.balances)
        before = LogPosition(block.first.place, block.first.object_id, block.first.seq - 1)
        return await leaf_store.read(tx, org_id, before, TILE_WIDTH)


async def _check_leaves(tx: Tx, org_id: UUID, number: int, leaves: list[BookLeaf]) -> None:
    key = TileKey(0, number)
    hashes = (await store.tiles(tx, org_id, [key])).get(key, b"")
    for at, leaf in enumerate(leaves):
        if hashes[at * HASH_BYTES : (at + 1) * HASH_BYTES] != leaf.hash:
            raise BooksDiffer(
                f"Change {leaf.index} of {org_id} is not that of the books: run "
                "`landbridge proofs verify`."
            )
