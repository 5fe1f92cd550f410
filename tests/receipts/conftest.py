"""Receipts of one organisation, its bank, and a user who is paid."""

from uuid import UUID

import pytest

from landbridge.receipts.service import Receipts
from tests.simulation.faulty import FaultyRails
from tests.tenants import Tenant, make_user

from .play import Matching


@pytest.fixture
def receipts(org: Tenant) -> Receipts:
    return org.house.receipts


@pytest.fixture
def rails(org: Tenant) -> FaultyRails:
    return FaultyRails(org.house.rails)


@pytest.fixture
async def matching(org: Tenant, receipts: Receipts) -> Matching:
    user = UUID(await make_user(org))
    return Matching(receipts, org.house.database, org.house.clock, user)
