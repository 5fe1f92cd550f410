"""Whole days in UTC are those of the database."""

import asyncio
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from landbridge.platform.db.pool import Database
from landbridge.reporting.rollups import sum_store
from landbridge.reporting.rollups.model import Interval, Span, utc_days

# The database's own name of UTC, for which its calendar is read.
_SAME_ZONE = "Etc/UTC"
_FIRST = datetime.min.replace(tzinfo=UTC)


async def test_days_in_utc_equal_those_of_the_database(database: Database) -> None:
    dice = Random("days")  # noqa: S311  a repeatable story
    for _ in range(300):
        after = datetime(2019, 12, 20, tzinfo=UTC) + timedelta(hours=dice.randrange(800))
        length = dice.choice((timedelta(hours=50), timedelta(days=500)))
        before = after + max(dice.random() * length, timedelta(microseconds=1))
        if dice.random() < 0.5:
            before = before.replace(hour=0, minute=0, second=0, microsecond=0)
        span = Span(after, max(after, before), _SAME_ZONE, dice.choice(list(Interval)))
        expected = await database.read(lambda tx, span=span: sum_store.days(tx, span))
        assert utc_days(span) == expected, span


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Pacific/Kiritimati", "Etc/GMT+12"])
async def test_days_of_the_first_years_are_read_at_once(database: Database, zone: str) -> None:
    """From the first moment, which the driver sends as -infinity, the database counted on."""
    for days in (1, 2, 800):
        before = _FIRST + timedelta(days=days)
        span = Span(_FIRST, before, zone, Interval.DAY)
        async with asyncio.timeout(5):
            found = await database.read(lambda tx, span=span: sum_store.days(tx, span))
        assert found.whole[0] < datetime(1, 3, 1, tzinfo=UTC)
