"""Worker in production mode in a process of its own, over a simulated chain, for tests to kill."""

import asyncio
import sys

from landbridge.app.container import wire
from landbridge.app.worker import work
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.providers.sidecar.production import production_settings, sandbox_chains


async def run(dsn: str, providers_file: str) -> None:
    """Work until killed."""
    database = await Database.connect(dsn, name="worker", size_max=6)
    clock = Clock(await take_node(database))
    chains = sandbox_chains(database)
    container = wire(production_settings(providers_file), database, clock, chains=chains)
    await work(container, asyncio.Event())


if __name__ == "__main__":
    asyncio.run(run(*sys.argv[1:]))
