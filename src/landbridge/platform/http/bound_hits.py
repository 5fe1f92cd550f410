"""Bounds that requests exceeded: each hit is counted, and logged once a minute for each bound."""

import time
from enum import StrEnum

import structlog
from prometheus_client import Counter

_log = structlog.stdlib.get_logger()

_LOG_EVERY_S = 60.0

HITS = Counter(
    "landbridge_http_bounds_hit_total", "Connections and requests ended at a bound.", ["bound"]
)


class RequestBound(StrEnum):
    """A bound that a request exceeded."""

    HEAD = "head"  # request line, headers or body framing too large, or not HTTP
    SLOW_HEAD = "slow_head"
    SLOW_BODY = "slow_body"
    SLOW_READER = "slow_reader"  # the client does not read the response
    EVICTED = "evicted"  # connection closed to make room for another
    # refused: the client address has too many connections
    ADDRESS_CONNECTIONS = "address_connections"
    CONNECTIONS = "connections"  # refused: all connection slots are in use
    KEY_RATE = "key_rate"  # refused: too many requests of one key
    ORG_RATE = "org_rate"
    ADDRESS_RATE = "address_rate"


class _PendingHits:
    """Hits that no log line has reported yet, by bound."""

    def __init__(self) -> None:
        self._logged_at_s: dict[RequestBound, float] = {}
        self._times: dict[RequestBound, int] = {}

    def add(self, bound: RequestBound, now_s: float) -> int:
        """Count a hit; return the hits since the last log line, or zero if that was recent."""
        times = self._times.get(bound, 0) + 1
        logged_at_s = self._logged_at_s.get(bound)
        if logged_at_s is not None and now_s - logged_at_s < _LOG_EVERY_S:
            self._times[bound] = times
            return 0
        self._logged_at_s[bound], self._times[bound] = now_s, 0
        return times


_unlogged = _PendingHits()


def count_hit(bound: RequestBound) -> None:
    """Count a hit of a bound; log it unless that bound was logged within the last minute."""
    HITS.labels(bound.value).inc()
    if times := _unlogged.add(bound, time.monotonic()):
        _log.warning("http.bound_hit", bound=bound.value, times=times)
