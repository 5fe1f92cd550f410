"""Webhook delivery worker that tests kill."""

import asyncio
import time
from datetime import datetime

from typing_extensions import override

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock, ValueQuery
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.races.racing_processes import Pipe
from tests.tenants import SETTINGS

# Speeds up time: retry delays of 30 s and the lease of 10 s pass in about half a second.
SPEED = 20


class FastClock(Clock):
    """Accelerated clock, starting at a moment that all its users share (nanoseconds)."""

    def __init__(self, node: int, began_ns: int) -> None:
        super().__init__(node)
        self._began_ns = began_ns

    @override
    async def in_database(self, tx: ValueQuery) -> datetime:
        """Return this clock's time: the database's is not accelerated."""
        del tx
        return self.now()

    @override
    def _real_us(self) -> int:
        return (self._began_ns + (time.time_ns() - self._began_ns) * SPEED) // 1000


def deliver(pipe: Pipe, dsn: str, began_ns: int) -> None:
    """Deliver for every organisation, forever."""

    async def run() -> None:
        database = await Database.connect(dsn, name="carrier", size_max=6)
        container = wire(SETTINGS, database, FastClock(await take_node(database), began_ns))
        await container.partitions.maintain()
        offsets = await container.orgs.clock_offsets()
        pipe.send("at work")
        while True:
            await container.dispatcher.run_once(offsets)
            await asyncio.sleep(0.02)

    asyncio.run(run())
