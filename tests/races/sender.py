"""A worker that is killed in the tests beside this file: at a place, or at any moment."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.chains.port import Chains, Order, Sent
from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.races.clerk import Pipe
from tests.tenants import SETTINGS

BEFORE, AFTER = "before the call", "after the call"


@dataclass(frozen=True, slots=True)
class _Stopping:
    """Chains that stop for ever before or after a call, once they have said so."""

    inner: Chains
    say: Pipe
    place: str | None

    async def send(self, order: Order) -> Sent:
        await self._reach(BEFORE)
        sent = await self.inner.send(order)
        await self._reach(AFTER)
        return sent

    @property
    def remembers(self) -> timedelta | None:
        return self.inner.remembers

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Sent | None:
        return await self.inner.look(org_id, key, at)

    async def _reach(self, place: str) -> None:
        if place == self.place:
            self.say.send(place)
            await asyncio.Event().wait()


def send_due(say: Pipe, dsn: str, place: str | None) -> None:
    """Do what is due in every organisation, for ever, or until `place` is reached."""

    async def run() -> None:
        database = await Database.connect(dsn, name="sender", size_max=4)
        clock = Clock(await take_lane(database))
        chains = _Stopping(wire(SETTINGS, database, clock).chains, say, place)
        house = wire(SETTINGS, database, clock, chains=chains)
        offsets = await house.orgs.clock_offsets()
        if place is None:
            say.send("at work")
        while True:
            await house.due.run_once(dict.fromkeys(offsets, timedelta()))
            await asyncio.sleep(0.001)

    asyncio.run(run())
