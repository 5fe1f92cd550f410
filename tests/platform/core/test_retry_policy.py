"""Retries with backoff."""

from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.platform.core.retry_policy import key_of_attempt, pause_after

KEY = UUID(int=1)


def test_each_attempt_has_a_separate_key() -> None:
    keys = [key_of_attempt(KEY, attempts) for attempts in range(1000)]
    assert keys[0] == KEY
    assert len(set(keys)) == len(keys)
    assert keys == [key_of_attempt(KEY, attempts) for attempts in range(1000)]


@pytest.mark.parametrize(
    ("attempts", "minutes"), [(1, 1), (2, 2), (3, 4), (11, 1024), (12, 1440), (10_000, 1440)]
)
def test_each_delay_doubles_up_to_a_day(attempts: int, minutes: int) -> None:
    assert pause_after(attempts) == timedelta(minutes=minutes)
