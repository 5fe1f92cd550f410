"""Backoff of an endpoint: full throughput, or rare attempts once every attempt fails.

An attempt at an unreachable endpoint costs as much as a successful one. New events wait in the
log and the table, where they cost nothing. An endpoint that accepts some events and fails others is
not backed off. One that at least responds is retried more often than one that does not.
"""

from dataclasses import dataclass
from math import inf

# Consecutive failures before the throughput is reduced.
_FAILURES = 20
# An endpoint that accepted something this recently is not backed off.
_SUCCESS_WINDOW_S = 5.0
_PAUSE_MAX_S = 30.0
# The worker stops rather than wait through a pause this long.
_LONG_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class _Throughput:
    """Concurrency limit, and a pause that doubles with each further group of failures."""

    concurrency: int
    pause_s: float
    doubles_after: int


# None of the last attempts got a response.
_UNREACHABLE = _Throughput(concurrency=1, pause_s=0.2, doubles_after=20)
# There were responses, all failures: one type of event may fail and block others behind it.
_FAILING = _Throughput(concurrency=8, pause_s=0.4, doubles_after=100)
# Limits of queued events in memory, normally and under backoff; the others stay in the log.
_CAPACITY, _CAPACITY_BACKED_OFF = 400, 16


@dataclass(slots=True)
class EndpointBackoff:
    """Backoff of one endpoint; times are monotonic. `failures` are consecutive ones."""

    failures: int = 0
    # The most recent failures without any response.
    _silent: int = 0
    # Failed attempts since the backoff began.
    _slow_attempts: int = 0
    _succeeded_at_s: float = -inf
    _next_attempt_s: float = 0.0

    def record_attempt(self, status: int | None, now_s: float) -> None:
        """Record an attempt; a 2xx or 4xx response shows that the endpoint works."""
        if (status or 0) // 100 in {2, 4}:
            self.failures, self._silent, self._slow_attempts, self._succeeded_at_s = 0, 0, 0, now_s
        else:
            self.failures += 1
            self._silent = self._silent + 1 if status is None else 0
            self._slow_attempts += self.is_slow(now_s)

    def is_slow(self, now_s: float) -> bool:
        """Return whether the endpoint is under backoff."""
        return self.failures >= _FAILURES and now_s - self._succeeded_at_s >= _SUCCESS_WINDOW_S

    def allow(self, attempts_max: int, now_s: float) -> int:
        """Return how many attempts may start now, at most `attempts_max`."""
        if not self.is_slow(now_s):
            return attempts_max
        return (
            min(attempts_max, self._throughput.concurrency) if now_s >= self._next_attempt_s else 0
        )

    def schedule_next(self, now_s: float) -> None:
        """Set the earliest time of the next attempt."""
        throughput = self._throughput
        doublings = min(self._slow_attempts // throughput.doubles_after, 16)
        self._next_attempt_s = now_s + min(throughput.pause_s * 2**doublings, _PAUSE_MAX_S)

    def wait_s(self, now_s: float, most_s: float) -> float:
        """Return how long to wait before the next check, up to a bound."""
        if not self.is_slow(now_s) or now_s >= self._next_attempt_s:
            return most_s
        return min(max(self._next_attempt_s - now_s, 0.01), most_s)

    def is_paused(self, now_s: float) -> bool:
        """Return whether attempts are paused at present."""
        return self.is_slow(now_s) and now_s < self._next_attempt_s

    def is_paused_long(self, now_s: float) -> bool:
        """Return whether the pause is so long that the worker should stop."""
        return self.is_slow(now_s) and self._next_attempt_s - now_s >= _LONG_PAUSE_S

    def capacity(self, now_s: float) -> int:
        """Return how many events may be queued in memory."""
        return _CAPACITY_BACKED_OFF if self.is_slow(now_s) else _CAPACITY

    @property
    def _throughput(self) -> _Throughput:
        return _UNREACHABLE if self._silent >= _FAILURES else _FAILING
