from datetime import timedelta

import pytest

from landbridge.core.clock import FrozenClock

# From then on a test that moves on by days might leave its month.
_LATE = 20


@pytest.fixture
def still_clock(still_clock: FrozenClock) -> FrozenClock:
    """Noon of a day in the middle of a month: limits count by days and months."""
    noon = still_clock.at.replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=1)
    if noon.day > _LATE:
        noon = (noon.replace(day=1) + timedelta(days=32)).replace(day=10)
    still_clock.at = noon
    return still_clock
