"""Grouping: many callers, one statement.

Calls that arrive while the group's few lanes are busy wait and then go together. Guarantees:
- a call that finds a free lane goes at once; a batch has at most `size_max` calls;
- two calls that share a key are never in one batch, nor in two batches under way, and keep the
  order in which they came; so each is judged as if it were alone;
- each caller gets its own result or error. When a batch raises, its calls run one by one, so that
  one bad call harms no other; unless it was `Busy`, which is nobody's fault: then all hear of it
  at once, because to wait for a silent database once per call would hold the lane for minutes;
- a caller that goes away before its call has started takes it along; later, the call is done all
  the same, and the result is dropped.

Calls that take row locks go through a `LockGroup` (lock_group.py), where a lock that is held
elsewhere delays the calls that need it and no others.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from landbridge.core.errors import Broken, Busy

In = TypeVar("In")
Out = TypeVar("Out")

# Past this a batch no longer gets cheaper per call, only slower to answer (measured).
SIZE_MAX = 64
# A second of work at full speed; whoever comes later would not be answered in useful time.
WAITING_MAX = 2_000


@dataclass(slots=True, eq=False)
class Call(Generic[In, Out]):
    """A call of a group; a blocked one waits for a lock and keeps its keys meanwhile."""

    ask: In
    keys: Collection[Hashable]
    answer: "asyncio.Future[Out]"
    came_at_s: float
    is_blocked: bool = False


class Group(Generic[In, Out]):
    """`run` answers a batch, one result per call, in order."""

    def __init__(
        self,
        run: Callable[[list[In]], Awaitable[list[Out]]],
        *,
        lanes: int,
        keys: Callable[[In], Collection[Hashable]] = lambda _: (),
        size_max: int = SIZE_MAX,
    ) -> None:
        self._run = run
        self._lanes_free = lanes
        self._keys = keys
        self._size_max = size_max
        self._waiting: deque[Call[In, Out]] = deque()
        self._busy_keys: set[Hashable] = set()
        self._under_way: set[asyncio.Task[None]] = set()
        self._is_due = False

    async def call(self, ask: In) -> Out:
        """The result of `ask`, computed together with whatever else waits.

        Raises `Busy` at once when too many wait already: an answer that comes after its caller has
        given up is worth nothing.
        """
        if len(self._waiting) >= WAITING_MAX:
            raise Busy("too many calls are waiting")
        loop = asyncio.get_running_loop()
        call = Call[In, Out](ask, self._keys(ask), loop.create_future(), loop.time())
        self._waiting.append(call)
        if not self._is_due and self._lanes_free:
            # Everything that becomes ready in this round of the loop goes in one batch.
            self._is_due = True
            loop.call_soon(self._start)
        return await call.answer

    def _start(self) -> None:
        self._is_due = False
        while self._lanes_free and (batch := self._take()):
            self._lanes_free -= 1
            task = asyncio.get_running_loop().create_task(self._serve(batch))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    def _take(self) -> list[Call[In, Out]]:
        """The next batch, in order of arrival; calls whose keys are taken stay where they are."""
        batch: list[Call[In, Out]] = []
        passed: list[Call[In, Out]] = []
        blocked = set(self._busy_keys)
        while self._waiting and len(batch) < self._size_max:
            call = self._waiting.popleft()
            if call.answer.done():
                continue
            if blocked.isdisjoint(call.keys):
                batch.append(call)
            else:
                passed.append(call)
            blocked.update(call.keys)
        self._waiting.extendleft(reversed(passed))
        for call in batch:
            self._busy_keys.update(call.keys)
        return batch

    async def _serve(self, batch: list[Call[In, Out]]) -> None:
        try:
            await self._answer(batch)
        finally:
            self._release(batch)
            self._lanes_free += 1
            self._start()

    def _release(self, calls: list[Call[In, Out]]) -> None:
        """Free the keys of these calls, but for the blocked ones."""
        for call in calls:
            if not call.is_blocked:
                self._busy_keys.difference_update(call.keys)

    async def _answer(self, batch: list[Call[In, Out]]) -> None:
        try:
            results = await self._run([call.ask for call in batch])
        except Exception as error:  # noqa: BLE001  each caller must hear of it, whatever it is
            if len(batch) == 1 or isinstance(error, Busy):
                fail(batch, error)
                return
            for call in batch:
                await self._answer([call])
            return
        succeed(batch, results)


def succeed(calls: list[Call[In, Out]], results: list[Out]) -> None:
    """Give each call its result."""
    if len(results) != len(calls):
        # Done, but nobody can tell whose is whose: never run it again.
        fail(calls, Broken(f"{len(calls)} calls got {len(results)} results"))
        return
    for call, result in zip(calls, results, strict=True):
        if not call.answer.done():
            call.answer.set_result(result)


def fail(calls: list[Call[In, Out]], error: Exception) -> None:
    """Raise the error in each caller."""
    for call in calls:
        if not call.answer.done():
            call.answer.set_exception(error)
