from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.clock import NODES, Clock, FrozenClock, ReadingClock
from landbridge.platform.core.errors import InvariantBroken

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
offsets = st.integers(0, 10**9).map(lambda ms: timedelta(milliseconds=ms))


@given(st.integers(0, 500), st.lists(offsets, min_size=1, max_size=50))
def test_timestamps_keep_their_node_whatever_the_offset(node: int, later: list[timedelta]) -> None:
    clock = Clock(node)
    assert {clock.stamp(offset).microsecond % NODES for offset in later} == {node % NODES}


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(-300, 300), st.integers(0, 5)), max_size=100)
)
def test_no_two_stamps_of_an_organisation_are_equal_in_any_process(
    calls: list[tuple[int, int, int]],
) -> None:
    clocks = [FrozenClock(NOON, node) for node in range(3)]
    offset = timedelta()
    created: list[datetime] = []
    for process, moved_us, grown_ms in calls:
        # Real time may jump either way; the organisation's offset only grows.
        clocks[process].at += timedelta(microseconds=moved_us)
        offset += timedelta(milliseconds=grown_ms)
        created.append(clocks[process].stamp(offset))
    assert len(set(created)) == len(created)


def test_stamps_of_one_process_grow_even_when_real_time_falls_back() -> None:
    clock = FrozenClock(NOON)
    before = clock.stamp()
    clock.at -= timedelta(hours=1)
    assert clock.stamp() == before + timedelta(microseconds=NODES)


def test_timestamp_is_the_present_within_one_node_width() -> None:
    clock = Clock(node=42)
    before, stamp, after = clock.now(), clock.stamp(), clock.now()
    width = timedelta(microseconds=NODES)
    assert before - width <= stamp <= after + width


def test_organisation_time_is_real_time_plus_its_offset() -> None:
    clock = FrozenClock(NOON + timedelta(microseconds=1))
    assert clock.now() == NOON + timedelta(microseconds=1)
    assert clock.now(timedelta(days=7)) == NOON + timedelta(days=7, microseconds=1)


def test_a_frozen_clock_is_exact_in_the_last_year() -> None:
    at = datetime(9999, 12, 30, 23, 59, 59, 999_999, tzinfo=UTC)
    assert FrozenClock(at).now() == at


def test_process_without_a_clock_node_creates_no_timestamps() -> None:
    clock = ReadingClock()
    assert clock.now(timedelta(hours=1)) > clock.now()
    with pytest.raises(InvariantBroken):
        clock.stamp()
