from collections.abc import AsyncIterator

import pytest

from landbridge.platform.db.pool import Database
from tests.payments.engine.outgoing_transfer_scenario import (
    KINDS,
    OutgoingTransferScenario,
    open_scenario,
)


@pytest.fixture(params=KINDS)
async def scenario(
    request: pytest.FixtureRequest, database: Database
) -> AsyncIterator[OutgoingTransferScenario]:
    """Scenario of a transfer, then of a batch."""
    async with open_scenario(str(request.param), database) as scenario:
        yield scenario
