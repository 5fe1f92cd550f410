"""Lease of a chain's cursor: only one worker at a time follows a chain."""

from datetime import timedelta

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.following import progress
from landbridge.providers.evm.following.model import ChainCursor

# A killed worker's chains are taken over after this long.
LEASE = timedelta(seconds=15)


class CursorLease:
    """Chain cursor leases of one worker process."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._owner = new_id()

    async def take(self, chain: Network) -> ChainCursor | None:
        """Take the lease, or extend it once half of it has passed, and return the cursor.

        Return None if another worker has the lease, or if the chain has no cursor yet.
        """

        async def work(tx: Tx) -> ChainCursor | None:
            now = await self._clock.in_database(tx)
            longer_than = now + LEASE // 2
            held = await progress.find_leased_cursor(
                tx, chain, self._owner, longer_than=longer_than
            )
            if held is not None:
                return held
            return await progress.take_lease(tx, chain, self._owner, now=now, until=now + LEASE)

        return await self._database.transact(work)
