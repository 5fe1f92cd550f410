"""Bounds that were hit are counted each time, and logged once a minute."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import structlog

from landbridge.platform.http import bound_hits
from landbridge.platform.http.bound_hits import HITS, RequestBound, count_hit


def test_each_bound_logs_one_line_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1e9]
    monkeypatch.setattr(bound_hits.time, "monotonic", lambda: now[0])
    before = _count(RequestBound.SLOW_HEAD)
    with structlog.testing.capture_logs() as lines:
        for _ in range(5):
            count_hit(RequestBound.SLOW_HEAD)
        count_hit(RequestBound.EVICTED)
        now[0] += 61
        count_hit(RequestBound.SLOW_HEAD)
    assert _count(RequestBound.SLOW_HEAD) == before + 6
    assert [(each["bound"], each["times"]) for each in lines] == [
        ("slow_head", 1),
        ("evicted", 1),
        ("slow_head", 5),
    ]


def test_log_line_names_the_bound(
    monkeypatch: pytest.MonkeyPatch, logged: Callable[[], str]
) -> None:
    monkeypatch.setattr(bound_hits.time, "monotonic", lambda: 2e9)
    count_hit(RequestBound.SLOW_READER)
    (line,) = [json.loads(each) for each in logged().splitlines()]
    assert (line["event"], line["bound"]) == ("http.bound_hit", "slow_reader")
    assert line["times"] >= 1


def _count(bound: RequestBound) -> float:
    sample: Any = HITS.labels(bound.value)
    return sample._value.get()
