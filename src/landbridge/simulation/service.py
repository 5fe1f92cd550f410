"""The memory of the sandbox's chains and banks.

They play outside parties, and keep what those promise:
- an order is carried out once per (organisation, part, key), whoever asks and however often: the
  first one stands, and every later one is answered by it;
- what is remembered is committed before the answer, in a transaction of its own and never in the
  caller's: a caller that dies or rolls back afterwards finds it by its key.
"""

from datetime import datetime
from uuid import UUID

from landbridge.changes.service import tell_next
from landbridge.core.errors import Broken
from landbridge.core.ids import derived_id
from landbridge.db.group import Group
from landbridge.db.pool import Database, Tx
from landbridge.simulation import store
from landbridge.simulation.model import Operation, Paces, Part

# How the change log calls paces.
_PACE_KIND = "SANDBOX.PACE"


class Memory:
    """Remembers each order once, and how fast each organisation's chains and banks are."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._orders = Group(self._add, lanes=2, keys=lambda each: [_key(each)])

    async def remember(self, operation: Operation) -> Operation:
        """The operation of this key: this one, or the one that was remembered before.

        `settles_at` counts at the real pace, and for what is not paced; at the instant one it
        becomes `accepted_at`.
        Raises `Broken` if the key came with another order before: that is a bug of the caller's.
        """
        kept = await self._orders.call(operation)
        if kept.ordered != operation.ordered:
            raise Broken(f"the key {operation.key} came with another order before")
        return kept

    async def find(self, org_id: UUID, part: Part, key: UUID) -> Operation | None:
        """The operation of this key; None if none ever arrived."""
        found = await self._database.single(lambda tx: store.find(tx, [(org_id, part, key)]))
        return found.get(0)

    async def paces(self, org_id: UUID) -> Paces:
        """How fast chains and banks are for an organisation."""
        return await self._database.single(lambda tx: store.paces(tx, org_id))

    async def set_paces(self, org_id: UUID, paces: Paces, *, actor: str, at: datetime) -> None:
        """Set how fast they are from now on; what was accepted keeps its time."""

        async def work(tx: Tx) -> None:
            if await store.set_paces(tx, org_id, paces):
                await tell_next(
                    tx,
                    org_id=org_id,
                    object_id=derived_id(org_id, _PACE_KIND),
                    kind=_PACE_KIND,
                    what="set",
                    actor=actor,
                    at=at,
                    facts={"chains": paces.chains, "rails": paces.rails},
                )

        await self._database.transact(work)

    async def _add(self, operations: list[Operation]) -> list[Operation]:
        keys = [_key(each) for each in operations]

        async def work(tx: Tx) -> dict[int, Operation]:
            # In sorted order: two processes with the same orders must not wait for each other.
            await store.add(tx, sorted(operations, key=_key))
            return await store.find(tx, keys)

        found = await self._database.transact(work)
        return [found[place] for place in range(len(operations))]


def _key(operation: Operation) -> tuple[UUID, Part, UUID]:
    return operation.org_id, operation.part, operation.key
