"""Periods and the due times of their reports, also over clock changes."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.reporting.date_params import start_of_day
from landbridge.reporting.schedules.model import MISSED_MAX, ScheduleInterval, SchedulePlan
from landbridge.reporting.schedules.periods import (
    due_at,
    end_of,
    first_due,
    following,
    next_to_make,
    preceding,
)

ZONES = (
    *("UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "America/Sao_Paulo"),
    *("America/New_York", "Pacific/Apia", "Australia/Lord_Howe", "America/Havana", "Asia/Beirut"),
)
PLANS = st.builds(
    SchedulePlan,
    cadence=st.sampled_from(ScheduleInterval),
    at=st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    zone=st.sampled_from(ZONES),
)
MOMENTS = st.datetimes(datetime(2005, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  hypothesis adds the zone
MINUTE = timedelta(minutes=1)


def plan(every: ScheduleInterval, at: str, zone: str) -> SchedulePlan:
    return SchedulePlan(every, time.fromisoformat(at), zone)


@pytest.mark.parametrize(
    ("at", "zone", "period", "due"),
    [
        ("08:00", "UTC", date(2026, 2, 28), "2026-03-01T08:00+00:00"),
        ("08:00", "Europe/Berlin", date(2026, 3, 28), "2026-03-29T08:00+02:00"),
        # 02:30 does not exist: clocks are put forward from 02:00 to 03:00.
        ("02:30", "Europe/Berlin", date(2026, 3, 28), "2026-03-29T03:30+02:00"),
        # The local time occurs twice: the first one counts.
        ("02:30", "Europe/Berlin", date(2026, 10, 24), "2026-10-25T02:30+02:00"),
        ("02:30", "Europe/Berlin", date(2026, 10, 25), "2026-10-26T02:30+01:00"),
        # Midnight does not exist: the day starts at 01:00.
        ("00:00", "America/Sao_Paulo", date(2018, 11, 3), "2018-11-04T01:00-02:00"),
        ("00:30", "America/Sao_Paulo", date(2018, 11, 3), "2018-11-04T01:30-02:00"),
        # Midnight occurs twice.
        ("00:30", "America/Havana", date(2026, 10, 31), "2026-11-01T00:30-04:00"),
        # Clocks are put forward by half an hour.
        ("02:15", "Australia/Lord_Howe", date(2026, 10, 3), "2026-10-04T02:45+11:00"),
        # The day after does not exist.
        ("08:00", "Pacific/Apia", date(2011, 12, 29), "2011-12-31T08:00+14:00"),
    ],
)
def test_report_is_due_at_local_time(at: str, zone: str, period: date, due: str) -> None:
    assert due_at(plan(ScheduleInterval.DAY, at, zone), period) == datetime.fromisoformat(due)


@pytest.mark.parametrize(
    ("every", "day", "begins", "ends"),
    [
        (ScheduleInterval.DAY, "2026-11-22", "2026-11-21", "2026-11-22"),
        # A Sunday, and the Monday after it.
        (ScheduleInterval.WEEK, "2026-11-22", "2026-11-09", "2026-11-16"),
        (ScheduleInterval.WEEK, "2026-11-23", "2026-11-16", "2026-11-23"),
        (ScheduleInterval.MONTH, "2026-11-30", "2026-10-01", "2026-11-01"),
        (ScheduleInterval.MONTH, "2026-01-01", "2025-12-01", "2026-01-01"),
        (ScheduleInterval.MONTH, "2028-03-01", "2028-02-01", "2028-03-01"),
    ],
)
def test_the_period_that_ended_last(
    every: ScheduleInterval, day: str, begins: str, ends: str
) -> None:
    schedule = plan(every, "00:00", "UTC")
    now = datetime.fromisoformat(f"{day}T12:00+00:00")
    last = preceding(schedule, first_due(schedule, now))
    assert (last.isoformat(), end_of(schedule, last).isoformat()) == (begins, ends)


def test_a_report_that_is_due_later_today_is_of_yesterday() -> None:
    schedule = plan(ScheduleInterval.DAY, "08:00", "UTC")
    before, after = (datetime(2026, 11, 22, hour, tzinfo=UTC) for hour in (7, 8))
    assert first_due(schedule, before) == date(2026, 11, 21)
    assert first_due(schedule, after) == date(2026, 11, 22)


def test_a_day_skipped_by_the_zone_has_no_report() -> None:
    schedule = plan(ScheduleInterval.DAY, "08:00", "Pacific/Apia")
    assert following(schedule, date(2011, 12, 29)) == date(2011, 12, 31)
    assert preceding(schedule, date(2011, 12, 31)) == date(2011, 12, 29)


@given(PLANS, MOMENTS)
def test_the_first_report_is_the_next_that_is_due(schedule: SchedulePlan, now: datetime) -> None:
    period = first_due(schedule, now)
    assert due_at(schedule, preceding(schedule, period)) <= now < due_at(schedule, period)
    # Never before the period has ended, and on the day after it where that day has this time.
    ended = start_of_day(end_of(schedule, period), schedule.zone)
    assert ended <= due_at(schedule, period) < ended + timedelta(hours=27)


@given(PLANS, MOMENTS)
def test_periods_follow_each_other_without_gaps(schedule: SchedulePlan, now: datetime) -> None:
    period = first_due(schedule, now)
    for _ in range(40):
        after = following(schedule, period)
        assert preceding(schedule, after) == period
        ended = start_of_day(end_of(schedule, period), schedule.zone)
        assert ended == start_of_day(after, schedule.zone)
        assert start_of_day(period, schedule.zone) < ended
        assert due_at(schedule, period) < due_at(schedule, after)
        period = after


@given(PLANS, MOMENTS, st.integers(0, 60))
def test_only_the_last_missed_reports_are_made(
    schedule: SchedulePlan, now: datetime, missed: int
) -> None:
    period = first = first_due(schedule, now)
    for _ in range(missed):
        period = preceding(schedule, period)
    begin = next_to_make(schedule, period, now)
    created = 0
    while begin < first:
        begin, created = following(schedule, begin), created + 1
    assert (begin, created) == (first, min(missed, MISSED_MAX))


@given(PLANS, MOMENTS)
def test_a_report_is_due_at_its_time_of_the_day(schedule: SchedulePlan, now: datetime) -> None:
    zone = ZoneInfo(schedule.zone)
    local = due_at(schedule, first_due(schedule, now)).astimezone(zone)
    skips = local.utcoffset() != (local - timedelta(hours=25)).utcoffset()
    assert skips or local.time() == schedule.at
