"""Places that many want at once: so many in all, and so many for each of those who share them."""

import asyncio
import resource
from collections import deque
from collections.abc import Hashable

# What a process opens beside its places: connections to the database, look-ups, its own sockets.
_DESCRIPTORS_OF_OTHERS = 384
# More than this nobody needs, and some programs walk all that they might have.
_DESCRIPTORS_MAX = 65_536
_PLACES_MAX = 4_096
_PLACES_MIN = 16


class Places:
    """First come, first served, within each share; a share that has all it may have waits alone.

    Not for threads: all of it belongs to one event loop.
    """

    def __init__(self, total: int, *, each: int) -> None:
        self._free = total
        self._each = each
        self._held: dict[Hashable, int] = {}
        self._lines: dict[Hashable, deque[asyncio.Future[None]]] = {}

    def has_taken(self, share: Hashable) -> bool:
        """Take a place if one is free; whether it was."""
        held = self._held.get(share, 0)
        if self._free <= 0 or held >= self._each or share in self._lines:
            return False
        self._free -= 1
        self._held[share] = held + 1
        return True

    async def take(self, share: Hashable) -> None:
        """Take a place; waits until there is one. Whoever takes one gives it back."""
        if self.has_taken(share):
            return
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(share, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back(share)
            else:
                self._leave(share, turn)
            raise

    def give_back(self, share: Hashable) -> None:
        """Give back a place that was taken; whoever waits has it at once."""
        self._free += 1
        held = self._held[share] - 1
        if held:
            self._held[share] = held
        else:
            del self._held[share]
        if self._lines:
            self._hand_on()

    def _hand_on(self) -> None:
        """Hand the place that is free to the first share in line that may have it."""
        for share, line in list(self._lines.items()):
            held = self._held.get(share, 0)
            if held >= self._each:
                continue
            while line:
                turn = line.popleft()
                if not turn.done():
                    self._free -= 1
                    self._held[share] = held + 1
                    turn.set_result(None)
                    # Behind the others: each has its turn.
                    del self._lines[share]
                    if line:
                        self._lines[share] = line
                    return
            del self._lines[share]

    def _leave(self, share: Hashable, turn: asyncio.Future[None]) -> None:
        line = self._lines.get(share)
        if line is not None and turn in line:
            line.remove(turn)
            if not line:
                del self._lines[share]


def raise_descriptors() -> None:
    """Let this process open as many files and connections as it may.

    The usual soft limit, 1024, is kept small for programs of the last century.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS_MAX if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS_MAX)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):
            return  # macOS has a limit below the one it tells


def connections_max() -> int:
    """How many connections can be at work; as many again can be idle, or be tried beside them."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _DESCRIPTORS_MAX if soft == resource.RLIM_INFINITY else soft
    return max(_PLACES_MIN, min(_PLACES_MAX, (limit - _DESCRIPTORS_OF_OTHERS) // 3))
