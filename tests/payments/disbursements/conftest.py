from collections.abc import AsyncIterator

import pytest

from landbridge.platform.db.pool import Database
from tests.payments.offramps.offramp_scenario import OfframpScenario, open_scenario


@pytest.fixture
async def scenario(database: Database) -> AsyncIterator[OfframpScenario]:
    async with open_scenario(database) as scenario:
        yield scenario
