"""Payment worker that tests kill, at a given point or at any moment."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, Chains
from tests.providers.simulation.simulated_bridges import SimulatedBridges
from tests.races.racing_processes import Pipe
from tests.tenants import SETTINGS

BEFORE, AFTER = "before the call", "after the call"


@dataclass(frozen=True, slots=True)
class _Stopping(SimulatedBridges):
    """Chains that block forever before or after a call, once they have reported it."""

    inner: Chains
    pipe: Pipe
    place: str | None

    def carries(self, chain: str, action: ChainAction) -> bool:
        del chain, action
        return True

    def holds_coins(self, chain: str) -> bool:
        del chain
        return False

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        await self._reach(BEFORE)
        sent = await self.inner.send(order)
        await self._reach(AFTER)
        return sent

    @property
    def key_lifetime(self) -> timedelta | None:
        return self.inner.key_lifetime

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        return await self.inner.find_status(org_id, key, at)

    async def _reach(self, place: str) -> None:
        if place == self.place:
            self.pipe.send(place)
            await asyncio.Event().wait()


def send_due(pipe: Pipe, dsn: str, place: str | None) -> None:
    """Run due steps in every organisation, forever or until `place` is reached."""

    async def run() -> None:
        database = await Database.connect(dsn, name="sender", size_max=4)
        clock = Clock(await take_node(database))
        chains = _Stopping(wire(SETTINGS, database, clock).chains, pipe, place)
        container = wire(SETTINGS, database, clock, chains=chains)
        offsets = await container.orgs.clock_offsets()
        if place is None:
            pipe.send("at work")
        while True:
            await container.scheduler.run_once(dict.fromkeys(offsets, timedelta()))
            await asyncio.sleep(0.001)

    asyncio.run(run())
