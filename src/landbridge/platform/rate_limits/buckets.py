"""Token buckets: a rate per second for each owner, with a burst of several seconds.

A bucket is one number, the time at which it will be full again (the generic cell rate algorithm).
Times are in seconds of any monotonic clock.
"""

from collections.abc import Hashable
from dataclasses import dataclass

# Capacity of a bucket, as the seconds that it takes to refill.
WINDOW_S = 10
# Tolerance for rounding errors of times.
_ROUNDING_S = 1e-9


@dataclass(frozen=True, slots=True)
class BucketLevel:
    """State of a bucket after a request."""

    is_allowed: bool
    remaining: int
    # Seconds until the bucket is full if nothing more is taken.
    full_in_s: float
    # Seconds until there is a token; zero if there was one.
    wait_s: float


class TokenBuckets:
    """Buckets of one kind, by owner; full buckets are not stored."""

    def __init__(self, per_second: int, *, window_s: float = WINDOW_S) -> None:
        self._per_second = per_second
        self._window_s = window_s
        self._full_at_s: dict[Hashable, float] = {}

    @property
    def capacity(self) -> int:
        """Return the number of tokens in a full bucket."""
        return int(self._per_second * self._window_s)

    def take(self, share: Hashable, now_s: float) -> BucketLevel:
        """Take a token if there is one, and return the state of the bucket."""
        token_s = 1 / self._per_second
        before_s = self.empty_s(share, now_s)
        after_s = before_s + token_s
        is_allowed = after_s <= self._window_s + _ROUNDING_S
        if is_allowed:
            self._full_at_s[share] = now_s + after_s
        empty_s = after_s if is_allowed else before_s
        free_s = self._window_s - empty_s
        return BucketLevel(
            is_allowed,
            remaining=max(int((free_s + _ROUNDING_S) * self._per_second), 0),
            full_in_s=empty_s,
            wait_s=0.0 if is_allowed else token_s - free_s,
        )

    def empty_s(self, share: Hashable, now_s: float) -> float:
        """Return the used part of a bucket, as the seconds that it takes to refill."""
        return max(self._full_at_s.get(share, now_s) - now_s, 0.0)

    def set_empty_s(self, share: Hashable, empty_s: float, now_s: float) -> None:
        """Set the used part of a bucket, as counted by all processes together."""
        self._full_at_s[share] = now_s + min(empty_s, self._window_s)

    def seconds(self, tokens: int) -> float:
        """Return how many seconds these tokens take to refill."""
        return tokens / self._per_second

    def sweep(self, now_s: float) -> None:
        """Remove buckets that are full."""
        self._full_at_s = {
            share: full_at_s for share, full_at_s in self._full_at_s.items() if full_at_s > now_s
        }
