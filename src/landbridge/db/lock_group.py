"""Group commit for calls that take row locks.

A batch waits for locks for a quarter of a second only. If that is too short, a transaction outside
of this group holds a lock that some call of the batch needs. Guarantees:
- The batch wrote nothing. It is split, and the parts run again at once, with a very short lock
  timeout, until each blocked call is found. All other calls are answered.
- Blocked calls leave the lanes and wait in one side lane, which tries them in turn. A blocked call
  raises `LockTimeout` when its caller has waited for `patience_s`. It succeeds if its lock is
  released before that.
- A blocked call keeps its keys. So calls that share a key with it stay behind it, in their order.
- Calls on the keys of a call that failed in this way start in the side lane for the next seconds,
  so that a client that retries does not delay a batch each time.
- A caller that goes away takes its blocked call along: nothing of it was written.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Hashable
from itertools import islice
from typing import TypeVar

from typing_extensions import override

from landbridge.core.errors import Busy, LockTimeout
from landbridge.db.group import SIZE_MAX, Call, Group, fail, succeed

In = TypeVar("In")
Out = TypeVar("Out")

# As long as a single transaction waits for a lock (`LOCK_TIMEOUT_MS` in pool.py).
PATIENCE_S = 10.0
# Longer than other processes hold a row that many want at once; well below what a client notices.
BATCH_WAIT_MS = 250
# Enough for a row that another process is just about to commit.
PROBE_WAIT_MS = 10
# One blocked call of 64 is found in 16 tries, and 64 of them in 72.
_PARTS = 8
# The side lane tries each of so many within some four seconds.
BLOCKED_MAX = 256
_SUSPECT_S = 10.0


class LockGroup(Group[In, Out]):
    """`run` answers a batch, and raises `LockTimeout` if it waits for a lock for that many ms."""

    def __init__(
        self,
        run: Callable[[list[In], int], Awaitable[list[Out]]],
        *,
        lanes: int,
        keys: Callable[[In], Collection[Hashable]],
        size_max: int = SIZE_MAX,
        patience_s: float = PATIENCE_S,
    ) -> None:
        super().__init__(
            lambda asks: run(asks, BATCH_WAIT_MS), lanes=lanes, keys=keys, size_max=size_max
        )
        self._run_within = run
        self._patience_s = patience_s
        # In the order in which they are tried next.
        self._blocked: OrderedDict[Call[In, Out], None] = OrderedDict()
        self._is_side_lane_busy = False
        # Keys of calls that failed for a lock, and until when calls on them start in the side lane.
        self._suspects: dict[Hashable, float] = {}

    @override
    def _take(self) -> list[Call[In, Out]]:
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
            if rest := [each for each in batch if each not in suspects]:
                return rest
        return []

    @override
    async def _answer(self, batch: list[Call[In, Out]]) -> None:
        self._set_aside(await self._attempt(batch, BATCH_WAIT_MS))

    async def _attempt(self, calls: list[Call[In, Out]], wait_ms: int) -> list[Call[In, Out]]:
        """Run these calls; return the ones that a lock blocks."""
        try:
            results = await self._run_within([call.ask for call in calls], wait_ms)
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

    async def _attempt_parts(self, calls: list[Call[In, Out]], count: int) -> list[Call[In, Out]]:
        size = -(-len(calls) // count)
        blocked: list[Call[In, Out]] = []
        for start in range(0, len(calls), size):
            blocked += await self._attempt(calls[start : start + size], PROBE_WAIT_MS)
        return blocked

    def _set_aside(self, calls: list[Call[In, Out]]) -> None:
        """Move these calls to the side lane."""
        for call in calls:
            if len(self._blocked) >= BLOCKED_MAX:
                fail([call], LockTimeout("too many calls wait for locks"))
                continue
            call.is_blocked = True
            self._blocked[call] = None
        if self._blocked and not self._is_side_lane_busy:
            self._is_side_lane_busy = True
            task = asyncio.get_running_loop().create_task(self._serve_blocked())
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _serve_blocked(self) -> None:
        """The side lane: try all blocked calls together, then wait for one of them; repeat."""
        try:
            while self._blocked:
                calls = list(islice(self._blocked, self._size_max))
                if len(calls) > 1:
                    calls = await self._try_blocked(calls, PROBE_WAIT_MS)
                if calls:
                    first, *others = calls
                    wait_ms = min(BATCH_WAIT_MS, max(PROBE_WAIT_MS, self._left_ms(first)))
                    calls = others + await self._try_blocked([first], wait_ms)
                for call in calls:
                    self._blocked.move_to_end(call)
        finally:
            self._is_side_lane_busy = False

    async def _try_blocked(self, calls: list[Call[In, Out]], wait_ms: int) -> list[Call[In, Out]]:
        """Run these blocked calls; return the ones that are to be tried again."""
        present = [call for call in calls if not call.answer.done()]
        blocked = await self._attempt(present, wait_ms) if present else []
        again = [call for call in blocked if self._left_ms(call) > 0]
        given_up = [call for call in blocked if call not in again]
        fail(given_up, LockTimeout("another transaction held a lock for too long"))
        suspect_until_s = asyncio.get_running_loop().time() + _SUSPECT_S
        for call in given_up:
            self._suspects.update(dict.fromkeys(call.keys, suspect_until_s))
        ended = [call for call in calls if call not in again]
        for call in ended:
            call.is_blocked = False
            del self._blocked[call]
            if call not in given_up:
                for key in call.keys:
                    self._suspects.pop(key, None)
        self._release(ended)
        self._start()
        return again

    def _left_ms(self, call: Call[In, Out]) -> int:
        """How long this call may go on waiting."""
        now_s = asyncio.get_running_loop().time()
        return int((call.came_at_s + self._patience_s - now_s) * 1000)
