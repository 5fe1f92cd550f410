"""Grouping, with batches that wait until the test lets them go."""

import asyncio
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.core.errors import Broken, Busy
from landbridge.db.group import Group


class Runner:
    """Answers each number with its double; batches wait for `gate` and are remembered."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.batches: list[list[int]] = []
        self.under_way: list[list[int]] = []

    async def run(self, asks: list[int]) -> list[int]:
        self.batches.append(asks)
        self.under_way.append(asks)
        await self.gate.wait()
        await asyncio.sleep(0)
        self.under_way.remove(asks)
        if 13 in asks:
            raise ValueError("thirteen")
        if 99 in asks:
            raise Busy("no answer")
        return [2 * ask for ask in asks if ask != 77]


def by_tens(ask: int) -> list[Hashable]:
    return [ask // 10]


@asynccontextmanager
async def calls(group: Group[int, int], *asks: int) -> AsyncGenerator["list[asyncio.Task[int]]"]:
    tasks = [asyncio.create_task(group.call(ask)) for ask in asks]
    for _ in range(3):
        await asyncio.sleep(0)
    yield tasks
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_each_call_gets_its_own_result() -> None:
    runner = Runner()
    runner.gate.set()
    group = Group(runner.run, lanes=2)
    assert await asyncio.gather(*map(group.call, range(10))) == [2 * each for each in range(10)]


async def test_calls_of_one_round_go_together_and_later_ones_when_a_lane_is_free() -> None:
    runner = Runner()
    group = Group(runner.run, lanes=1)
    async with calls(group, 1, 2, 3) as first, calls(group, 4, 5) as second:
        assert runner.batches == [[1, 2, 3]]
        runner.gate.set()
        assert await asyncio.gather(*first, *second) == [2, 4, 6, 8, 10]
    assert runner.batches == [[1, 2, 3], [4, 5]]


async def test_no_more_batches_are_under_way_than_there_are_lanes() -> None:
    runner = Runner()
    group = Group(runner.run, lanes=2, size_max=1)
    async with calls(group, 1, 2, 3, 4):
        assert runner.under_way == [[1], [2]]


async def test_a_batch_is_bounded_and_the_rest_comes_in_order() -> None:
    runner = Runner()
    group = Group(runner.run, lanes=1, size_max=3)
    async with calls(group, *range(8)) as tasks:
        runner.gate.set()
        await asyncio.gather(*tasks)
    assert runner.batches == [[0, 1, 2], [3, 4, 5], [6, 7]]


async def test_calls_that_share_a_key_are_never_together_nor_under_way_at_once() -> None:
    runner = Runner()
    group = Group(runner.run, lanes=3, keys=by_tens)
    async with calls(group, 10, 11, 20, 12, 21, 30) as tasks:
        assert runner.under_way == [[10, 20, 30]]
        runner.gate.set()
        await asyncio.gather(*tasks)
    assert runner.batches == [[10, 20, 30], [11, 21], [12]]


async def test_a_call_that_waits_for_one_key_keeps_its_place_for_the_others() -> None:
    runner = Runner()
    # 12 waits for 1; 2 came after 12 and must not overtake it.
    keys = {1: [1], 12: [1, 2], 2: [2], 3: [3]}
    group = Group(runner.run, lanes=3, keys=lambda ask: keys[ask])
    async with calls(group, 1, 12, 2, 3) as tasks:
        assert runner.under_way == [[1, 3]]
        runner.gate.set()
        await asyncio.gather(*tasks)
    assert runner.batches == [[1, 3], [12], [2]]


async def test_one_bad_call_fails_alone() -> None:
    runner = Runner()
    runner.gate.set()
    group = Group(runner.run, lanes=1)
    async with calls(group, 12, 13, 14) as tasks:
        came = await asyncio.gather(*tasks, return_exceptions=True)
    assert came[0] == 24
    assert isinstance(came[1], ValueError)
    assert came[2] == 28
    assert runner.batches == [[12, 13, 14], [12], [13], [14]]
    assert await group.call(1) == 2


async def test_a_database_that_does_not_answer_is_told_to_all_at_once() -> None:
    runner = Runner()
    runner.gate.set()
    group = Group(runner.run, lanes=1)
    async with calls(group, 98, 99) as tasks:
        came = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in came] == [Busy, Busy]
    assert runner.batches == [[98, 99]]


async def test_results_that_nobody_can_assign_are_a_bug_and_not_run_again() -> None:
    runner = Runner()
    runner.gate.set()
    group = Group(runner.run, lanes=1)
    async with calls(group, 76, 77) as tasks:
        came = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in came] == [Broken, Broken]
    assert runner.batches == [[76, 77]]


async def test_a_caller_that_leaves_before_its_turn_takes_its_call_along() -> None:
    runner = Runner()
    group = Group(runner.run, lanes=1, keys=by_tens)
    async with calls(group, 1) as first, calls(group, 2, 3) as second:
        second[0].cancel()
        runner.gate.set()
        assert await asyncio.gather(*first, second[1]) == [2, 6]
    assert runner.batches == [[1], [3]]


async def test_a_call_under_way_is_done_even_if_its_caller_leaves() -> None:
    runner = Runner()
    group = Group(runner.run, lanes=1, keys=by_tens)
    async with calls(group, 1, 11) as first, calls(group, 2) as second:
        first[0].cancel()
        runner.gate.set()
        assert await asyncio.gather(first[1], *second) == [22, 4]
    assert runner.batches == [[1, 11], [2]]


async def test_a_failed_call_whose_caller_left_harms_nobody() -> None:
    runner = Runner()
    group = Group(runner.run, lanes=1)
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
async def test_whatever_comes_and_goes_keys_stay_apart_and_in_order(
    arrivals: list[tuple[int, bool, bool]], lanes: int, size_max: int
) -> None:
    order: list[int] = []
    busy: set[Hashable] = set()

    async def run(asks: list[int]) -> list[int]:
        keys = [arrivals[ask][0] for ask in asks]
        assert len(set(keys)) == len(keys) <= size_max
        assert busy.isdisjoint(keys)
        busy.update(keys)
        await asyncio.sleep(0)
        busy.difference_update(keys)
        order.extend(asks)
        return asks

    group = Group(run, lanes=lanes, size_max=size_max, keys=lambda ask: [arrivals[ask][0]])
    tasks: list[asyncio.Task[int]] = []
    for place, (_, leaves, pauses) in enumerate(arrivals):
        task = asyncio.create_task(group.call(place))
        tasks.append(task)
        if pauses:
            await asyncio.sleep(0)
        if leaves:
            task.cancel()
    came = await asyncio.gather(*tasks, return_exceptions=True)
    stayed = [place for place, (_, leaves, _) in enumerate(arrivals) if not leaves]
    assert [came[place] for place in stayed] == stayed
    for key in {key for key, _, _ in arrivals}:
        ran = [place for place in order if arrivals[place][0] == key]
        assert ran == sorted(ran)


async def test_an_error_in_the_keys_is_the_caller_s_own() -> None:
    runner = Runner()
    runner.gate.set()

    def keys(ask: int) -> list[Hashable]:
        return [1 // ask]

    group = Group(runner.run, lanes=1, keys=keys)
    with pytest.raises(ZeroDivisionError):
        await group.call(0)
    assert await group.call(5) == 10
