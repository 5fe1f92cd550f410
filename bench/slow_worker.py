"""A worker on chains that take a while to accept an order, as a provider over a network does."""

import asyncio
import os
import signal
import sys
from typing import Any, cast

import uvloop

from landbridge.app.container import wire
from landbridge.app.settings import Settings, read
from landbridge.app.worker import work
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.db.wakeups import due_wakeups
from landbridge.platform.db.worker_shares import dividing
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.port import ChainOrder, ChainOrderStatus, Chains

SENT = "sent:"


class SlowChains:
    """Other chains, which wait before they send."""

    def __init__(self, chains: Chains, delay_s: float) -> None:
        self._chains = chains
        self._delay_s = delay_s
        self.sent_count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chains, name)

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        """Send an order after the delay."""
        self.sent_count += 1
        await asyncio.sleep(self._delay_s)
        return await self._chains.send(order)


async def run(settings: Settings, dsn: str, delay_s: float) -> None:
    """Work until SIGTERM; then print how many orders were sent."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    database = await Database.connect(dsn, name="worker", size_max=settings.pool_size)
    clock = Clock(await take_node(database))
    chains = SlowChains(wire(settings, database, clock).chains, delay_s)
    container = wire(settings, database, clock, chains=cast("Chains", chains))
    async with due_wakeups(dsn) as wakeup, dividing(dsn, container.worker_share):
        container.due_notifier.start(wakeup.set)
        await work(container, stop, wakeup)
    await container.scheduler.close()
    await database.close()
    print(SENT, chains.sent_count)


def main() -> None:
    """Run with the delay in seconds as the only argument."""
    settings = read(os.environ, needs_database=True)
    assert settings.database_url is not None
    uvloop.run(run(settings, settings.database_url, float(sys.argv[1])))


if __name__ == "__main__":
    main()
