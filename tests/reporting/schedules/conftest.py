"""Organisation whose clock stands at noon, so that the ended days are known."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.tenants import SETTINGS, Tenant, make_tenant, served

Noon = tuple[Container, FrozenClock, httpx2.AsyncClient]


@pytest.fixture(scope="session")
async def noon_client(database: Database) -> AsyncIterator[Noon]:
    clock = FrozenClock(datetime(2026, 3, 1, 12, tzinfo=UTC), node=await take_node(database))
    container = wire(SETTINGS, database, clock)
    async with served(container) as client:
        yield container, clock, client


@pytest.fixture
def noon(noon_client: Noon) -> FrozenClock:
    """Time of `noon_org`: 12:00 UTC. A test may advance it, never set it back."""
    clock = noon_client[1]
    clock.at = clock.at.replace(hour=12, minute=0, second=0) + timedelta(days=1)
    return clock


@pytest.fixture
async def noon_org(noon_client: Noon, noon: FrozenClock) -> Tenant:
    """An organisation of this test's own."""
    del noon  # which has to be set before
    container, _, client = noon_client
    return await make_tenant(container, client)
