"""Export of the books: all leaves with their salts, for auditors.

The first line is a checkpoint. Each further line is a leaf: the content of its parts as texts, each
with its salt. `verifier.py` computes the root from these and compares it with the checkpoint.
"""

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from landbridge.platform.changes.model import START
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.db.pool import Tx
from landbridge.reporting.proofs import leaf_store
from landbridge.reporting.proofs.leaves import LeafBuilder
from landbridge.reporting.proofs.model import BookLeaf, StoredCheckpoint
from landbridge.reporting.proofs.sequencer import Sequencer, salt_key
from landbridge.reporting.proofs.signing import CheckpointSigning
from landbridge.reporting.proofs.tree import TILE_WIDTH


@dataclass(frozen=True, slots=True)
class BooksExport:
    """Exports the books of an organisation as of a checkpoint that it signs."""

    sequencer: Sequencer
    signing: CheckpointSigning

    async def lines(self, org_id: UUID, offset: timedelta) -> AsyncIterator[str]:
        """Yield the lines of an export of all settled changes.

        Raises `ResourceNotFound` for an organisation without changes.
        """
        await self.sequencer.append_all(org_id)
        checkpoint = await self.signing.sign(org_id, offset)
        if checkpoint is None:
            raise ResourceNotFound("the organisation has no changes")
        yield _line({"checkpoint": checkpoint.note})
        async for leaf in self._leaves(org_id, checkpoint):
            yield _line([shown_part(leaf, number) for number in range(len(leaf.parts))])

    async def _leaves(self, org_id: UUID, checkpoint: StoredCheckpoint) -> AsyncIterator[BookLeaf]:
        database, vault = self.sequencer.database, self.sequencer.vault

        async def find_key(tx: Tx) -> bytes:
            return salt_key(await vault.make(tx, org_id, org_id))

        builder, at = LeafBuilder(await database.transact(find_key), 0), START
        while builder.size < checkpoint.size:
            limit = min(TILE_WIDTH, checkpoint.size - builder.size)
            changes = await database.single(
                lambda tx, after=at, count=limit: leaf_store.read(tx, org_id, after, count)
            )
            if not changes:
                return
            for leaf in builder.build(changes):
                yield leaf
            builder.blocks.clear()
            at = changes[-1].position


def shown_part(leaf: BookLeaf, number: int) -> dict[str, str]:
    """Return a part of a leaf with its salt."""
    salt = b64encode(leaf.salts[number]).decode()
    return {"salt": salt, "text": leaf.parts[number].decode()}


def _line(value: object) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"
