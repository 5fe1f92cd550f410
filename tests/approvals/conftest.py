"""The wallet that most tests of approvals are about."""

import pytest

from tests.approvals.flow import UNITS, World, make_world
from tests.tenants import Tenant


@pytest.fixture
async def world(still_org: Tenant) -> World:
    """A wallet with three payments' worth of coins; its time stands still."""
    house = still_org.house
    return await make_world(house, house.database, still_org.org_id, units=3 * UNITS)
