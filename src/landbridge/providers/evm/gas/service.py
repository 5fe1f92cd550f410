"""Books the gas of final orders.

Guarantees:
- The gas of an order is booked once: record and mark of the order are written in one transaction,
  which locks the order; and the record's id is derived from the order's key.
- After a reorganisation below its final block, an order has a further record of the difference.
- Any number of workers may book at once, and be killed at any point.
"""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from landbridge.ledger.model import CommitOutcome
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.evm.gas import store
from landbridge.providers.evm.gas.model import TRANSITIONS, build_booking

# Orders in a batch, which takes some ten milliseconds.
BATCH_SIZE = 200


class GasCosts:
    """Gas costs of the orders of all organisations and chains."""

    def __init__(self, database: Database, ledger: Ledger, clock: Clock) -> None:
        self._database = database
        self._ledger = ledger
        self._clock = clock

    async def book(
        self, offsets: Mapping[UUID, timedelta], *, batch_size: int = BATCH_SIZE
    ) -> bool:
        """Book the gas of final orders; return whether more orders may wait.

        `offsets` are the clock offsets of all organisations, because records have organisation
        time. An order without gas costs gets no record.
        """

        async def work(tx: Tx) -> int:
            costs = await store.lock_due(tx, limit=batch_size)
            if not costs:
                return 0
            creations = [
                build_booking(each, self._clock.stamp(offsets.get(each.org_id, timedelta())))
                for each in costs
                if each.wei != each.booked_wei
            ]
            outcomes = await self._ledger.create_house_transfers_in(tx, creations, TRANSITIONS)
            # A duplicate record belongs to an order that has lost its mark.
            if set(outcomes) - {CommitOutcome.DONE, CommitOutcome.DUPLICATE}:
                raise InvariantBroken(f"booking gas resulted in {sorted(set(outcomes))}")
            await store.set_booked(tx, costs, self._clock.now())
            return len(costs)

        return await self._database.transact(work) == batch_size
