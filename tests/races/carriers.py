"""A worker that delivers webhooks and is killed in the tests beside this file."""

import asyncio
import time

from typing_extensions import override

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.races.clerk import Pipe
from tests.tenants import SETTINGS

# Half a minute between attempts, and the ten seconds for which a dead worker's turn lasts, pass in
# half a second or so.
SPEED = 20


class FastClock(Clock):
    """Time that goes faster since a moment, which all who share it know (nanoseconds)."""

    def __init__(self, lane: int, began_ns: int) -> None:
        super().__init__(lane)
        self._began_ns = began_ns

    @override
    def _real_us(self) -> int:
        return (self._began_ns + (time.time_ns() - self._began_ns) * SPEED) // 1000


def deliver(say: Pipe, dsn: str, began_ns: int) -> None:
    """Deliver for every organisation, for ever."""

    async def run() -> None:
        database = await Database.connect(dsn, name="carrier", size_max=6)
        house = wire(SETTINGS, database, FastClock(await take_lane(database), began_ns))
        await house.partitions.keep()
        offsets = await house.orgs.clock_offsets()
        say.send("at work")
        while True:
            await house.postman.run_once(offsets)
            await asyncio.sleep(0.02)

    asyncio.run(run())
