"""Bounds that were hit are counted each time, and logged once a minute."""

from typing import Any

import pytest
import structlog

from landbridge.web import bounds
from landbridge.web.bounds import HITS, Bound, count_hit


def test_each_bound_has_one_line_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1e9]
    monkeypatch.setattr(bounds.time, "monotonic", lambda: now[0])
    before = _count(Bound.SLOW_HEAD)
    with structlog.testing.capture_logs() as lines:
        for _ in range(5):
            count_hit(Bound.SLOW_HEAD)
        count_hit(Bound.EVICTED)
        now[0] += 61
        count_hit(Bound.SLOW_HEAD)
    assert _count(Bound.SLOW_HEAD) == before + 6
    assert [(each["bound"], each["times"]) for each in lines] == [
        ("slow_head", 1),
        ("evicted", 1),
        ("slow_head", 5),
    ]


def _count(bound: Bound) -> float:
    sample: Any = HITS.labels(bound.value)
    return sample._value.get()
