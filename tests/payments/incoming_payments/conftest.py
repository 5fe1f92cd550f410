"""Incoming payments of one organisation, its bank, and a recipient."""

from uuid import UUID

import pytest

from landbridge.payments.incoming_payments.service import IncomingPayments
from tests.payments.incoming_payments.incoming_payment_setup import Matching
from tests.providers.simulation.faulty import FaultyRails
from tests.tenants import Tenant, make_user


@pytest.fixture
def incoming_payments(org: Tenant) -> IncomingPayments:
    return org.container.incoming_payments


@pytest.fixture
def rails(org: Tenant) -> FaultyRails:
    return FaultyRails(org.container.rails)


@pytest.fixture
async def matching(org: Tenant, incoming_payments: IncomingPayments) -> Matching:
    user = UUID(await make_user(org))
    return Matching(incoming_payments, org.container.database, org.container.clock, user)
