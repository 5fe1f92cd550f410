"""Vault of data keys for personal data: creates, finds, destroys and reseals them.

Guarantees:
- A data key is stored only under a master key that is registered in `master_keys`. So a start
  without that master key, or with a different one under its id, is refused (`check_seal`), and a
  master key that any data key needs can't be retired (a foreign key prevents it).
- Destroying a data key leaves nothing in the database that opens what it sealed. Backups are not
  covered (docs/concepts/personal-data.md).
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.sealing import SealBroken, Sealer, new_key
from landbridge.platform.encryption import store
from landbridge.platform.encryption.model import DataKey

__all__ = ["DataKey", "Vault"]

# Data keys that one transaction reseals, which locks them for a few milliseconds.
BATCH_SIZE = 200

_NIL = UUID(int=0)
_PROOF = b"landbridge"


@dataclass(frozen=True, slots=True)
class ResealResult:
    """Result of resealing: the number of keys, and the ids of master keys that are still needed."""

    count: int
    sealing_id: int
    still_needed: list[int]

    def __str__(self) -> str:
        summary = f"{self.count} data keys were encrypted again with master key {self.sealing_id}."
        if self.still_needed:
            ids = ", ".join(str(each) for each in self.still_needed)
            return f"{summary} Still needed: {ids}. Start every process again, then run this again."
        return f"{summary} No other is needed any more."


class Vault:
    """Data keys of all organisations, sealed with the master key."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer
        self._is_enrolled = False
        # Transaction that registered our master key: until it commits, only it sees the row.
        self._noted_in: Tx | None = None

    async def make(self, tx: Tx, org_id: UUID, owner_id: UUID) -> DataKey:
        """Return the data key of this owner; creates it if there is none."""
        # Most owners have a key: reading it costs less than an insert that finds it.
        if found := await self.find(tx, org_id, owner_id):
            return found
        await self._enrol(tx)
        key = new_key()
        if await store.add(tx, self._sealed(org_id, owner_id, key)):
            return DataKey(key)
        # Another transaction has created the key in the meantime.
        found = await self.find(tx, org_id, owner_id)
        if found is None:
            raise InvariantBroken(f"owner {owner_id} has no data key, and none can be made")
        return found

    async def find(self, tx: Tx, org_id: UUID, owner_id: UUID) -> DataKey | None:
        """Return the data key of this owner; None if it was never created, or was destroyed."""
        return (await self.find_many(tx, org_id, [owner_id])).get(owner_id)

    async def find_many(
        self, tx: Tx, org_id: UUID, owner_ids: Collection[UUID]
    ) -> dict[UUID, DataKey]:
        """Return the data keys of those of these owners that have one."""
        return {
            each.id: DataKey(self._open(each)) for each in await store.find(tx, org_id, owner_ids)
        }

    async def find_own(self, tx: Tx, org_ids: Collection[UUID]) -> dict[UUID, DataKey]:
        """Return the data keys for the organisations' own data, by organisation.

        A key that can't be opened is left out, so that it does not affect the other organisations.
        """
        found: dict[UUID, DataKey] = {}
        for each in await store.find_own(tx, org_ids):
            with suppress(SealBroken):
                found[each.id] = DataKey(self._open(each))
        return found

    async def find_sealed(self, tx: Tx, org_id: UUID, owner_id: UUID) -> bytes | None:
        """Return the sealed data key of this owner, for a process that holds the master key."""
        return next((each.key for each in await store.find(tx, org_id, [owner_id])), None)

    async def installation_secret(self, tx: Tx, name: str, new: Callable[[], bytes]) -> bytes:
        """Return a secret of the installation, which is stored sealed in the context `name`.

        If there is none, it is created by `new`.
        """
        found = await store.secret(tx, name)
        if found is None:
            await self._enrol(tx)
            sealed = self._sealer.seal(new(), context=name)
            await store.add_secret(tx, name, self._sealer.sealing_id, sealed)
            found = await store.secret(tx, name)
        if found is None:
            raise InvariantBroken(f"the secret {name} was not stored")
        return found

    async def destroy(self, tx: Tx, org_id: UUID, owner_ids: Collection[UUID]) -> None:
        """Destroy the data keys of these owners: the sealed data are lost for good."""
        await store.destroy(tx, org_id, owner_ids)

    async def check_seal(self, tx: Tx) -> None:
        """Raise `SealBroken` unless this process has every master key in use, with the right value.

        Called at start: a server that can't open its users' data and wallets must not run.
        """
        for key_id, proof in (await store.master_keys(tx)).items():
            self._sealer.open(proof, context=_proof_context(key_id))

    async def reseal(self, database: Database, org_ids: Sequence[UUID]) -> ResealResult:
        """Reseal every data key of these organisations with the current master key.

        Runs in small transactions; interrupted, it can be run again. Afterwards the other master
        keys are removed, unless a process that has not been restarted has just created a data key
        with one.
        """
        count = 0
        for org_id in org_ids:
            count += await self._reseal_org(database, org_id)
        await database.transact(self._reseal_secrets)
        sealing_id = self._sealer.sealing_id

        async def retire(tx: Tx) -> list[int]:
            others = [each for each in await store.master_keys(tx) if each != sealing_id]
            return [each for each in others if not await store.retire(tx, each)]

        return ResealResult(count, sealing_id, await database.transact(retire))

    async def _reseal_org(self, database: Database, org_id: UUID) -> int:
        after, count = _NIL, 0
        while True:
            resealed = await database.transact(lambda tx, at=after: self._reseal(tx, org_id, at))
            if not resealed:
                return count
            after, count = resealed[-1], count + len(resealed)

    async def _reseal(self, tx: Tx, org_id: UUID, after: UUID) -> list[UUID]:
        """Reseal one batch; return the ids, in order."""
        await self._enrol(tx)
        sealing_id = self._sealer.sealing_id
        found = await store.outdated(
            tx, org_id, after=after, master_key_id=sealing_id, limit=BATCH_SIZE
        )
        anew = [self._sealed(org_id, each.id, self._open(each)) for each in found]
        await store.reseal(tx, org_id, sealing_id, anew)
        return [each.id for each in anew]

    async def _reseal_secrets(self, tx: Tx) -> None:
        """Reseal the installation's own secrets."""
        await self._enrol(tx)
        sealing_id = self._sealer.sealing_id
        for name, sealed in (await store.outdated_secrets(tx, sealing_id)).items():
            again = self._sealer.seal(self._sealer.open(sealed, context=name), context=name)
            await store.reseal_secret(tx, name, sealing_id, again)

    async def _enrol(self, tx: Tx) -> None:
        """Register the sealing master key as in use, before the first value is sealed with it."""
        if self._is_enrolled:
            return
        key_id = self._sealer.sealing_id
        context = _proof_context(key_id)
        proof = await store.master_key(tx, key_id)
        was_there = proof is not None
        if proof is None:
            await store.enrol(tx, key_id, self._sealer.seal(_PROOF, context=context))
            self._noted_in = tx
            # Another process may have registered a different key under this id first.
            proof = await store.master_key(tx, key_id)
        if proof is None:
            raise InvariantBroken(f"master key {key_id} can't be noted")
        self._sealer.open(proof, context=context)
        # If this transaction inserted the row, it may still be rolled back: check again next time.
        self._is_enrolled = was_there and tx is not self._noted_in

    def _sealed(self, org_id: UUID, owner_id: UUID, key: bytes) -> store.SealedDataKey:
        sealed = self._sealer.seal(key, context=_context(org_id, owner_id))
        return store.SealedDataKey(org_id, owner_id, self._sealer.sealing_id, sealed)

    def _open(self, sealed: store.SealedDataKey) -> bytes:
        return self._sealer.open(sealed.key, context=_context(sealed.org_id, sealed.id))


def open_data_key(sealer: Sealer, sealed: bytes, *, org_id: UUID, owner_id: UUID) -> DataKey:
    """Open a sealed data key in a process without a database.

    Raises `SealBroken` if it is not the key of this owner, or was sealed with another master key.
    """
    return DataKey(sealer.open(sealed, context=_context(org_id, owner_id)))


def _context(org_id: UUID, owner_id: UUID) -> str:
    return f"data_key:{org_id}:{owner_id}"


def _proof_context(key_id: int) -> str:
    return f"master_key:{key_id}"
