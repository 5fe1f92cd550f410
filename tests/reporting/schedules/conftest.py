"""An organisation whose clock stands still at noon, so that it is clear which days have ended."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from landbridge.core.clock import FrozenClock
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.wiring import House, wire
from tests.tenants import SETTINGS, Tenant, make_tenant, served

Noon = tuple[House, FrozenClock, httpx2.AsyncClient]


@pytest.fixture(scope="session")
async def noon_client(database: Database) -> AsyncIterator[Noon]:
    clock = FrozenClock(datetime(2026, 3, 1, 12, tzinfo=UTC), lane=await take_lane(database))
    house = wire(SETTINGS, database, clock)
    async with served(house) as client:
        yield house, clock, client


@pytest.fixture
def noon(noon_client: Noon) -> FrozenClock:
    """The time of `noon_org`: 12:00 UTC. A test may move it, never back."""
    clock = noon_client[1]
    clock.at = clock.at.replace(hour=12, minute=0, second=0) + timedelta(days=1)
    return clock


@pytest.fixture
async def noon_org(noon_client: Noon, noon: FrozenClock) -> Tenant:
    """An organisation of this test's own."""
    del noon  # which has to be set before
    house, _, client = noon_client
    return await make_tenant(house, client)
