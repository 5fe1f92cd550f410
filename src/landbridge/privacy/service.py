"""Keys for personal data: made, found, destroyed, and sealed anew.

Guarantees:
- a data key is stored only under a master key that is noted in `master_keys`, so a start without
  that master key, or with another under its id, is refused (`check_seal`), and a master key that
  any data key needs can't be retired: the database holds on to it;
- destroying a data key leaves nothing in the database that opens what it sealed. Backups are
  another matter (docs/concepts/personal-data.md).
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from landbridge.core.errors import Broken
from landbridge.db.pool import Database, Tx
from landbridge.db.sealing import SealBroken, Sealer, new_key
from landbridge.privacy import store
from landbridge.privacy.model import DataKey

__all__ = ["DataKey", "Vault"]

# Data keys that are sealed anew in one transaction: a few milliseconds' worth of locks.
BATCH_SIZE = 200

_NIL = UUID(int=0)
_PROOF = b"landbridge"


@dataclass(frozen=True, slots=True)
class Resealed:
    """What sealing anew came to: how many keys were, and which master keys are needed still."""

    count: int
    sealing_id: int
    still_needed: list[int]

    def __str__(self) -> str:
        told = f"{self.count} data keys were sealed anew with master key {self.sealing_id}."
        if self.still_needed:
            ids = ", ".join(str(each) for each in self.still_needed)
            return f"{told} Still needed: {ids}. Start every process again, then run this again."
        return f"{told} No other is needed any more."


class Vault:
    """Data keys of all organisations, sealed with the master key."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer
        self._is_enrolled = False
        # The transaction in which we noted our master key: until it is committed, only it sees it.
        self._noted_in: Tx | None = None

    async def make(self, tx: Tx, org_id: UUID, owner_id: UUID) -> DataKey:
        """The data key of this owner, made if there is none."""
        await self._enrol(tx)
        key = new_key()
        if await store.add(tx, self._sealed(org_id, owner_id, key)):
            return DataKey(key)
        found = await self.find(tx, org_id, owner_id)
        if found is None:
            raise Broken(f"owner {owner_id} has no data key, and none can be made")
        return found

    async def find(self, tx: Tx, org_id: UUID, owner_id: UUID) -> DataKey | None:
        """The data key of this owner; None if it was never made, or destroyed."""
        return (await self.find_many(tx, org_id, [owner_id])).get(owner_id)

    async def find_many(
        self, tx: Tx, org_id: UUID, owner_ids: Collection[UUID]
    ) -> dict[UUID, DataKey]:
        """The data keys of these owners, of those who have one."""
        return {
            each.id: DataKey(self._open(each)) for each in await store.find(tx, org_id, owner_ids)
        }

    async def find_own(self, tx: Tx, org_ids: Collection[UUID]) -> dict[UUID, DataKey]:
        """The data keys under which these organisations' own data lie, of those who have one.

        One that can't be opened is left out: it is not the others' fault.
        """
        found: dict[UUID, DataKey] = {}
        for each in await store.find_own(tx, org_ids):
            with suppress(SealBroken):
                found[each.id] = DataKey(self._open(each))
        return found

    async def destroy(self, tx: Tx, org_id: UUID, owner_ids: Collection[UUID]) -> None:
        """Destroy the data keys of these owners: what they sealed is lost for good."""
        await store.destroy(tx, org_id, owner_ids)

    async def check_seal(self, tx: Tx) -> None:
        """Raise `SealBroken` unless every master key that is in use is here, and the right one.

        Called at start: better no server than one that can't open its users' data and wallets.
        """
        for key_id, proof in (await store.master_keys(tx)).items():
            self._sealer.open(proof, context=_proof_context(key_id))

    async def reseal(self, database: Database, org_ids: Sequence[UUID]) -> Resealed:
        """Seal every data key of these organisations with the master key that seals now.

        Small transactions, one after the other: broken off, it is run again and does the rest.
        Then the other master keys are forgotten, unless a data key still needs one because a
        process that has not been started again has just made it.
        """
        count = 0
        for org_id in org_ids:
            count += await self._reseal_org(database, org_id)
        sealing_id = self._sealer.sealing_id

        async def retire(tx: Tx) -> list[int]:
            others = [each for each in await store.master_keys(tx) if each != sealing_id]
            return [each for each in others if not await store.retire(tx, each)]

        return Resealed(count, sealing_id, await database.transact(retire))

    async def _reseal_org(self, database: Database, org_id: UUID) -> int:
        after, count = _NIL, 0
        while True:
            resealed = await database.transact(lambda tx, at=after: self._reseal(tx, org_id, at))
            if not resealed:
                return count
            after, count = resealed[-1], count + len(resealed)

    async def _reseal(self, tx: Tx, org_id: UUID, after: UUID) -> list[UUID]:
        """One batch; answers the ids that it sealed anew, the last one last."""
        await self._enrol(tx)
        sealing_id = self._sealer.sealing_id
        found = await store.outdated(
            tx, org_id, after=after, master_key_id=sealing_id, limit=BATCH_SIZE
        )
        anew = [self._sealed(org_id, each.id, self._open(each)) for each in found]
        await store.reseal(tx, org_id, sealing_id, anew)
        return [each.id for each in anew]

    async def _enrol(self, tx: Tx) -> None:
        """Note that the master key which seals is in use, before the first value names it."""
        if self._is_enrolled:
            return
        key_id = self._sealer.sealing_id
        context = _proof_context(key_id)
        proof = await store.master_key(tx, key_id)
        was_there = proof is not None
        if proof is None:
            await store.enrol(tx, key_id, self._sealer.seal(_PROOF, context=context))
            self._noted_in = tx
            # Another process may have been first, with another key of this id.
            proof = await store.master_key(tx, key_id)
        if proof is None:
            raise Broken(f"master key {key_id} can't be noted")
        self._sealer.open(proof, context=context)
        # What we noted ourselves may still be rolled back, and is looked for again.
        self._is_enrolled = was_there and tx is not self._noted_in

    def _sealed(self, org_id: UUID, owner_id: UUID, key: bytes) -> store.Sealed:
        sealed = self._sealer.seal(key, context=_context(org_id, owner_id))
        return store.Sealed(org_id, owner_id, self._sealer.sealing_id, sealed)

    def _open(self, sealed: store.Sealed) -> bytes:
        return self._sealer.open(sealed.key, context=_context(sealed.org_id, sealed.id))


def _context(org_id: UUID, owner_id: UUID) -> str:
    return f"data_key:{org_id}:{owner_id}"


def _proof_context(key_id: int) -> str:
    return f"master_key:{key_id}"
