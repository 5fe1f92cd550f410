"""Fair semaphore: a bounded number of slots in total, and a bounded number per share."""

import asyncio
import resource
from collections import deque
from collections.abc import Hashable

# File descriptors that a process needs for other purposes: database, DNS, its own sockets.
_DESCRIPTORS_OF_OTHERS = 384
# More descriptors are not needed, and some programs iterate over all possible ones.
_DESCRIPTORS_MAX = 65_536
_SLOTS_MAX = 4_096
_SLOTS_MIN = 16


class FairSemaphore:
    """Semaphore with a queue for each share; a share at its maximum does not block others.

    Within a share, callers are served in order of arrival. Not thread-safe: it belongs to one event
    loop.
    """

    def __init__(self, total: int, *, each: int) -> None:
        self._free = total
        self._each = each
        self._held: dict[Hashable, int] = {}
        self._waiters: dict[Hashable, deque[asyncio.Future[None]]] = {}

    def try_acquire(self, share: Hashable) -> bool:
        """Take a slot if one is free, without waiting; return whether it was taken."""
        held = self._held.get(share, 0)
        if self._free <= 0 or held >= self._each or share in self._waiters:
            return False
        self._free -= 1
        self._held[share] = held + 1
        return True

    async def acquire(self, share: Hashable) -> None:
        """Take a slot; waits until one is free. The caller must release it."""
        if self.try_acquire(share):
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.setdefault(share, deque()).append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self.release(share)
            else:
                self._remove_waiter(share, waiter)
            raise

    def release(self, share: Hashable) -> None:
        """Release a slot; the next waiting caller gets it at once."""
        self._free += 1
        held = self._held[share] - 1
        if held:
            self._held[share] = held
        else:
            del self._held[share]
        if self._waiters:
            self._hand_on()

    def _hand_on(self) -> None:
        """Give a free slot to the first share in the queue that may have another."""
        for share, queue in list(self._waiters.items()):
            held = self._held.get(share, 0)
            if held >= self._each:
                continue
            while queue:
                waiter = queue.popleft()
                if not waiter.done():
                    self._free -= 1
                    self._held[share] = held + 1
                    waiter.set_result(None)
                    # The share moves to the end of the queue.
                    del self._waiters[share]
                    if queue:
                        self._waiters[share] = queue
                    return
            del self._waiters[share]

    def _remove_waiter(self, share: Hashable, waiter: asyncio.Future[None]) -> None:
        queue = self._waiters.get(share)
        if queue is not None and waiter in queue:
            queue.remove(waiter)
            if not queue:
                del self._waiters[share]


def leaves_room(*, of_org: int, taken: int, total: int) -> bool:
    """Return whether an organisation may take another slot: at least as many must stay free.

    Its first slot only has to be free. So of 16 slots one organisation takes up to 8, a second one
    4, and so on: a few of them can't take all.
    """
    free = total - taken
    return free > 0 if of_org == 0 else of_org + 1 <= free - 1


def raise_descriptors() -> None:
    """Raise this process's limit of open files to the maximum allowed.

    The usual soft limit of 1024 is kept low only for old programs.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = _DESCRIPTORS_MAX if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS_MAX)
    if soft != resource.RLIM_INFINITY and soft < target:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
        except (OSError, ValueError):
            return  # macOS has a lower limit than it reports


def connections_max() -> int:
    """Return how many connections can be in use; as many again can be idle or connecting."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _DESCRIPTORS_MAX if soft == resource.RLIM_INFINITY else soft
    return max(_SLOTS_MIN, min(_SLOTS_MAX, (limit - _DESCRIPTORS_OF_OTHERS) // 3))
