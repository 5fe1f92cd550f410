from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.reporting.date_params import local_day, parse_bound, start_of_day
from landbridge.reporting.metrics.periods import period_of, periods, starts_at
from landbridge.reporting.rollups.model import Interval, Span

ZONES = (
    *("UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "America/Sao_Paulo"),
    *("America/Havana", "Pacific/Apia", "Australia/Lord_Howe", "America/St_Johns"),
)
START = datetime(2005, 1, 1, tzinfo=UTC)
MOMENTS = st.timedeltas(timedelta(), timedelta(days=8000)).map(lambda since: START + since)


@given(MOMENTS, st.timedeltas(timedelta(microseconds=1), timedelta(days=900)), st.data())
def test_periods_cover_the_span_and_none_is_empty(
    after: datetime, length: timedelta, data: st.DataObject
) -> None:
    zone, interval = data.draw(st.sampled_from(ZONES)), data.draw(st.sampled_from(Interval))
    span = Span(after, after + length, zone, interval)
    found = list(periods(span))
    assert all(newer > older for newer, older in pairwise(found))
    moments = data.draw(st.lists(st.timedeltas(timedelta(), length - timedelta(microseconds=1))))
    for each in (timedelta(), length - timedelta(microseconds=1), *moments):
        assert period_of(local_day(after + each, zone), interval) in found
    for each in found:
        first = starts_at(each, span)
        assert span.after <= first < span.before
        assert period_of(local_day(first, zone), interval) == each


def test_a_skipped_calendar_day_is_no_period() -> None:
    zone = "Pacific/Apia"
    after, before = parse_bound("2011-12-28", zone), parse_bound("2012-01-02", zone)
    found = [each.day for each in periods(Span(after, before, zone, Interval.DAY))]
    assert found == [1, 31, 29, 28]


@pytest.mark.parametrize(
    ("day", "zone", "begins"),
    [
        ("2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00+00:00"),
        ("2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00+00:00"),
        # Midnight was skipped, and was there twice.
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00+00:00"),
        ("2025-11-02", "America/Havana", "2025-11-02T04:00:00+00:00"),
        ("2026-01-01", "Asia/Kathmandu", "2025-12-31T18:15:00+00:00"),
    ],
)
def test_a_day_begins_with_its_first_moment(day: str, zone: str, begins: str) -> None:
    found = start_of_day(date.fromisoformat(day), zone)
    assert found.isoformat() == begins
    assert local_day(found, zone).isoformat() == day
    assert local_day(found - timedelta(microseconds=1), zone).isoformat() < day


def test_weeks_begin_on_mondays() -> None:
    assert period_of(date(2025, 11, 2), Interval.WEEK) == date(2025, 10, 27)
    assert period_of(date(2025, 11, 3), Interval.WEEK) == date(2025, 11, 3)
    assert period_of(date(1, 1, 1), Interval.WEEK) == date(1, 1, 1)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
@pytest.mark.parametrize("interval", list(Interval))
def test_the_first_representable_day_has_a_start(zone: str, interval: Interval) -> None:
    span = Span(parse_bound("0001-01-01", zone), parse_bound("0001-03-01", zone), zone, interval)
    *_, first = periods(span)
    assert first == date(1, 1, 1)
    assert starts_at(first, span) == datetime(1, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zone"),
    [("9999-12-31T23:00:00Z", "Asia/Kolkata"), ("0001-01-01T00:00:00Z", "America/Havana")],
)
def test_a_moment_that_no_calendar_of_the_zone_has_is_refused(text: str, zone: str) -> None:
    with pytest.raises(ValueError, match="too far"):
        parse_bound(text, zone)
