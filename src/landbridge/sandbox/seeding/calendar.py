"""Times of payments: growing from month to month, more by day than by night, fewer at weekends."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from landbridge.sandbox.seeding.random_source import Random

HOUR_US = 3_600_000_000
_MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  hours of UTC
# In permille of an ordinary hour.
_BY_HOUR = (
    *(310, 240, 200, 190, 220, 300, 450, 700, 1000, 1250, 1400, 1500),
    *(1480, 1500, 1550, 1500, 1450, 1400, 1350, 1300, 1150, 900, 650, 450),
)
_BY_DAY = (1100, 1150, 1150, 1120, 1080, 620, 520)
# Growth of daily payments from the first to the last seeded day, in percent.
_GROWTH = 400


def micros(at: datetime) -> int:
    """Convert a time to microseconds of the epoch."""
    return (at.replace(tzinfo=None) - _EPOCH) // _MICROSECOND


def moments(rng: Random, begin_us: int, end_us: int, count: int) -> Iterator[int]:
    """Return this many different times between the bounds, in order."""
    hours = max((end_us - begin_us) // HOUR_US, 1)
    length = (end_us - begin_us) // hours
    weights = [_weight(begin_us + hour * length, hour, hours) for hour in range(hours)]
    total, before, done = sum(weights), 0, 0
    last = begin_us
    for hour, weight in enumerate(weights):
        before += weight
        due = count * before // total - done
        done += due
        start = begin_us + hour * length
        for at in sorted(start + rng.randrange(length) for _ in range(due)):
            last = max(at, last + 1)
            yield last


def _weight(start_us: int, hour: int, hours: int) -> int:
    at = _EPOCH + timedelta(microseconds=start_us)
    return _BY_HOUR[at.hour] * _BY_DAY[at.weekday()] * (100 + _GROWTH * hour // hours)
