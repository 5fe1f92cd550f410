"""Clock nodes: a number per process that makes its timestamps unique (platform/core/clock.py).

Guarantees:
- No process gets a node that another one has leased. A process that was killed holds its node for
  three hours.
- If all nodes are leased, or a process could not renew its lease for hours, two processes may share
  a node (docs/concepts/time.md says what that means). No process waits for another.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

from landbridge.platform.core.background_task import running
from landbridge.platform.core.clock import NODES, ReadingClock
from landbridge.platform.core.errors import Busy
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs import store

LEASE: Final = timedelta(hours=3)
_RENEW_EVERY_S: Final = 3600.0
_RETURN_S: Final = 5.0


async def take_node(database: Database) -> int:
    """Take a clock node without a lease, for short work such as a command."""

    async def take(tx: Tx) -> int:
        return await store.take_node(tx, await ReadingClock().in_database(tx))

    return await database.transact(take)


class ClockNodeLease:
    """Clock node of a process, once `take` has leased one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._node: int | None = None

    async def acquire(self) -> int:
        """Take a node, lease it, and return its number."""

        async def work(tx: Tx) -> int:
            now = await ReadingClock().in_database(tx)
            node = await store.take_node(tx, now) % NODES
            await store.lease_node(tx, node, now + LEASE)
            return node

        self._node = await self._database.transact(work)
        return self._node

    @asynccontextmanager
    async def renewing(self, *, every_s: float = _RENEW_EVERY_S) -> AsyncGenerator[None]:
        """Renew the lease during the block, and return it at the end."""
        try:
            async with running(self._renew(every_s)):
                yield
        finally:
            await self._give_back()

    async def _renew(self, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            node = self._node
            if node is None:
                continue

            async def work(tx: Tx, node: int = node) -> None:
                now = await ReadingClock().in_database(tx)
                await store.lease_node(tx, node, now + LEASE)

            with logged_failures(busy="clock_node.busy", failed="clock_node.not_renewed"):
                await self._database.transact(work)

    async def _give_back(self) -> None:
        if (node := self._node) is not None:
            # If the database does not answer, the lease expires by itself.
            with suppress(Busy, TimeoutError):
                async with asyncio.timeout(_RETURN_S):
                    await self._database.single(lambda tx: store.return_node(tx, node))
