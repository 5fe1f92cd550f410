from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.core.clock import LANES, Clock, FrozenClock, ReadingClock
from landbridge.core.errors import Broken

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
offsets = st.integers(0, 10**9).map(lambda ms: timedelta(milliseconds=ms))


@given(st.integers(0, 500), st.lists(offsets, min_size=1, max_size=50))
def test_stamps_stay_in_their_lane_whatever_the_offset(lane: int, later: list[timedelta]) -> None:
    clock = Clock(lane)
    assert {clock.stamp(offset).microsecond % LANES for offset in later} == {lane % LANES}


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(-300, 300), st.integers(0, 5)), max_size=100)
)
def test_no_two_stamps_of_an_organisation_are_equal_in_any_process(
    calls: list[tuple[int, int, int]],
) -> None:
    clocks = [FrozenClock(NOON, lane) for lane in range(3)]
    offset = timedelta()
    made: list[datetime] = []
    for process, moved_us, grown_ms in calls:
        # Real time may jump either way; the organisation's offset only grows.
        clocks[process].at += timedelta(microseconds=moved_us)
        offset += timedelta(milliseconds=grown_ms)
        made.append(clocks[process].stamp(offset))
    assert len(set(made)) == len(made)


def test_stamps_of_one_process_grow_even_when_real_time_falls_back() -> None:
    clock = FrozenClock(NOON)
    before = clock.stamp()
    clock.at -= timedelta(hours=1)
    assert clock.stamp() == before + timedelta(microseconds=LANES)


def test_a_stamp_is_the_present_to_a_lane_s_width() -> None:
    clock = Clock(lane=42)
    before, stamp, after = clock.now(), clock.stamp(), clock.now()
    width = timedelta(microseconds=LANES)
    assert before - width <= stamp <= after + width


def test_organisation_time_is_real_time_and_its_offset() -> None:
    clock = FrozenClock(NOON + timedelta(microseconds=1))
    assert clock.now() == NOON + timedelta(microseconds=1)
    assert clock.now(timedelta(days=7)) == NOON + timedelta(days=7, microseconds=1)


def test_a_frozen_clock_is_exact_in_the_last_year_there_is() -> None:
    at = datetime(9999, 12, 30, 23, 59, 59, 999_999, tzinfo=UTC)
    assert FrozenClock(at).now() == at


def test_a_process_without_a_lane_stamps_nothing() -> None:
    clock = ReadingClock()
    assert clock.now(timedelta(hours=1)) > clock.now()
    with pytest.raises(Broken):
        clock.stamp()
