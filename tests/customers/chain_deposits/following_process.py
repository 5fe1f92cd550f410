"""Worker that follows a chain in a process of its own, so that tests can race or kill it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.rpc import ChainClient
from tests.customers.chain_deposits.chain_world import follower
from tests.races.racing_processes import Pipe
from tests.tenants import SETTINGS

T = TypeVar("T")

BEFORE_COMMIT, AFTER_COMMIT = "before the commit of a credit", "after the commit of a credit"

_CREDITS = "select count(*) from transfers where kind = 'WALLET.DEPOSIT'"


class StoppingDatabase(Database):
    """Database that blocks forever around the commit of a credit, once it has reported it."""

    pipe: Pipe = None
    place: str | None = None

    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work`, and stop at the chosen place if it credits anything."""
        has_credited = False

        async def watched(tx: Tx) -> T:
            nonlocal has_credited
            before = await tx.fetchval(_CREDITS)
            result = await work(tx)
            has_credited = await tx.fetchval(_CREDITS) > before
            if has_credited:
                await self._reach(BEFORE_COMMIT)
            return result

        result = await super().transact(watched)
        if has_credited:
            await self._reach(AFTER_COMMIT)
        return result

    async def _reach(self, place: str) -> None:
        if place == self.place:
            self.pipe.send(place)
            await asyncio.Event().wait()


def follow(pipe: Pipe, dsn: str, chain: EvmChain, place: str | None) -> None:
    """Follow the chain, forever or until `place` is reached."""
    asyncio.run(_follow(pipe, dsn, chain, place))


async def _follow(pipe: Pipe, dsn: str, chain: EvmChain, place: str | None) -> None:
    database = await StoppingDatabase.connect(dsn, name="follower", size_max=4)
    assert isinstance(database, StoppingDatabase)
    database.pipe, database.place = pipe, place
    container = wire(SETTINGS, database, Clock(await take_node(database)))
    async with ChainClient.of(chain, container.clock) as client:
        steps = follower(container, chain, client)
        if place is None:
            pipe.send("started")
        while True:
            if not await steps.run_once(await container.orgs.clock_offsets()):
                await asyncio.sleep(0.01)
