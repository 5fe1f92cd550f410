from collections.abc import AsyncIterator

import pytest

from landbridge.platform.db.pool import Database
from tests.payments.bridges.bridge_scenario import BridgeScenario, open_scenario


@pytest.fixture
async def scenario(database: Database) -> AsyncIterator[BridgeScenario]:
    async with open_scenario(database) as scenario:
        yield scenario
