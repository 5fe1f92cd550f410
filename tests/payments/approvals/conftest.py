"""Wallet used by most tests of approvals."""

import pytest

from tests.payments.approvals.flow import UNITS, World, make_world
from tests.tenants import Tenant


@pytest.fixture
async def world(still_org: Tenant) -> World:
    """Wallet with the coins of three payments, and a stopped clock."""
    container = still_org.container
    return await make_world(container, container.database, still_org.org_id, units=3 * UNITS)
