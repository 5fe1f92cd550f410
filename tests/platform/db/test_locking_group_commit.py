"""Calls blocked by a lock, with a runner whose locks the test holds."""

import asyncio
from collections.abc import Hashable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import Busy, LockTimeout
from landbridge.platform.db.locking_group_commit import (
    BATCH_WAIT_MS,
    BLOCKED_MAX,
    PROBE_WAIT_MS,
    LockingGroupCommit,
)
from tests.platform.db.test_group_commit import by_tens, calls

BAD, SILENT = -1, -2


class Rows:
    """Runner that doubles each number, unless the lock of one is held elsewhere."""

    def __init__(self, *held: int) -> None:
        self.held = set(held)
        self.attempts: list[tuple[list[int], int]] = []

    async def run(self, requests: list[int], wait_ms: int) -> list[int]:
        self.attempts.append((requests, wait_ms))
        await asyncio.sleep(0)
        if not self.held.isdisjoint(requests):
            raise LockTimeout("held")
        if BAD in requests:
            raise ValueError("bad")
        if SILENT in requests:
            raise Busy("no answer")
        return [2 * number for number in requests]

    def attempts_of(self, number: int) -> list[tuple[list[int], int]]:
        return [each for each in self.attempts if number in each[0]]


def grouped(
    rows: Rows, *, concurrency: int = 2, wait_max_s: float = 60
) -> LockingGroupCommit[int, int]:
    return LockingGroupCommit(
        rows.run, concurrency=concurrency, keys=by_ones, wait_max_s=wait_max_s
    )


def by_ones(number: int) -> list[Hashable]:
    return [number]


async def test_other_calls_of_a_batch_are_answered_while_one_is_blocked() -> None:
    rows = Rows(3)
    group = grouped(rows)
    async with calls(group, *range(8)) as tasks:
        others = [each for index, each in enumerate(tasks) if index != 3]
        assert await asyncio.gather(*others) == [0, 2, 4, 8, 10, 12, 14]
        assert not tasks[3].done()
        rows.held.clear()
        assert await tasks[3] == 6


async def test_batch_waits_briefly_for_locks_and_its_parts_hardly() -> None:
    rows = Rows(3)
    group = grouped(rows)
    async with calls(group, *range(64)) as tasks:
        await asyncio.gather(*(each for index, each in enumerate(tasks) if index != 3))
        first, *parts = [each for each in rows.attempts if each[0] != [3]]
        assert first == (list(range(64)), BATCH_WAIT_MS)
        assert {wait_ms for _, wait_ms in parts} == {PROBE_WAIT_MS}
        # Eight parts, and the other calls of the one with the blocked call.
        assert len(parts) == 8 + 7
        rows.held.clear()
        await tasks[3]


async def test_calls_of_a_fully_blocked_batch_are_all_retried() -> None:
    rows = Rows(*range(64))
    group = grouped(rows)
    async with calls(group, *range(64)) as tasks:
        rows.held.clear()
        assert await asyncio.gather(*tasks) == [2 * number for number in range(64)]


async def test_blocked_calls_occupy_no_slot() -> None:
    rows = Rows(1, 2, 3)
    group = grouped(rows, concurrency=2)
    async with calls(group, 1) as one, calls(group, 2) as two, calls(group, 3) as three:
        assert await group.call(4) == 8
        assert await asyncio.gather(*map(group.call, range(5, 9))) == [10, 12, 14, 16]
        rows.held.clear()
        assert await asyncio.gather(*one, *two, *three) == [2, 4, 6]


async def test_call_with_a_released_lock_does_not_wait_for_the_others() -> None:
    rows = Rows(*range(40))
    group = grouped(rows)
    async with calls(group, *range(40)) as tasks:
        rows.held.discard(39)
        assert await tasks[39] == 78
        rows.held.discard(0)
        assert await tasks[0] == 0
        assert not any(each.done() for each in tasks[1:39])
        rows.held.clear()
        await asyncio.gather(*tasks)


async def test_single_blocked_call_waits_in_the_database() -> None:
    rows = Rows(1)
    group = grouped(rows)
    async with calls(group, 1) as tasks:
        while len(rows.attempts) < 4:  # noqa: ASYNC110  no event
            await asyncio.sleep(0)
        assert {wait_ms for _, wait_ms in rows.attempts} == {BATCH_WAIT_MS}
        rows.held.clear()
        await tasks[0]


async def test_calls_sharing_a_key_with_a_blocked_one_stay_behind_it() -> None:
    rows = Rows(10)
    group = LockingGroupCommit(rows.run, concurrency=2, keys=by_tens)
    async with calls(group, 10, 11, 20) as tasks, calls(group, 12, 21) as more:
        assert await asyncio.gather(tasks[2], more[1]) == [40, 42]
        assert not rows.attempts_of(11)
        rows.held.clear()
        assert await asyncio.gather(*tasks, *more) == [20, 22, 40, 24, 42]
    order = [number for requests, _ in rows.attempts for number in requests]
    assert order.index(11) < order.index(12)


async def test_blocked_call_raises_a_lock_timeout() -> None:
    rows = Rows(1)
    group = grouped(rows, wait_max_s=0)
    async with calls(group, 1, 2) as tasks:
        assert await tasks[1] == 4
        with pytest.raises(LockTimeout):
            await tasks[0]
        rows.held.clear()
        assert await group.call(1) == 2


async def test_patience_counts_from_the_arrival_also_behind_a_blocked_call() -> None:
    rows = Rows(*range(10, 20))
    group = LockingGroupCommit(rows.run, concurrency=2, keys=by_tens, wait_max_s=0)
    async with calls(group, *range(10, 20)) as tasks:
        results = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(each) for each in results} == {LockTimeout}


async def test_the_next_call_on_such_a_key_delays_no_batch() -> None:
    rows = Rows(1)
    group = grouped(rows, wait_max_s=0)
    with pytest.raises(LockTimeout):
        await group.call(1)
    async with calls(group, 1, 2, 3) as tasks:
        assert await asyncio.gather(*tasks[1:]) == [4, 6]
        with pytest.raises(LockTimeout):
            await tasks[0]
    assert ([2, 3], BATCH_WAIT_MS) in rows.attempts
    assert all(requests == [1] for requests, _ in rows.attempts_of(1))
    # Once one has succeeded, they go together again.
    rows.held.clear()
    assert await group.call(1) == 2
    async with calls(group, 1, 2) as tasks:
        await asyncio.gather(*tasks)
    assert rows.attempts[-1] == ([1, 2], BATCH_WAIT_MS)


async def test_blocked_call_without_its_caller_is_dropped() -> None:
    rows = Rows(1)
    group = grouped(rows)
    async with calls(group, 1) as tasks:
        tasks[0].cancel()
    rows.held.clear()
    before = len(rows.attempts)
    assert await group.call(1) == 2
    # The batch in progress at that time, and this one.
    assert len(rows.attempts) <= before + 2


async def test_only_so_many_calls_wait_for_locks() -> None:
    rows = Rows(*range(BLOCKED_MAX + 10))
    group = grouped(rows)
    async with calls(group, *range(BLOCKED_MAX + 10)) as tasks:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        assert await group.call(BLOCKED_MAX + 20) == 2 * (BLOCKED_MAX + 20)
        rows.held.clear()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    assert sum(isinstance(each, LockTimeout) for each in results) == 10
    assert sum(isinstance(each, int) for each in results) == BLOCKED_MAX


async def test_silent_database_fails_the_whole_batch_at_once() -> None:
    rows = Rows()
    group = grouped(rows)
    async with calls(group, 98, SILENT) as tasks:
        results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in results] == [Busy, Busy]
    assert rows.attempts == [([98, SILENT], BATCH_WAIT_MS)]


async def test_bad_call_fails_alone_beside_a_blocked_one() -> None:
    rows = Rows(14)
    group = grouped(rows)
    async with calls(group, 12, BAD, 14) as tasks:
        results = await asyncio.gather(*tasks[:2], return_exceptions=True)
        assert results[0] == 24
        assert isinstance(results[1], ValueError)
        rows.held.clear()
        assert await tasks[2] == 28


@given(
    st.lists(
        st.tuples(st.integers(0, 8), st.sampled_from(["", "hold", "release", "leave", "pause"])),
        max_size=60,
    ),
    st.integers(1, 3),
    st.integers(1, 12),
)
async def test_keys_stay_separate_and_ordered_under_locks(
    arrivals: list[tuple[int, str]], concurrency: int, size_max: int
) -> None:
    order: list[int] = []
    busy: set[Hashable] = set()
    held: set[int] = set()

    async def run(requests: list[int], _wait_ms: int) -> list[int]:
        keys = [arrivals[number][0] for number in requests]
        assert len(set(keys)) == len(keys) <= size_max
        assert busy.isdisjoint(keys)
        busy.update(keys)
        await asyncio.sleep(0)
        busy.difference_update(keys)
        if not held.isdisjoint(keys):
            raise LockTimeout("held")
        order.extend(requests)
        return requests

    group = LockingGroupCommit(
        run,
        concurrency=concurrency,
        size_max=size_max,
        keys=lambda number: [arrivals[number][0]],
        wait_max_s=60,
    )
    tasks: list[asyncio.Task[int]] = []
    for index, (key, event) in enumerate(arrivals):
        match event:
            case "hold":
                held.add(key)
            case "release":
                held.discard(key)
            case _:
                pass
        tasks.append(asyncio.create_task(group.call(index)))
        if event == "pause":
            for _ in range(3):
                await asyncio.sleep(0)
        if event == "leave":
            tasks[-1].cancel()
    held.clear()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    stayed = [index for index, (_, event) in enumerate(arrivals) if event != "leave"]
    assert [results[index] for index in stayed] == stayed
    assert len(set(order)) == len(order)
    for key in {key for key, _ in arrivals}:
        ran = [index for index in order if arrivals[index][0] == key]
        assert ran == sorted(ran)
