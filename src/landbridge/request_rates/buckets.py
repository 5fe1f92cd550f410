"""Token buckets: each share may do so much a second, and some seconds' worth of that at once.

A bucket is one number, the moment at which it will be full again (the generic cell rate algorithm).
Times are in seconds, of any clock that only goes forward.
"""

from collections.abc import Hashable
from dataclasses import dataclass

# What a full bucket has, in seconds of its rate.
WINDOW_S = 10
# A moment may be a rounding error away from where the last token left it.
_ROUNDING_S = 1e-9


@dataclass(frozen=True, slots=True)
class Level:
    """What a bucket has left."""

    is_taken: bool
    left: int
    # Until it is full again if nothing more is taken.
    full_in_s: float
    # Until there is a token, if there was none.
    wait_s: float


class Buckets:
    """The buckets of one kind, by share; only those that are not full are kept."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._full_at_s: dict[Hashable, float] = {}

    @property
    def capacity(self) -> int:
        """How many tokens a full bucket has."""
        return self._per_second * WINDOW_S

    def take(self, share: Hashable, now_s: float) -> Level:
        """Take a token if there is one."""
        token_s = 1 / self._per_second
        before_s = self.empty_s(share, now_s)
        after_s = before_s + token_s
        is_taken = after_s <= WINDOW_S + _ROUNDING_S
        if is_taken:
            self._full_at_s[share] = now_s + after_s
        empty_s = after_s if is_taken else before_s
        room_s = WINDOW_S - empty_s
        return Level(
            is_taken,
            left=max(int((room_s + _ROUNDING_S) * self._per_second), 0),
            full_in_s=empty_s,
            wait_s=0.0 if is_taken else token_s - room_s,
        )

    def empty_s(self, share: Hashable, now_s: float) -> float:
        """How much of a bucket is taken, in seconds of its rate."""
        return max(self._full_at_s.get(share, now_s) - now_s, 0.0)

    def set_empty_s(self, share: Hashable, empty_s: float, now_s: float) -> None:
        """Say how much of a bucket is taken, as others know it."""
        self._full_at_s[share] = now_s + min(empty_s, WINDOW_S)

    def seconds(self, tokens: int) -> float:
        """How long so many tokens take to come back."""
        return tokens / self._per_second

    def sweep(self, now_s: float) -> None:
        """Forget the buckets that are full."""
        self._full_at_s = {
            share: full_at_s for share, full_at_s in self._full_at_s.items() if full_at_s > now_s
        }
