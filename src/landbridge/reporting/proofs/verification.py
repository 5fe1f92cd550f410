"""Verification: builds the tree again from the changes, and compares it with the stored tree.

Anyone who can write to the database can also replace the tree and, with the master key, sign it.
Only checkpoints that were kept elsewhere (`outside`) reveal that.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from landbridge.platform.changes.model import START
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.reporting.proofs import leaf_store, store
from landbridge.reporting.proofs.leaves import LeafBuilder
from landbridge.reporting.proofs.model import (
    AccountState,
    BookLeaf,
    LoggedChange,
    ProofTree,
    StoredCheckpoint,
)
from landbridge.reporting.proofs.sequencer import compute, salt_key
from landbridge.reporting.proofs.signing import verifier_keys
from landbridge.reporting.proofs.tree import (
    HASH_BYTES,
    TILE_WIDTH,
    Tile,
    TileKey,
    append,
    root_hash,
)
from landbridge.reporting.proofs.verifier import BooksInvalid, TreeHead, open_note


@dataclass(frozen=True, slots=True)
class BooksVerification:
    """Result of a verification: numbers of leaves and checkpoints, and the findings."""

    leaves: int
    checkpoints: int
    findings: Sequence[str]


@dataclass(frozen=True, slots=True)
class _StoredProofs:
    """Stored data of a tree except tiles and blocks, read in one snapshot."""

    tree: ProofTree
    accounts: dict[str, AccountState]
    checkpoints: list[StoredCheckpoint]
    salt_key: bytes
    # Public key of each epoch.
    keys: list[str]


@dataclass(slots=True)
class _Replay:
    """Tree under reconstruction; `edge` has the tile of each level that is not full."""

    builder: LeafBuilder
    edge: dict[int, bytes] = field(default_factory=dict[int, bytes])

    def append(self, changes: Sequence[LoggedChange]) -> tuple[list[BookLeaf], list[Tile]]:
        """Append changes; return their leaves and the changed tiles."""
        size = self.builder.size
        leaves = list(self.builder.build(changes))
        tiles = append(self.edge, size, [each.hash for each in leaves])
        for each in tiles:
            is_full = len(each.hashes) == TILE_WIDTH * HASH_BYTES
            self.edge[each.key.level] = b"" if is_full else each.hashes
        return leaves, tiles


@dataclass(frozen=True, slots=True)
class BooksVerifier:
    """Verifier of the books of all organisations."""

    database: Database
    vault: Vault

    async def verify(self, org_id: UUID, outside: Sequence[str] = ()) -> BooksVerification:
        """Compare an organisation's changes with its tree, and the tree with checkpoints."""
        stored = await self.database.transact(lambda tx: self._stored(tx, org_id))
        if stored is None:
            return BooksVerification(0, 0, ["there is no tree yet"] if outside else [])
        size = stored.tree.size
        findings = await self._compare(stored)
        for each in stored.checkpoints:
            findings += await self._checkpoint_findings(stored, each.note)
        for note in outside:
            findings += await self._checkpoint_findings(stored, note)
        count = len(stored.checkpoints) + len(outside)
        return BooksVerification(size, count, findings)

    async def _stored(self, tx: Tx, org_id: UUID) -> _StoredProofs | None:
        if await store.find(tx, org_id) is None:
            return None
        tree = await store.lock(tx, org_id)
        key = await self.vault.make(tx, org_id, org_id)
        return _StoredProofs(
            tree,
            await store.all_accounts(tx, org_id),
            await store.checkpoints(tx, org_id),
            salt_key(key),
            await verifier_keys(tx, self.vault, org_id),
        )

    async def _compare(self, stored: _StoredProofs) -> list[str]:
        """Return the first findings: where the changes or their accounts differ from the tree."""
        tree = stored.tree
        replay = _Replay(LeafBuilder(stored.salt_key, 0))
        async for changes in self._pages(tree):
            leaves, tiles = replay.append(changes)
            if findings := await self.database.single(
                lambda tx, each=leaves, new=tiles: _page_findings(tx, tree, each, new)
            ):
                return findings
            block = replay.builder.blocks.pop(leaves[-1].index // TILE_WIDTH)
            known = await self.database.single(
                lambda tx, number=block.number: store.block(tx, tree.org_id, number)
            )
            # A block that is not full may have got more accounts in the meantime.
            if (
                known is None
                or known.first != block.first
                or not (block.balances.items() <= known.balances.items())
            ):
                return [
                    f"the balances before leaf {block.number * TILE_WIDTH} are not its changes'"
                ]
        if replay.builder.size != tree.size:
            return [f"there are {tree.size} leaves and {replay.builder.size} changes of them"]
        return [
            f"account {name}: the tree has {stored.accounts.get(name)}, the entries give {state}"
            for name, state in replay.builder.accounts.items()
            if stored.accounts.get(name) != state
        ]

    async def _pages(self, tree: ProofTree) -> AsyncIterator[list[LoggedChange]]:
        """Yield the changes up to that of the last leaf, in lists of a block."""
        at = START
        while at < tree.read_to:
            page = await self.database.single(
                lambda tx, after=at: leaf_store.read(tx, tree.org_id, after, TILE_WIDTH)
            )
            read = [each for each in page if each.position <= tree.read_to]
            if read:
                yield read
            if len(read) < TILE_WIDTH:
                return
            at = read[-1].position

    async def _checkpoint_findings(self, stored: _StoredProofs, note: str) -> list[str]:
        try:
            head = open_note(note, "\n".join(stored.keys))
        except (BooksInvalid, ValueError):
            return [f"a checkpoint has no signature of this organisation: {note[:80]!r}"]
        reason = await self._why_not(stored.tree, head)
        if reason is None:
            return []
        return [f"the checkpoint of {head.size} leaves of {head.origin} does not hold: {reason}"]

    async def _why_not(self, tree: ProofTree, head: TreeHead) -> str | None:
        if head.size > tree.size:
            return f"the tree has {tree.size} leaves"
        try:
            root = await self.database.single(
                lambda tx: compute(tx, tree.org_id, lambda read: root_hash(head.size, read))
            )
        except KeyError:
            return "tiles are missing"
        return None if root == head.root else "its root differs"


async def _page_findings(
    tx: Tx, tree: ProofTree, leaves: Sequence[BookLeaf], tiles: Sequence[Tile]
) -> list[str]:
    """Return the first leaf or tile that differs from the stored ones."""
    known = await store.tiles(tx, tree.org_id, [each.key for each in tiles])
    for tile in tiles:
        stored = known.get(tile.key, b"")
        # The last tile of a level may have grown in the meantime.
        if stored.startswith(tile.hashes):
            continue
        if tile.key.level:
            return [f"tile {tile.key.level}/{tile.key.number} is not that of the leaves below it"]
        return [_leaf_finding(leaves, tile.key, stored)]
    return []


def _leaf_finding(leaves: Sequence[BookLeaf], key: TileKey, stored: bytes) -> str:
    for leaf in leaves:
        at = (leaf.index - key.number * TILE_WIDTH) * HASH_BYTES
        if stored[at : at + HASH_BYTES] != leaf.hash:
            position = leaf.change.position
            return (
                f"leaf {leaf.index} is not change {position.seq} of {position.object_id} "
                f"({leaf.change.kind} {leaf.change.change_type}), which the database has there"
            )
    return f"tile {key.level}/{key.number} is missing"
