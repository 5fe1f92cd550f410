"""The world that the tests of a module plant their faults in."""

from collections.abc import AsyncIterator

import pytest

from landbridge.db.pool import Database
from tests.conftest import new_database
from tests.faults.world import World, a_world


@pytest.fixture(scope="module")
async def played(server_dsn: str) -> AsyncIterator[World]:
    """A world in a database of this module's own."""
    async with new_database(server_dsn) as dsn:
        database = await Database.connect(dsn, name="faults", size_max=6)
        async with a_world(database) as made:
            yield made
        await database.close()
