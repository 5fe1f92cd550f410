"""How fast an endpoint is tried: at will; seldom, once nothing at all gets through any more.

An attempt at an endpoint that is away costs as much as one that arrives. What is not tried waits in
the log and the table, where it costs nothing. An endpoint that takes some events and fails others
is not away, and one that answers at least is looked at more often than one that does not.
"""

from dataclasses import dataclass
from math import inf

# So many failures in a row are tried as fast as any.
_FAILURES = 20
# Nor is an endpoint away that something got through to a moment ago.
_THROUGH_S = 5.0
_PAUSE_MAX_S = 30.0
# To wait for longer is not worth a courier's place.
_REST_S = 1.0


@dataclass(frozen=True, slots=True)
class _Pace:
    """So many at once, and a pause that doubles with so many failures more."""

    at_once: int
    pause_s: float
    doubles_after: int


# Nobody answered any of the last attempts.
_AWAY = _Pace(at_once=1, pause_s=0.2, doubles_after=20)
# Answered, though never well: one kind of event may fail, with others behind it.
_FAILING = _Pace(at_once=8, pause_s=0.4, doubles_after=100)
# So many events at most wait in memory, and where they go seldom; the log keeps the others.
_ROOM, _ROOM_SELDOM = 400, 16


@dataclass(slots=True)
class Tempo:
    """Of one endpoint; times are of the monotonic clock. `failures` are those in a row."""

    failures: int = 0
    # Of these, the last that were not answered at all.
    _silent: int = 0
    # And since it goes seldom.
    _slow: int = 0
    _through_s: float = -inf
    _next_s: float = 0.0

    def heard(self, status: int | None, now_s: float) -> None:
        """An attempt was answered, or was not; a 2xx or 4xx is somebody who takes or refuses."""
        if (status or 0) // 100 in {2, 4}:
            self.failures, self._silent, self._slow, self._through_s = 0, 0, 0, now_s
        else:
            self.failures += 1
            self._silent = self._silent + 1 if status is None else 0
            self._slow += self.is_seldom(now_s)

    def is_seldom(self, now_s: float) -> bool:
        """Whether nothing at all gets through for a while."""
        return self.failures >= _FAILURES and now_s - self._through_s >= _THROUGH_S

    def allow(self, most: int, now_s: float) -> int:
        """How many may be tried now, of at most so many."""
        if not self.is_seldom(now_s):
            return most
        return min(most, self._pace.at_once) if now_s >= self._next_s else 0

    def tried(self, now_s: float) -> None:
        """Something was tried."""
        pace = self._pace
        doublings = min(self._slow // pace.doubles_after, 16)
        self._next_s = now_s + min(pace.pause_s * 2**doublings, _PAUSE_MAX_S)

    def wait_s(self, now_s: float, most_s: float) -> float:
        """How long to wait before asking again, at most so long."""
        if not self.is_seldom(now_s) or now_s >= self._next_s:
            return most_s
        return min(max(self._next_s - now_s, 0.01), most_s)

    def rests(self, now_s: float) -> bool:
        """Whether nothing is tried at present."""
        return self.is_seldom(now_s) and now_s < self._next_s

    def rests_long(self, now_s: float) -> bool:
        """Whether nothing is tried for so long that nobody needs to stay for it."""
        return self.is_seldom(now_s) and self._next_s - now_s >= _REST_S

    def room(self, now_s: float) -> int:
        """How many events may wait in memory."""
        return _ROOM_SELDOM if self.is_seldom(now_s) else _ROOM

    @property
    def _pace(self) -> _Pace:
        return _AWAY if self._silent >= _FAILURES else _FAILING
