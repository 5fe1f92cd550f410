"""Group commit for calls that take row locks.

A batch waits a quarter of a second for locks. After that, it is assumed that a transaction outside
of this group holds a lock that some call of the batch needs. Guarantees:
- The batch wrote nothing. It is split, and the parts run again at once, with a very short lock
  timeout, until each blocked call is found. All other calls are answered.
- Blocked calls leave the group and wait in a side queue, which tries them in turn. A blocked call
  raises `LockTimeout` when its caller has waited for `wait_max_s`. It succeeds if its lock is
  released before that.
- A blocked call keeps its keys. So calls that share a key with it stay behind it, in their order.
- Calls on the keys of a call that failed in this way start in the side queue for the next seconds,
  so that a client that retries does not delay a batch each time.
- If a caller disconnects, its blocked call is dropped; nothing of it was written.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Hashable
from itertools import islice
from typing import TypeVar

from typing_extensions import override

from landbridge.platform.core.errors import Busy, LockTimeout
from landbridge.platform.db.group_commit import SIZE_MAX, GroupCall, GroupCommit, fail, succeed

In = TypeVar("In")
Out = TypeVar("Out")

# Seconds; the same as a single transaction waits for a lock (`LOCK_TIMEOUT_MS` in pool.py).
WAIT_MAX_S = 10.0
# Longer than other processes hold a contended row; well below what a client notices.
BATCH_WAIT_MS = 250
# Long enough for a row of a transaction that is about to commit.
PROBE_WAIT_MS = 10
# Parts into which a batch is split: one blocked call of 64 is found in 16 runs, 64 of them in 72.
_PARTS = 8
# The side queue tries this many calls again within about four seconds.
BLOCKED_MAX = 256
_SUSPECT_S = 10.0


class LockingGroupCommit(GroupCommit[In, Out]):
    """Group commit for calls that take row locks.

    `run` executes a batch. It raises `LockTimeout` if it has waited for a lock for the given
    milliseconds.
    """

    def __init__(
        self,
        run: Callable[[list[In], int], Awaitable[list[Out]]],
        *,
        concurrency: int,
        keys: Callable[[In], Collection[Hashable]],
        size_max: int = SIZE_MAX,
        wait_max_s: float = WAIT_MAX_S,
    ) -> None:
        super().__init__(
            lambda requests: run(requests, BATCH_WAIT_MS),
            concurrency=concurrency,
            keys=keys,
            size_max=size_max,
        )
        self._run_within = run
        self._wait_max_s = wait_max_s
        # Blocked calls, in the order in which they are tried next.
        self._blocked: OrderedDict[GroupCall[In, Out], None] = OrderedDict()
        self._is_side_queue_busy = False
        # Keys of calls that failed because of a lock, and until when calls with these keys start in
        # the side queue.
        self._suspects: dict[Hashable, float] = {}

    @override
    def _take(self) -> list[GroupCall[In, Out]]:
        while batch := super()._take():
            if not self._suspects:
                return batch
            now_s = asyncio.get_running_loop().time()
            self._suspects = {key: at_s for key, at_s in self._suspects.items() if at_s > now_s}
            suspects = [each for each in batch if not self._suspects.keys().isdisjoint(each.keys)]
            if not suspects:
                return batch
            self._set_aside(suspects)
            self._release(suspects)
            if others := [each for each in batch if each not in suspects]:
                return others
        return []

    @override
    async def _execute(self, batch: list[GroupCall[In, Out]]) -> None:
        self._set_aside(await self._attempt(batch, BATCH_WAIT_MS))

    async def _attempt(
        self, calls: list[GroupCall[In, Out]], wait_ms: int
    ) -> list[GroupCall[In, Out]]:
        """Run these calls; return the ones that a lock blocks."""
        try:
            results = await self._run_within([call.request for call in calls], wait_ms)
        except LockTimeout:
            return calls if len(calls) == 1 else await self._attempt_parts(calls, _PARTS)
        except Busy as error:
            fail(calls, error)
        except Exception as error:  # noqa: BLE001  each caller must hear of it, whatever it is
            if len(calls) > 1:
                return await self._attempt_parts(calls, len(calls))
            fail(calls, error)
        else:
            succeed(calls, results)
        return []

    async def _attempt_parts(
        self, calls: list[GroupCall[In, Out]], count: int
    ) -> list[GroupCall[In, Out]]:
        size = -(-len(calls) // count)
        blocked: list[GroupCall[In, Out]] = []
        for start in range(0, len(calls), size):
            blocked += await self._attempt(calls[start : start + size], PROBE_WAIT_MS)
        return blocked

    def _set_aside(self, calls: list[GroupCall[In, Out]]) -> None:
        """Move these calls to the side queue."""
        for call in calls:
            if len(self._blocked) >= BLOCKED_MAX:
                fail([call], LockTimeout("too many calls wait for locks"))
                continue
            call.is_blocked = True
            self._blocked[call] = None
        if self._blocked and not self._is_side_queue_busy:
            self._is_side_queue_busy = True
            task = asyncio.get_running_loop().create_task(self._serve_blocked())
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _serve_blocked(self) -> None:
        """Work off the side queue: try all blocked calls together, wait for one of them, repeat."""
        try:
            while self._blocked:
                calls = list(islice(self._blocked, self._size_max))
                if len(calls) > 1:
                    calls = await self._try_blocked(calls, PROBE_WAIT_MS)
                if calls:
                    first, *others = calls
                    wait_ms = min(BATCH_WAIT_MS, max(PROBE_WAIT_MS, self._remaining_ms(first)))
                    calls = others + await self._try_blocked([first], wait_ms)
                for call in calls:
                    self._blocked.move_to_end(call)
        finally:
            self._is_side_queue_busy = False

    async def _try_blocked(
        self, calls: list[GroupCall[In, Out]], wait_ms: int
    ) -> list[GroupCall[In, Out]]:
        """Run these blocked calls; return the ones that must be tried again."""
        present = [call for call in calls if not call.future.done()]
        blocked = await self._attempt(present, wait_ms) if present else []
        retried = [call for call in blocked if self._remaining_ms(call) > 0]
        given_up = [call for call in blocked if call not in retried]
        fail(given_up, LockTimeout("another transaction held a lock for too long"))
        suspect_until_s = asyncio.get_running_loop().time() + _SUSPECT_S
        for call in given_up:
            self._suspects.update(dict.fromkeys(call.keys, suspect_until_s))
        ended = [call for call in calls if call not in retried]
        for call in ended:
            call.is_blocked = False
            del self._blocked[call]
            if call not in given_up:
                for key in call.keys:
                    self._suspects.pop(key, None)
        self._release(ended)
        self._start()
        return retried

    def _remaining_ms(self, call: GroupCall[In, Out]) -> int:
        """Return for how many milliseconds this call may still wait."""
        now_s = asyncio.get_running_loop().time()
        return int((call.arrived_at_s + self._wait_max_s - now_s) * 1000)
