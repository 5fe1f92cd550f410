"""World for the faults of a test module."""

from collections.abc import AsyncIterator

import pytest

from landbridge.platform.db.pool import Database
from tests.conftest import new_database
from tests.faults.world import World, a_world


@pytest.fixture(scope="module")
async def world(server_dsn: str) -> AsyncIterator[World]:
    """World in a database of this module's own."""
    async with new_database(server_dsn) as dsn:
        database = await Database.connect(dsn, name="faults", size_max=6)
        async with a_world(database) as created:
            yield created
        await database.close()
