"""Signing: checkpoints of each organisation's tree, stored, cosigned and published.

Guarantees:
- A checkpoint is stored before it leaves the process, so there are never two of the same size.
- A stored checkpoint is published even if the process is killed in between: the next process
  publishes the same bytes before it signs another one.
- If a published checkpoint does not belong to this tree, nothing is signed until `resume`: a second
  history with the same origin could never be revoked.
"""

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from uuid import UUID

import structlog

from landbridge.platform.changes.service import SPREAD
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.reporting.proofs import store
from landbridge.reporting.proofs.checkpoints import CheckpointSigner, growth_text, head_text
from landbridge.reporting.proofs.model import ProofTree, StoredCheckpoint
from landbridge.reporting.proofs.publication import BooksForked, CheckpointFolder, PublishedHead
from landbridge.reporting.proofs.sequencer import compute
from landbridge.reporting.proofs.tree import consistency_path, root_hash

_log = structlog.stdlib.get_logger()

# Checkpoint, and the proof that it continues the published one; None if there is no such one.
PublishedCheckpoint = tuple[StoredCheckpoint, str | None]

_NO_CLOSES: Mapping[UUID, datetime] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CheckpointSigning:
    """Signs checkpoints of all organisations: one per interval `every` while a tree grows."""

    database: Database
    vault: Vault
    clock: Clock
    every: timedelta
    folder: CheckpointFolder
    # Cache of organisations with a published latest checkpoint.
    _published: set[UUID] = field(init=False, default_factory=set[UUID])

    async def sign_due(
        self, offsets: Mapping[UUID, timedelta], closed_at: Mapping[UUID, datetime] = _NO_CLOSES
    ) -> None:
        """Sign a checkpoint of each tree that has grown, if its last one is old enough.

        `closed_at` is when the last daily close was confirmed: its change is covered at once.
        """
        for org_id in offsets.keys() - self._published:
            with _logged_failures(org_id):
                await self._publish_last(org_id)
        unsigned = await self.database.single(lambda tx: store.find_unsigned(tx, offsets.keys()))
        for org_id, last_at in unsigned.items():
            is_recent = (
                last_at is not None and last_at > self.clock.now(offsets[org_id]) - self.every
            )
            if is_recent and not _is_closing(closed_at.get(org_id), last_at):
                continue
            with _logged_failures(org_id):
                await self.sign(org_id, offsets[org_id])

    async def sign(self, org_id: UUID, offset: timedelta) -> StoredCheckpoint | None:
        """Return the latest checkpoint, signed now if the tree has grown; None without leaves.

        Raises `BooksForked` if a published checkpoint does not belong to this tree.
        """
        at = self.clock.now(offset)
        published = await asyncio.to_thread(self.folder.last, org_id)

        async def work(tx: Tx) -> PublishedCheckpoint | None:
            tree = await store.lock(tx, org_id)
            await _check_continues(tx, tree, published)
            last = await store.last_checkpoint(tx, org_id)
            if (tree.epoch, tree.size) <= (last.epoch, last.size) if last else not tree.size:
                return None if last is None else await _with_growth(tx, org_id, last, published)
            key = await self.vault.make(tx, org_id, org_id)
            root = await compute(tx, org_id, lambda read: root_hash(tree.size, read))
            signer = CheckpointSigner.of(key, org_id, tree.epoch)
            note = signer.sign(tree.size, root, previous=tree.previous_head)
            new = StoredCheckpoint(tree.epoch, tree.size, root, note, at)
            await store.add_checkpoint(tx, org_id, new)
            return await _with_growth(tx, org_id, new, published)

        self._published.discard(org_id)
        signed = await self.database.transact(work)
        if signed is not None:
            await asyncio.to_thread(self.folder.publish, org_id, *signed)
        self._published.add(org_id)
        return None if signed is None else signed[0]

    async def _publish_last(self, org_id: UUID) -> None:
        """Publish the latest checkpoint, unless it is published; raises as `sign` does."""
        published = await asyncio.to_thread(self.folder.last, org_id)

        async def work(tx: Tx) -> PublishedCheckpoint | None:
            last = await store.last_checkpoint(tx, org_id)
            if last is None:
                return None
            await _check_continues(tx, await store.lock(tx, org_id), published)
            return await _with_growth(tx, org_id, last, published)

        last = await self.database.transact(work)
        if last is not None:
            await asyncio.to_thread(self.folder.publish, org_id, *last)
        self._published.add(org_id)

    async def resume(self, org_id: UUID) -> int:
        """Begin an epoch after a restored backup; return its number.

        Its checkpoints name the last published one, so that the lost changes are visible. Raises
        `ResourceConflict` if the published checkpoints belong to this tree.
        """
        published = await asyncio.to_thread(self.folder.last, org_id)

        async def work(tx: Tx) -> int:
            tree = await store.lock(tx, org_id)
            if published is None or not await _is_forked(tx, tree, published):
                raise ResourceConflict("the published checkpoints are those of this database")
            epoch = max(tree.epoch, published.epoch) + 1
            await store.begin_epoch(tx, org_id, epoch, head_text(published.head))
            return epoch

        return await self.database.transact(work)

    async def verifier_keys(self, org_id: UUID) -> list[str]:
        """Return the public key of each epoch, the current one last."""
        return await self.database.transact(lambda tx: verifier_keys(tx, self.vault, org_id))


async def verifier_keys(tx: Tx, vault: Vault, org_id: UUID) -> list[str]:
    """Return the public key of each epoch, the current one last."""
    tree = await store.find(tx, org_id)
    key = await vault.make(tx, org_id, org_id)
    epochs = range(1, 2 if tree is None else tree.epoch + 1)
    return [CheckpointSigner.of(key, org_id, each).verifier_key for each in epochs]


def _is_closing(closed_at: datetime | None, last_at: datetime | None) -> bool:
    """Return whether a checkpoint of this time may still lack the change of a close.

    The worker appends its change to the tree within seconds.
    """
    return closed_at is not None and (last_at is None or closed_at > last_at - SPREAD)


@contextmanager
def _logged_failures(org_id: UUID) -> Generator[None]:
    """Log and suppress failures for one organisation, so that the others continue."""
    with logged_failures(busy="proofs.busy", failed="proofs.failed", org_id=str(org_id)):
        try:
            yield
        except BooksForked as error:
            _log.error("proofs.forked", org_id=str(org_id), reason=str(error))


async def _check_continues(tx: Tx, tree: ProofTree, published: PublishedHead | None) -> None:
    if published is not None and await _is_forked(tx, tree, published):
        raise BooksForked(
            f"The published checkpoint of {published.head.size} changes is not one of this "
            "database: a backup was restored. `landbridge proofs resume` begins an epoch."
        )


async def _with_growth(
    tx: Tx, org_id: UUID, checkpoint: StoredCheckpoint, published: PublishedHead | None
) -> PublishedCheckpoint:
    """Return a checkpoint with the proof that it continues the published one of its epoch."""
    if published is None or published.epoch != checkpoint.epoch:
        return checkpoint, None
    old, size = published.head.size, checkpoint.size
    if old >= size:
        return checkpoint, None
    path = await compute(tx, org_id, lambda read: consistency_path(old, size, read))
    return checkpoint, growth_text(old, path, checkpoint.note)


async def _is_forked(tx: Tx, tree: ProofTree, published: PublishedHead) -> bool:
    """Return whether a tree can't continue the latest published checkpoint."""
    size = published.head.size
    if published.epoch != tree.epoch or size > tree.size:
        # A new epoch without a published checkpoint has nothing to continue.
        return published.epoch >= tree.epoch
    return await compute(tx, tree.org_id, lambda read: root_hash(size, read)) != published.head.root
