"""Worker of a sandbox with providers in a process of its own, for tests to kill."""

import asyncio
import sys

from msgspec import structs

from landbridge.app.container import wire
from landbridge.app.worker import work
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.tenants import SETTINGS


async def run(dsn: str, providers_file: str) -> None:
    """Work until killed."""
    database = await Database.connect(dsn, name="worker", size_max=6)
    settings = structs.replace(SETTINGS, providers_file=providers_file)
    await work(wire(settings, database, Clock(await take_node(database))), asyncio.Event())


if __name__ == "__main__":
    asyncio.run(run(*sys.argv[1:]))
