from dataclasses import replace

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.onramps import make_payer
from tests.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import SETTINGS, Tenant

from .play import Play


@pytest.fixture
async def play(still_org: Tenant, still_clock: FrozenClock, database: Database) -> Play:
    chains, rails = FaultyChains(still_org.house.chains), FaultyRails(still_org.house.rails)
    clock = FrozenClock(still_clock.at, lane=await take_lane(database))
    house = wire(SETTINGS, database, clock, chains=chains, rails=rails)
    # The user is made by the house that works; from here on time is the other's.
    user = await make_payer(still_org)
    org = replace(still_org, house=house)
    return Play(org, chains, rails, clock, user)
