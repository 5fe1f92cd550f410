"""Dates of an ACH payment."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.nacha.dates import (
    banking_days_after,
    effective_on,
    prenote_over_on,
    returns_end_at,
    settled_on,
)
from landbridge.providers.rails.calendar import NEW_YORK, is_us_banking_day


def _day(text: str) -> date:
    return date.fromisoformat(text)


@pytest.mark.parametrize(
    ("at", "is_same_day", "day"),
    [
        ("2026-03-04 15:59", False, "2026-03-06"),
        ("2026-03-04 16:00", False, "2026-03-09"),  # Wednesday, after the cut-off
        ("2026-07-01 12:00", False, "2026-07-03"),
        ("2026-09-04 12:00", False, "2026-09-09"),  # over Labor Day
        ("2026-03-04 13:00", True, "2026-03-04"),
        ("2026-03-06 17:00", True, "2026-03-09"),
    ],
)
def test_the_effective_date_is_a_banking_day(at: str, day: str, *, is_same_day: bool) -> None:
    moment = datetime.fromisoformat(at).replace(tzinfo=NEW_YORK)
    assert effective_on(moment, is_same_day=is_same_day) == _day(day)


@pytest.mark.parametrize(
    ("effective", "settled", "over"),
    [
        ("2026-03-06", "2026-03-06", "2026-03-11T04:00+00:00"),  # Friday: until Tuesday's end
        ("2026-03-07", "2026-03-09", "2026-03-12T04:00+00:00"),  # Saturday settles on Monday
        ("2026-11-25", "2026-11-25", "2026-12-01T05:00+00:00"),  # over Thanksgiving, in winter
    ],
)
def test_a_return_is_waited_for_until_the_second_banking_day_ends(
    effective: str, settled: str, over: str
) -> None:
    assert settled_on(_day(effective)) == _day(settled)
    assert returns_end_at(_day(effective)) == datetime.fromisoformat(over)


def test_a_prenote_is_waited_for_three_banking_days() -> None:
    assert prenote_over_on(_day("2026-03-06")) == _day("2026-03-11")
    assert prenote_over_on(_day("2026-09-03")) == _day("2026-09-09")


@given(st.dates(date(2000, 1, 1), date(2099, 12, 1)), st.integers(0, 10))
def test_banking_days_are_counted_one_by_one(day: date, count: int) -> None:
    start = settled_on(day)
    end = banking_days_after(start, count)
    between = (start + timedelta(days=each) for each in range(1, (end - start).days + 1))
    assert sum(is_us_banking_day(each) for each in between) == count
    assert returns_end_at(day) > datetime.combine(start, datetime.min.time(), UTC)
