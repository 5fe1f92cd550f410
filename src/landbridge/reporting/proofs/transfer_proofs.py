"""Proofs of payments and of the growth of the tree, as texts that an outsider verifies offline.

A proof (C2SP tlog-proof) has the parts of one leaf in its line `extra`: the customer's parts with
their salts, all others as hashes. A payment has one proof for each of its changes.
"""

import json
from base64 import b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.wallets.service import Wallets
from landbridge.platform.changes.model import LogPosition
from landbridge.platform.changes.service import history
from landbridge.platform.core.errors import (
    FieldInvalid,
    InvariantBroken,
    ResourceConflict,
    ResourceNotFound,
)
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.number_masks import has_number
from landbridge.reporting.proofs import leaf_store, store
from landbridge.reporting.proofs.checkpoints import growth_text
from landbridge.reporting.proofs.export import shown_part
from landbridge.reporting.proofs.leaves import LeafBuilder
from landbridge.reporting.proofs.model import BookLeaf, StoredCheckpoint
from landbridge.reporting.proofs.sequencer import compute, salt_key
from landbridge.reporting.proofs.tree import TILE_WIDTH, consistency_path, inclusion_path

_HEADER = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class TransferProofs:
    """Proofs of payments of all organisations."""

    database: Database
    vault: Vault
    wallets: Wallets

    async def of_transfer(self, caller: Caller, transfer_id: UUID, user_id: UUID | None) -> str:
        """Return the proofs of a payment's changes, as far as a checkpoint covers them.

        They show the entries of one user's wallets: those of `user_id`, or of the payment's owner
        if it is None. Callers with read access only get no part with an account number.

        Raises `ResourceNotFound` for an unknown payment or party, and `ResourceConflict` before the
        first checkpoint of the payment.
        """

        async def work(tx: Tx) -> str:
            leaves = await self._leaves(tx, caller.org_id, transfer_id, "payment")
            opening = leaves[0].change.opening
            if opening is None:
                raise ResourceNotFound(f"there is no payment {transfer_id}")
            checkpoint = await store.last_checkpoint(tx, caller.org_id)
            size = 0 if checkpoint is None else checkpoint.size
            covered = [each for each in leaves if each.index < size]
            if checkpoint is None or not covered:
                raise _uncovered("payment")
            party = opening.user_id if user_id is None else user_id
            own = set(await self.wallets.ids_of(tx, caller.org_id, party))
            entries = {entry.wallet_id for leaf in covered for entry in leaf.change.entries}
            if party != opening.user_id and not entries & own:
                raise ResourceNotFound(f"the payment {transfer_id} has no party {party}")
            shown = [_shown_parts(each, own, hides_numbers=caller.is_read_only) for each in covered]
            return "".join(
                [
                    await _proof(tx, caller.org_id, each, checkpoint, parts)
                    for each, parts in zip(covered, shown, strict=True)
                ]
            )

        return await self.database.transact(work)

    async def growth(self, caller: Caller, since: int | None) -> str:
        """Return the latest checkpoint; with `since`, also the proof that it continues that size.

        The proof has the form of a request to a witness (C2SP tlog-witness).
        """

        async def work(tx: Tx) -> str:
            checkpoint = await store.last_checkpoint(tx, caller.org_id)
            if checkpoint is None:
                raise ResourceNotFound("there is no checkpoint yet")
            if since is None:
                return checkpoint.note
            if since > checkpoint.size:
                raise FieldInvalid(
                    f"since is at most {checkpoint.size}, the size of the checkpoint", field="since"
                )
            old, size = since, checkpoint.size
            path = await compute(tx, caller.org_id, lambda read: consistency_path(old, size, read))
            return growth_text(old, path, checkpoint.note)

        return await self.database.transact(work)

    async def of_last_change(self, tx: Tx, org_id: UUID, object_id: UUID, what: str) -> str:
        """Return the proof of an object's last change, which shows all parts of the change.

        Raises `ResourceConflict` until a checkpoint covers it.
        """
        changes = (await history(tx, org_id, [object_id])).get(object_id, ())
        leaves = await self._leaves(tx, org_id, object_id, what)
        checkpoint = await store.last_checkpoint(tx, org_id)
        last = leaves[-1]
        is_covered = checkpoint is not None and last.index < checkpoint.size
        if checkpoint is None or not is_covered or len(leaves) < len(changes):
            raise _uncovered(what)
        parts = [shown_part(last, number) for number in range(len(last.parts))]
        return await _proof(tx, org_id, last, checkpoint, parts)

    async def _leaves(self, tx: Tx, org_id: UUID, object_id: UUID, what: str) -> list[BookLeaf]:
        """Return the leaves of an object's changes, as far as they are in the tree."""
        changes = (await history(tx, org_id, [object_id])).get(object_id, ())
        if not changes:
            raise ResourceNotFound(f"there is no {what} {object_id}")
        tree, key = await store.find(tx, org_id), await self.vault.find(tx, org_id, org_id)
        inside = [each.position for each in changes if tree and each.position <= tree.read_to]
        if not inside or key is None:
            raise _uncovered(what)
        numbers = [await store.block_of_change(tx, org_id, each) for each in inside]
        blocks = {each for each in numbers if each is not None}
        leaves = {
            leaf.change.position: leaf
            for number in sorted(blocks)
            for leaf in await _block_leaves(tx, org_id, number, salt_key(key), inside)
        }
        if any(each not in leaves for each in inside):
            raise InvariantBroken(f"a change of {object_id} has no leaf: it was added afterwards")
        return [leaves[each] for each in inside]


def _uncovered(what: str) -> ResourceConflict:
    return ResourceConflict(f"the next checkpoint covers this {what}; ask again then")


async def _block_leaves(
    tx: Tx, org_id: UUID, number: int, key: bytes, only: Collection[LogPosition]
) -> list[BookLeaf]:
    """Return the leaves of changes in a block, built from the balances before the block."""
    block = (await store.blocks(tx, org_id, [number]))[number]
    builder = LeafBuilder(key, number * TILE_WIDTH, block)
    builder.accounts.update(block.balances)
    before = LogPosition(block.first.place, block.first.object_id, block.first.seq - 1)
    changes = await leaf_store.read(tx, org_id, before, TILE_WIDTH)
    return list(builder.build(changes, set(only)))


async def _proof(
    tx: Tx, org_id: UUID, leaf: BookLeaf, checkpoint: StoredCheckpoint, parts: Sequence[object]
) -> str:
    stored = await compute(tx, org_id, lambda read: read(0, leaf.index))
    size = checkpoint.size
    path = await compute(tx, org_id, lambda read: inclusion_path(leaf.index, size, read))
    if stored != leaf.hash:
        raise InvariantBroken(f"leaf {leaf.index} differs: run `landbridge proofs verify`")
    extra = b64encode(json.dumps(parts, separators=(",", ":")).encode()).decode()
    lines = [_HEADER, f"extra {extra}", f"index {leaf.index}", *_texts(path), ""]
    return "\n".join([*lines, checkpoint.note])


def _shown_parts(
    leaf: BookLeaf, wallets: Collection[UUID], *, hides_numbers: bool
) -> list[dict[str, str]]:
    """Return the parts of a leaf; hidden parts are represented by their hashes."""
    others = len(leaf.parts) - len(leaf.change.entries)
    is_own = [True] * others + [each.wallet_id in wallets for each in leaf.change.entries]
    return [
        shown_part(leaf, number)
        if is_part_shown and not (hides_numbers and has_number(json.loads(part)))
        else {"hash": b64encode(part_hash).decode()}
        for number, (is_part_shown, part, part_hash) in enumerate(
            zip(is_own, leaf.parts, leaf.part_hashes, strict=True)
        )
    ]


def _texts(hashes: Sequence[bytes]) -> list[str]:
    return [b64encode(each).decode() for each in hashes]
