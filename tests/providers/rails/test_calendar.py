"""Settlement times of outgoing payments: cut-offs, weekends, holidays."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.rails.calendar import (
    FRANKFURT,
    NEW_YORK,
    cut_off,
    is_target_day,
    is_us_banking_day,
    settles_at,
    target_holidays,
    us_holidays,
    wire_day,
)

# Source: Federal Reserve Board, "Holidays Observed by the Federal Reserve System 2026-2030" (K.8).
# A holiday on a Saturday is listed, but the Friday before stays open.
FEDERAL_RESERVE = {
    2026: "01-01 01-19 02-16 05-25 06-19 07-04 09-07 10-12 11-11 11-26 12-25",
    2027: "01-01 01-18 02-15 05-31 06-19 07-05 09-06 10-11 11-11 11-25 12-25",
    2028: "01-01 01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-11 11-23 12-25",
}
# Source: European Central Bank, TARGET closing days besides weekends.
TARGET = {
    2026: "01-01 04-03 04-06 05-01 12-25 12-26",
    2027: "01-01 03-26 03-29 05-01 12-25 12-26",
    2028: "01-01 04-14 04-17 05-01 12-25 12-26",
}

RAILS = ["wire", "ach", "swift", "sepa", "sepaInstant", "rtp", "pix", "spei", "fps", "chats", "x"]
# More than a century, to the microsecond.
MOMENTS = st.timedeltas(timedelta(), timedelta(days=40_000)).map(
    lambda since: datetime(2020, 1, 1, tzinfo=UTC) + since
)


def new_york(text: str) -> datetime:
    """Parse a New York time, for example `2026-03-04 14:59`."""
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK).astimezone(UTC)


def berlin(text: str) -> datetime:
    """Parse a Frankfurt time."""
    return datetime.fromisoformat(text).replace(tzinfo=FRANKFURT).astimezone(UTC)


def _days(year: int, listed: str) -> set[date]:
    return {date.fromisoformat(f"{year}-{each}") for each in listed.split()}


@pytest.mark.parametrize("year", FEDERAL_RESERVE)
def test_the_federal_reserves_holidays_are_as_it_publishes_them(year: int) -> None:
    # 2028 begins on a Saturday: the first of January closes nothing.
    assert us_holidays(year) == _days(year, FEDERAL_RESERVE[year])


@pytest.mark.parametrize("year", TARGET)
def test_target_closes_as_the_central_bank_publishes_it(year: int) -> None:
    assert target_holidays(year) == _days(year, TARGET[year])


@pytest.mark.parametrize(
    ("day", "is_open"),
    [
        ("2026-07-03", True),  # the fourth is a Saturday
        ("2026-07-06", True),
        ("2027-07-05", False),  # the fourth is a Sunday
        ("2027-12-24", True),  # Christmas is a Saturday
        ("2026-06-19", False),
        ("2026-11-26", False),
        ("2026-11-27", True),
        ("2026-03-07", False),
        ("2026-03-08", False),
    ],
)
def test_holiday_edge_cases(day: str, *, is_open: bool) -> None:
    assert is_us_banking_day(date.fromisoformat(day)) == is_open


@pytest.mark.parametrize(
    ("at", "settled"),
    [
        # On the same day until 3 p.m.
        ("2026-03-04 09:00", "2026-03-04 09:30"),
        ("2026-03-04 14:59", "2026-03-04 15:29"),
        # Afterwards with the next Fedwire day, which begins in the evening.
        ("2026-03-04 15:00", "2026-03-04 21:30"),
        ("2026-03-04 20:59", "2026-03-04 21:30"),
        ("2026-03-04 21:15", "2026-03-04 21:45"),
        ("2026-03-05 00:30", "2026-03-05 01:00"),
        # Friday's day is over: Monday's begins on Sunday evening.
        ("2026-03-06 15:00", "2026-03-08 21:30"),
        ("2026-03-07 12:00", "2026-03-08 21:30"),
        ("2026-03-08 22:00", "2026-03-08 22:30"),
        # Labor Day is a Monday.
        ("2026-09-04 15:00", "2026-09-07 21:30"),
        ("2026-09-07 10:00", "2026-09-07 21:30"),
    ],
)
def test_wires(at: str, settled: str) -> None:
    assert settles_at("wire", new_york(at)) == new_york(settled)


@pytest.mark.parametrize(
    ("at", "settled"),
    [
        ("2026-03-04 15:59", "2026-03-06 08:30"),
        ("2026-03-04 16:00", "2026-03-09 08:30"),
        ("2026-03-06 12:00", "2026-03-10 08:30"),
        ("2026-03-07 12:00", "2026-03-11 08:30"),
        # Thanksgiving is a Thursday.
        ("2026-11-25 12:00", "2026-11-30 08:30"),
        # The night in which daylight saving time begins.
        ("2026-03-08 01:30", "2026-03-11 08:30"),
    ],
)
def test_ach_takes_two_banking_days(at: str, settled: str) -> None:
    assert settles_at("ach", new_york(at)) == new_york(settled)


@pytest.mark.parametrize(
    ("at", "settled"),
    [
        ("2026-03-04 09:59", "2026-03-04 13:00"),
        ("2026-03-04 10:00", "2026-03-04 17:00"),
        ("2026-03-04 13:59", "2026-03-04 17:00"),
        ("2026-03-04 14:00", "2026-03-04 18:00"),
        ("2026-03-04 15:59", "2026-03-04 18:00"),
        ("2026-03-04 16:00", "2026-03-05 13:00"),
        ("2026-03-06 16:00", "2026-03-09 13:00"),
        ("2026-07-03 16:00", "2026-07-06 13:00"),
    ],
)
def test_same_day_ach_has_three_cut_offs(at: str, settled: str) -> None:
    assert settles_at("ach", new_york(at), is_same_day=True) == new_york(settled)


@pytest.mark.parametrize(
    ("at", "settled"),
    [
        ("2026-03-04 11:29", "2026-03-05 16:00"),
        ("2026-03-04 11:30", "2026-03-06 16:00"),
        ("2026-03-06 11:30", "2026-03-10 16:00"),
    ],
)
def test_swift_has_its_cut_off_before_noon(at: str, settled: str) -> None:
    assert settles_at("swift", new_york(at)) == new_york(settled)


@pytest.mark.parametrize(
    ("at", "settled"),
    [
        ("2026-03-04 14:59", "2026-03-05 09:00"),
        ("2026-03-04 15:00", "2026-03-06 09:00"),
        # Good Friday and Easter Monday.
        ("2026-04-02 12:00", "2026-04-07 09:00"),
        ("2026-12-24 12:00", "2026-12-28 09:00"),
    ],
)
def test_sepa_takes_a_banking_day(at: str, settled: str) -> None:
    assert settles_at("sepa", berlin(at)) == berlin(settled)


@pytest.mark.parametrize("rail", ["rtp", "sepaInstant", "pix", "fps", "spei", "momo", "chats"])
@given(at=MOMENTS)
def test_other_rails_ignore_banking_days(rail: str, at: datetime) -> None:
    assert timedelta() < settles_at(rail, at) - at <= timedelta(hours=2)


@given(at=MOMENTS, later=st.timedeltas(timedelta(), timedelta(days=9)))
@pytest.mark.parametrize("is_same_day", [False, True])
@pytest.mark.parametrize("rail", RAILS)
def test_settlement_is_never_early_and_keeps_order(
    rail: str, at: datetime, later: timedelta, *, is_same_day: bool
) -> None:
    settled = settles_at(rail, at, is_same_day=is_same_day)
    assert settled > at
    assert settled - at < timedelta(days=9)
    assert settles_at(rail, at + later, is_same_day=is_same_day) >= settled


@given(at=MOMENTS)
@pytest.mark.parametrize(
    ("rail", "zone", "is_open"),
    [
        ("ach", NEW_YORK, is_us_banking_day),
        ("swift", NEW_YORK, is_us_banking_day),
        ("sepa", FRANKFURT, is_target_day),
    ],
)
def test_every_settlement_falls_on_a_banking_day(
    rail: str, zone: ZoneInfo, is_open: Callable[[date], bool], at: datetime
) -> None:
    assert is_open(settles_at(rail, at).astimezone(zone).date())
    if rail == "ach":
        same_day = settles_at(rail, at, is_same_day=True)
        assert is_open(same_day.astimezone(zone).date())
        assert same_day <= settles_at(rail, at)


@given(at=MOMENTS)
def test_a_wire_is_sent_while_its_network_is_open(at: datetime) -> None:
    settled = settles_at("wire", at)
    day = wire_day(settled)
    assert is_us_banking_day(day)
    local = settled.astimezone(NEW_YORK)
    assert local.date() < day or local.time() < time(19)
    # Same day before the cut-off of a banking day.
    here = at.astimezone(NEW_YORK)
    if is_us_banking_day(here.date()) and here.time() < time(15):
        assert day == here.date()


@given(year=st.integers(2000, 2200))
def test_there_are_eleven_holidays_and_none_on_a_sunday(year: int) -> None:
    holidays = us_holidays(year)
    assert len(holidays) == 11
    assert all(each.weekday() != 6 for each in holidays)


def test_a_rail_is_known_in_any_case() -> None:
    at = new_york("2026-03-04 09:00")
    assert settles_at("WIRE", at) == settles_at("wire", at)
    assert settles_at("sepaInstant", at) - at == timedelta(seconds=10)
    assert settles_at("bank", at) - at == timedelta(days=1)


@pytest.mark.parametrize(
    ("rail", "at", "until"),
    [
        # A Wednesday in New York.
        ("wire", "2026-03-04T14:00:00+00:00", "2026-03-04T20:00:00+00:00"),
        ("wire", "2026-03-04T20:00:00+00:00", "2026-03-05T20:00:00+00:00"),
        ("ach", "2026-03-06T21:00:00+00:00", "2026-03-09T20:00:00+00:00"),
        ("swift", "2026-03-04T14:00:00+00:00", "2026-03-04T16:30:00+00:00"),
        # Easter: nothing settles from Good Friday to Monday.
        ("sepa", "2026-04-02T14:00:00+00:00", "2026-04-07T13:00:00+00:00"),
        ("sepaInstant", "2026-04-04T14:00:00+00:00", "2026-04-04T14:00:00+00:00"),
    ],
)
def test_cut_offs_of_each_rail(rail: str, at: str, until: str) -> None:
    assert cut_off(rail, datetime.fromisoformat(at)) == datetime.fromisoformat(until)


@given(at=MOMENTS, rail=st.sampled_from(RAILS), is_same_day=st.booleans())
def test_payments_before_one_cut_off_settle_together(
    at: datetime, rail: str, *, is_same_day: bool
) -> None:
    until = cut_off(rail, at, is_same_day=is_same_day)
    assert until >= at
    last = max(at, until - timedelta(microseconds=1))
    if rail in {"ach", "swift", "sepa"}:
        there = settles_at(rail, at, is_same_day=is_same_day)
        assert settles_at(rail, last, is_same_day=is_same_day) == there
