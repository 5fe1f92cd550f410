from dataclasses import replace

import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.onramps import make_payer
from tests.payments.onramps.onramp_scenario import OnrampScenario
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import SETTINGS, Tenant


@pytest.fixture
async def scenario(
    still_org: Tenant, still_clock: FrozenClock, database: Database
) -> OnrampScenario:
    chains, rails = FaultyChains(still_org.container.chains), FaultyRails(still_org.container.rails)
    clock = FrozenClock(still_clock.at, node=await take_node(database))
    container = wire(SETTINGS, database, clock, chains=chains, rails=rails)
    # The user is created with the shared container; the scenario's clock applies from here on.
    user = await make_payer(still_org)
    org = replace(still_org, container=container)
    return OnrampScenario(org, chains, rails, clock, user)
