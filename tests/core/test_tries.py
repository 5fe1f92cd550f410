"""Tries of what must arrive."""

from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.core.tries import key_of_try, pause_after

KEY = UUID(int=1)


def test_each_try_has_a_key_of_its_own() -> None:
    keys = [key_of_try(KEY, tries) for tries in range(1000)]
    assert keys[0] == KEY
    assert len(set(keys)) == len(keys)
    assert keys == [key_of_try(KEY, tries) for tries in range(1000)]


@pytest.mark.parametrize(
    ("tries", "minutes"), [(1, 1), (2, 2), (3, 4), (11, 1024), (12, 1440), (10_000, 1440)]
)
def test_each_waits_twice_as_long_and_at_most_a_day(tries: int, minutes: int) -> None:
    assert pause_after(tries) == timedelta(minutes=minutes)
