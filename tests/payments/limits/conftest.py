from datetime import timedelta

import pytest

from landbridge.platform.core.clock import FrozenClock
from tests.payments.limits.limit_setup import advance
from tests.tenants import Tenant

# After this day a test that advances by days might leave its month.
_LATE = 20


@pytest.fixture
def still_clock(still_clock: FrozenClock) -> FrozenClock:
    """Noon of a day in the middle of a month: limits count by days and months."""
    noon = still_clock.at.replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=1)
    if noon.day > _LATE:
        noon = (noon.replace(day=1) + timedelta(days=32)).replace(day=10)
    still_clock.at = noon
    return still_clock


@pytest.fixture
async def org(org: Tenant) -> Tenant:
    """Its time passes, from noon on: at midnight all of a day's limit would be left again."""
    now = await org.container.orgs.now(org.org_id)
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
    await advance(org, (noon - now) % timedelta(days=1))
    return org
