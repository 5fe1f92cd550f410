"""Worker that books gas in a process of its own, so that tests can race or kill it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.evm.gas.service import GasCosts
from tests.races.racing_processes import Pipe

T = TypeVar("T")

BEFORE_COMMIT, AFTER_COMMIT = "before the commit of a batch", "after the commit of a batch"


class StoppingDatabase(Database):
    """Database that blocks forever around a commit, once it has reported it."""

    pipe: Pipe = None
    place: str | None = None

    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work`, and stop at the chosen place."""

        async def watched(tx: Tx) -> T:
            result = await work(tx)
            await self._reach(BEFORE_COMMIT)
            return result

        result = await super().transact(watched)
        await self._reach(AFTER_COMMIT)
        return result

    async def _reach(self, place: str) -> None:
        if place == self.place:
            self.pipe.send(place)
            await asyncio.Event().wait()


def book(pipe: Pipe, dsn: str, place: str | None) -> None:
    """Book gas in small batches, forever or until `place` is reached."""
    asyncio.run(_book(pipe, dsn, place))


async def _book(pipe: Pipe, dsn: str, place: str | None) -> None:
    database = await StoppingDatabase.connect(dsn, name="booking", size_max=2)
    assert isinstance(database, StoppingDatabase)
    costs = GasCosts(database, Ledger(database), Clock(await take_node(database)))
    database.pipe, database.place = pipe, place
    if place is None:
        pipe.send("started")
    while True:
        if not await costs.book({}, batch_size=3):
            await asyncio.sleep(0.01)
