"""Sequencer: appends the changes of each organisation to its tree, and measures its lag.

Guarantees:
- Every change becomes one leaf: tree, tiles and accounts are updated in one transaction under the
  lock of the organisation's row. A worker may be killed at any point, and several may run at once.
- No late commit is skipped: it gets a place in the log above those that were read.
- No worker waits for an organisation that another worker has locked, and no lock is held for long.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from prometheus_client import Gauge

from landbridge.platform.changes.placing import place_changes
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.reporting.proofs import leaf_store, store
from landbridge.reporting.proofs.leaves import LeafBuilder
from landbridge.reporting.proofs.model import ProofTree
from landbridge.reporting.proofs.tree import (
    TILE_WIDTH,
    NodeReader,
    append,
    edge_keys,
    node_reader,
    tiles_needed,
)

T = TypeVar("T")

# Leaves per transaction; these take about 20 ms of CPU time.
LEAVES_AT_ONCE = TILE_WIDTH
# Steps for one organisation before the next one.
_STEPS_MAX = 40

BEHIND = Gauge(
    "landbridge_proofs_behind_changes",
    "Changes that are not in the provable books yet, up to ten thousand per organisation.",
    multiprocess_mode="mostrecent",
)

BEHIND_SECONDS = Gauge(
    "landbridge_proofs_behind_seconds",
    "Age of the oldest change that is not in the provable books yet.",
    multiprocess_mode="mostrecent",
)
BEHIND_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Sequencer:
    """Sequencer of all organisations."""

    database: Database
    vault: Vault

    async def run_once(self, org_ids: Collection[UUID]) -> bool:
        """Append new changes of these organisations; return whether more may be pending."""
        await place_changes(self.database, org_ids)
        behind = await self.database.single(lambda tx: store.find_behind(tx, org_ids))
        is_more = False
        for org_id in behind:
            with logged_failures(busy="proofs.busy", failed="proofs.failed", org_id=str(org_id)):
                is_more |= await self._append_some(org_id)
        return is_more

    async def _append_some(self, org_id: UUID) -> bool:
        for _ in range(_STEPS_MAX):
            if await self.append(org_id) < LEAVES_AT_ONCE:
                return False
        return True

    async def append(self, org_id: UUID, *, leaves_max: int = LEAVES_AT_ONCE) -> int:
        """Append changes that have a place; return their number, 0 if another worker does this."""

        async def work(tx: Tx) -> int:
            tree = await store.take(tx, org_id)
            return 0 if tree is None else await self._append(tx, tree, leaves_max)

        return await self.database.transact(work)

    async def append_all(self, org_id: UUID) -> None:
        """Append all committed changes of an organisation, waiting for other workers."""
        await place_changes(self.database, [org_id])

        async def work(tx: Tx) -> int:
            return await self._append(tx, await store.lock(tx, org_id), LEAVES_AT_ONCE)

        while await self.database.transact(work):
            pass

    async def _append(self, tx: Tx, tree: ProofTree, leaves_max: int) -> int:
        changes = await leaf_store.read(tx, tree.org_id, tree.read_to, leaves_max)
        if not changes:
            return 0
        touched = {entry.account for change in changes for entry in change.entries}
        block = await store.block(tx, tree.org_id, tree.size // TILE_WIDTH)
        key = await self.vault.make(tx, tree.org_id, tree.org_id)
        builder = LeafBuilder(salt_key(key), tree.size, block)
        builder.accounts.update(await store.accounts(tx, tree.org_id, touched))
        hashes = [leaf.hash for leaf in builder.build(changes)]
        edge = await store.tiles(tx, tree.org_id, edge_keys(tree.size))
        by_level = {each.level: row for each, row in edge.items()}
        await store.write_tiles(tx, tree.org_id, append(by_level, tree.size, hashes))
        await store.write_blocks(tx, tree.org_id, builder.blocks.values())
        await store.write_accounts(tx, tree.org_id, builder.accounts)
        await store.advance(tx, tree.org_id, builder.size, changes[-1].position)
        return len(changes)


async def compute(tx: Tx, org_id: UUID, work: Callable[[NodeReader], T]) -> T:
    """Read the tiles that a computation on a tree needs, and return its result."""
    return work(node_reader(await store.tiles(tx, org_id, tiles_needed(work))))


def salt_key(org_key: DataKey) -> bytes:
    """Return the key for an organisation's salts, derived from its data key."""
    return org_key.derive("proofs.salts")


@dataclass(frozen=True, slots=True)
class SequencerLag:
    """Measures the number of changes that are not in a tree yet, and the oldest one's age."""

    database: Database
    clock: Clock

    async def measure(self, offsets: Mapping[UUID, timedelta]) -> tuple[int, int]:
        """Set the metrics; return the number of changes and the age in seconds."""
        clocks: dict[UUID, datetime] = self.clock.now_of(offsets)
        changes, seconds = await self.database.single(lambda tx: store.lag(tx, clocks, BEHIND_MAX))
        BEHIND.set(changes)
        BEHIND_SECONDS.set(seconds)
        return changes, seconds
