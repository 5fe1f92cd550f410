"""Simulated state of the sandbox's chains and banks.

They act as external parties, and give the same guarantees:
- An order is carried out once per (organisation, system, key). The first one is stored, and every
  repetition returns it.
- The stored order is committed before the call returns, in a transaction of its own and never in
  the caller's. A caller that crashes or rolls back afterwards finds it by its key.
"""

from datetime import datetime
from operator import attrgetter
from uuid import UUID

from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.simulation import store
from landbridge.providers.simulation.model import LatencyProfiles, SimulatedOrder, SimulatedSystem
from landbridge.providers.simulation.movements import SimulatedMovements

# Kind of changes of latency profiles in the change log.
_CHANGE_KIND = "SANDBOX.LATENCY"


class SimulatedState:
    """Stores each order once, and the latency profiles of each organisation.

    `movements` are the records of the chains, to which orders add.
    """

    def __init__(self, database: Database) -> None:
        self.movements = SimulatedMovements(database)
        self._database = database
        self._orders = grouped(
            database,
            lambda: GroupCommit(self._add, concurrency=2, keys=lambda each: [_key(each)]),
            attrgetter("org_id"),
        )

    async def store_order(self, operation: SimulatedOrder) -> SimulatedOrder:
        """Return the order of this key: this one, or the one stored before.

        `settles_at` applies with realistic latency, and to orders that are not paced; with instant
        latency it becomes `accepted_at`. Raises `InvariantBroken` if the key was used for a
        different order, which is a bug of the caller.
        """
        stored = await self._orders.call(operation)
        if stored.request != operation.request:
            raise InvariantBroken(f"the key {operation.key} came with another order before")
        return stored

    async def find(self, org_id: UUID, system: SimulatedSystem, key: UUID) -> SimulatedOrder | None:
        """Return the order of this key; None if it never arrived."""
        found = await self._database.single(lambda tx: store.find(tx, [(org_id, system, key)]))
        return found.get(0)

    async def get_latencies(self, org_id: UUID) -> LatencyProfiles:
        """Return the latency profiles of an organisation."""
        return await self._database.single(lambda tx: store.get_latencies(tx, org_id))

    async def set_latencies(
        self, org_id: UUID, profiles: LatencyProfiles, *, actor: str, at: datetime
    ) -> None:
        """Set the latency profiles; orders that are accepted already keep their times."""

        async def work(tx: Tx) -> None:
            if await store.set_latencies(tx, org_id, profiles):
                await append_next_change(
                    tx,
                    org_id=org_id,
                    object_id=derived_id(org_id, _CHANGE_KIND),
                    kind=_CHANGE_KIND,
                    change_type="set",
                    actor=actor,
                    at=at,
                    facts={"chains": profiles.chains, "rails": profiles.rails},
                )

        await self._database.transact(work)

    async def _add(self, operations: list[SimulatedOrder]) -> list[SimulatedOrder]:
        keys = [_key(each) for each in operations]

        async def work(tx: Tx) -> dict[tuple[UUID, SimulatedSystem, UUID], SimulatedOrder]:
            # Sorted, so that two processes with the same orders do not deadlock.
            return {_key(each): each for each in await store.add(tx, sorted(operations, key=_key))}

        stored = await self._database.single(work)
        known = [key for key in keys if key not in stored]
        if known:
            found = await self._database.single(lambda tx: store.find(tx, known))
            stored |= {known[index]: each for index, each in found.items()}
        return [stored[key] for key in keys]


def _key(operation: SimulatedOrder) -> tuple[UUID, SimulatedSystem, UUID]:
    return operation.org_id, operation.system, operation.key
