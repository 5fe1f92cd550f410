"""Grouping, with batches that wait until the test lets them go."""

import asyncio
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import Busy, InvariantBroken
from landbridge.platform.db.group_commit import GroupCommit


class Runner:
    """Runner that doubles each number; batches wait for `gate` and are recorded."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.batches: list[list[int]] = []
        self.under_way: list[list[int]] = []

    async def run(self, requests: list[int]) -> list[int]:
        self.batches.append(requests)
        self.under_way.append(requests)
        await self.gate.wait()
        await asyncio.sleep(0)
        self.under_way.remove(requests)
        if 13 in requests:
            raise ValueError("thirteen")
        if 99 in requests:
            raise Busy("no answer")
        return [2 * number for number in requests if number != 77]


def by_tens(number: int) -> list[Hashable]:
    return [number // 10]


@asynccontextmanager
async def calls(
    group: GroupCommit[int, int], *requests: int
) -> AsyncGenerator["list[asyncio.Task[int]]"]:
    tasks = [asyncio.create_task(group.call(number)) for number in requests]
    for _ in range(3):
        await asyncio.sleep(0)
    yield tasks
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_each_call_gets_its_own_result() -> None:
    runner = Runner()
    runner.gate.set()
    group = GroupCommit(runner.run, concurrency=2)
    assert await asyncio.gather(*map(group.call, range(10))) == [2 * each for each in range(10)]


async def test_calls_of_one_round_form_a_batch_and_later_ones_wait_for_a_slot() -> None:
    runner = Runner()
    group = GroupCommit(runner.run, concurrency=1)
    async with calls(group, 1, 2, 3) as first, calls(group, 4, 5) as second:
        assert runner.batches == [[1, 2, 3]]
        runner.gate.set()
        assert await asyncio.gather(*first, *second) == [2, 4, 6, 8, 10]
    assert runner.batches == [[1, 2, 3], [4, 5]]


async def test_concurrent_batches_are_limited_by_the_slots() -> None:
    runner = Runner()
    group = GroupCommit(runner.run, concurrency=2, size_max=1)
    async with calls(group, 1, 2, 3, 4):
        assert runner.under_way == [[1], [2]]


async def test_batch_is_bounded_and_the_rest_follows_in_order() -> None:
    runner = Runner()
    group = GroupCommit(runner.run, concurrency=1, size_max=3)
    async with calls(group, *range(8)) as tasks:
        runner.gate.set()
        await asyncio.gather(*tasks)
    assert runner.batches == [[0, 1, 2], [3, 4, 5], [6, 7]]


async def test_calls_with_one_key_never_run_together() -> None:
    runner = Runner()
    group = GroupCommit(runner.run, concurrency=3, keys=by_tens)
    async with calls(group, 10, 11, 20, 12, 21, 30) as tasks:
        assert runner.under_way == [[10, 20, 30]]
        runner.gate.set()
        await asyncio.gather(*tasks)
    assert runner.batches == [[10, 20, 30], [11, 21], [12]]


async def test_call_waiting_for_one_key_keeps_its_position_for_the_others() -> None:
    runner = Runner()
    # 12 waits for 1; 2 came after 12 and must not overtake it.
    keys = {1: [1], 12: [1, 2], 2: [2], 3: [3]}
    group = GroupCommit(runner.run, concurrency=3, keys=lambda number: keys[number])
    async with calls(group, 1, 12, 2, 3) as tasks:
        assert runner.under_way == [[1, 3]]
        runner.gate.set()
        await asyncio.gather(*tasks)
    assert runner.batches == [[1, 3], [12], [2]]


async def test_bad_call_fails_alone() -> None:
    runner = Runner()
    runner.gate.set()
    group = GroupCommit(runner.run, concurrency=1)
    async with calls(group, 12, 13, 14) as tasks:
        results = await asyncio.gather(*tasks, return_exceptions=True)
    assert results[0] == 24
    assert isinstance(results[1], ValueError)
    assert results[2] == 28
    assert runner.batches == [[12, 13, 14], [12], [13], [14]]
    assert await group.call(1) == 2


async def test_unavailable_database_fails_all_calls_at_once() -> None:
    runner = Runner()
    runner.gate.set()
    group = GroupCommit(runner.run, concurrency=1)
    async with calls(group, 98, 99) as tasks:
        results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in results] == [Busy, Busy]
    assert runner.batches == [[98, 99]]


async def test_unassignable_results_are_a_bug_and_not_retried() -> None:
    runner = Runner()
    runner.gate.set()
    group = GroupCommit(runner.run, concurrency=1)
    async with calls(group, 76, 77) as tasks:
        results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in results] == [InvariantBroken, InvariantBroken]
    assert runner.batches == [[76, 77]]


async def test_caller_that_leaves_before_its_turn_withdraws_its_call() -> None:
    runner = Runner()
    group = GroupCommit(runner.run, concurrency=1, keys=by_tens)
    async with calls(group, 1) as first, calls(group, 2, 3) as second:
        second[0].cancel()
        runner.gate.set()
        assert await asyncio.gather(*first, second[1]) == [2, 6]
    assert runner.batches == [[1], [3]]


async def test_call_under_way_completes_without_its_caller() -> None:
    runner = Runner()
    group = GroupCommit(runner.run, concurrency=1, keys=by_tens)
    async with calls(group, 1, 11) as first, calls(group, 2) as second:
        first[0].cancel()
        runner.gate.set()
        assert await asyncio.gather(first[1], *second) == [22, 4]
    assert runner.batches == [[1, 11], [2]]


async def test_failed_call_without_its_caller_harms_no_other() -> None:
    runner = Runner()
    group = GroupCommit(runner.run, concurrency=1)
    for bad in (13, 99):
        runner.gate.clear()
        async with calls(group, bad) as first:
            first[0].cancel()
            runner.gate.set()
            await asyncio.sleep(0.001)
        assert await group.call(1) == 2


@given(
    st.lists(st.tuples(st.integers(0, 12), st.booleans(), st.booleans()), max_size=60),
    st.integers(1, 3),
    st.integers(1, 5),
)
async def test_keys_stay_separate_and_ordered_under_cancellation(
    arrivals: list[tuple[int, bool, bool]], concurrency: int, size_max: int
) -> None:
    order: list[int] = []
    busy: set[Hashable] = set()

    async def run(requests: list[int]) -> list[int]:
        keys = [arrivals[number][0] for number in requests]
        assert len(set(keys)) == len(keys) <= size_max
        assert busy.isdisjoint(keys)
        busy.update(keys)
        await asyncio.sleep(0)
        busy.difference_update(keys)
        order.extend(requests)
        return requests

    group = GroupCommit(
        run, concurrency=concurrency, size_max=size_max, keys=lambda number: [arrivals[number][0]]
    )
    tasks: list[asyncio.Task[int]] = []
    for index, (_, leaves, pauses) in enumerate(arrivals):
        task = asyncio.create_task(group.call(index))
        tasks.append(task)
        if pauses:
            await asyncio.sleep(0)
        if leaves:
            task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    stayed = [index for index, (_, leaves, _) in enumerate(arrivals) if not leaves]
    assert [results[index] for index in stayed] == stayed
    for key in {key for key, _, _ in arrivals}:
        ran = [index for index in order if arrivals[index][0] == key]
        assert ran == sorted(ran)


async def test_error_in_the_keys_is_raised_to_the_caller() -> None:
    runner = Runner()
    runner.gate.set()

    def keys(number: int) -> list[Hashable]:
        return [1 // number]

    group = GroupCommit(runner.run, concurrency=1, keys=keys)
    with pytest.raises(ZeroDivisionError):
        await group.call(0)
    assert await group.call(5) == 10
