"""Group commit: concurrent calls share one statement.

At most `concurrency` batches run at once; calls that arrive meanwhile form the next batch.
Guarantees:
- A call that finds no batch running starts at once; while a batch runs, calls are gathered until
  it ends, or for `GATHER_S` if another batch may start. A batch has at most `size_max` calls.
- Two calls that share a key are never in one batch, nor in two concurrent batches, and keep their
  order; so each is decided as if it were alone.
- Each caller gets its own result or error. When a batch raises, its calls run one by one, so that
  an invalid call affects no other. A `Busy` is raised to all callers at once, because waiting for
  an unresponsive database once per call would block the batch for minutes.
- A caller that is cancelled before its call has started removes it; later, the call is completed
  and its result is dropped.

Calls that take row locks use `LockingGroupCommit` (locking_group_commit.py), where a lock held
elsewhere delays only the calls that need it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from landbridge.platform.core.errors import Busy, InvariantBroken
from landbridge.platform.db.pool import TRANSACTION_BOUND

In = TypeVar("In")
Out = TypeVar("Out")

# Larger batches cost the same per call and take longer to answer (measured).
SIZE_MAX = 64
# About a second of work at full speed; calls beyond it would be answered too late to be useful.
WAITING_MAX = 2_000
# A batch of eight costs a quarter of eight batches of one (measured: docs/internals/speed.md).
GATHER_S = 0.002


@dataclass(slots=True, eq=False)
class GroupCall(Generic[In, Out]):
    """Call that waits in a group. A blocked call waits for a database lock and keeps its keys."""

    request: In
    keys: Collection[Hashable]
    future: "asyncio.Future[Out]"
    arrived_at_s: float
    is_blocked: bool = False


class GroupCommit(Generic[In, Out]):
    """Collects concurrent calls into batches.

    `run` executes a batch and returns one result per call, in order.
    """

    def __init__(
        self,
        run: Callable[[list[In]], Awaitable[list[Out]]],
        *,
        concurrency: int,
        keys: Callable[[In], Collection[Hashable]] = lambda _: (),
        size_max: int = SIZE_MAX,
    ) -> None:
        self._run = run
        self._concurrency = self._free_slots = concurrency
        self._keys = keys
        self._size_max = size_max
        self._waiting: deque[GroupCall[In, Out]] = deque()
        self._busy_keys: set[Hashable] = set()
        self._under_way: set[asyncio.Task[None]] = set()
        self._is_due = False

    async def call(self, request: In) -> Out:
        """Return the result of `request`, executed together with other waiting calls.

        Raises `Busy` at once when too many calls wait already: a result that arrives after its
        caller has given up is useless.
        """
        if len(self._waiting) >= WAITING_MAX:
            raise Busy("too many calls are waiting")
        loop = asyncio.get_running_loop()
        # A subscripted class takes six times as long to call.
        call: GroupCall[In, Out] = GroupCall(
            request, self._keys(request), loop.create_future(), loop.time()
        )
        self._waiting.append(call)
        if not self._is_due and self._free_slots:
            self._is_due = True
            if self._free_slots == self._concurrency:
                # All calls of one iteration of the event loop go into the same batch.
                loop.call_soon(self._start)
            else:
                loop.call_later(GATHER_S, self._start)
        return await call.future

    def _start(self) -> None:
        self._is_due = False
        while self._free_slots and (batch := self._take()):
            self._free_slots -= 1
            task = asyncio.get_running_loop().create_task(self._serve(batch))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    def _take(self) -> list[GroupCall[In, Out]]:
        """Take the next batch, in order of arrival; calls with keys in use stay queued."""
        batch: list[GroupCall[In, Out]] = []
        passed: list[GroupCall[In, Out]] = []
        blocked = set(self._busy_keys)
        while self._waiting and len(batch) < self._size_max:
            call = self._waiting.popleft()
            if call.future.done():
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

    async def _serve(self, batch: list[GroupCall[In, Out]]) -> None:
        # A batch has calls of several organisations, so no single organisation's bound applies.
        TRANSACTION_BOUND.set(None)
        try:
            await self._execute(batch)
        finally:
            self._release(batch)
            self._free_slots += 1
            self._start()

    def _release(self, calls: list[GroupCall[In, Out]]) -> None:
        """Release the keys of these calls, except the keys of blocked calls."""
        for call in calls:
            if not call.is_blocked:
                self._busy_keys.difference_update(call.keys)

    async def _execute(self, batch: list[GroupCall[In, Out]]) -> None:
        try:
            results = await self._run([call.request for call in batch])
        except Exception as error:  # noqa: BLE001  each caller must hear of it, whatever it is
            if len(batch) == 1 or isinstance(error, Busy):
                fail(batch, error)
                return
            for call in batch:
                await self._execute([call])
            return
        succeed(batch, results)


def succeed(calls: list[GroupCall[In, Out]], results: list[Out]) -> None:
    """Give each call its result."""
    if len(results) != len(calls):
        # The calls were executed, but their results can't be matched: never run them again.
        fail(calls, InvariantBroken(f"{len(calls)} calls got {len(results)} results"))
        return
    for call, result in zip(calls, results, strict=True):
        if not call.future.done():
            call.future.set_result(result)


def fail(calls: list[GroupCall[In, Out]], error: Exception) -> None:
    """Raise the error in the caller of each call."""
    for call in calls:
        if not call.future.done():
            call.future.set_exception(error)
