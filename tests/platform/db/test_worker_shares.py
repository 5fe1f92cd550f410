"""Shares of workers: each id is in one of them, and the share of one that is gone is taken over."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any, cast

import asyncpg
import pytest

from landbridge.platform.core.ids import new_id
from landbridge.platform.db import worker_shares
from landbridge.platform.db.pool import Database
from landbridge.platform.db.worker_shares import WHOLE, WorkerShare, WorkPart, dividing

PATIENCE_S = 20.0
# A worker is silent after five seconds, and the others look each second.
SILENCE_S = 5.0
_END = """
select pg_terminate_backend(pid)
from pg_stat_activity
where application_name = 'landbridge worker share' and datname = current_database()
order by pid
limit 1
"""


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110  no event between processes
            await asyncio.sleep(0.05)


def parts(*shares: WorkerShare) -> list[WorkPart]:
    return sorted((each.part for each in shares), key=lambda each: each.index)


def test_each_id_is_in_one_part() -> None:
    ids = [new_id() for _ in range(600)]
    for count in (1, 2, 3, 7):
        found = [[each for each in ids if WorkPart(n, count).has(each)] for n in range(count)]
        assert sorted(each for part in found for each in part) == sorted(ids)
        assert all(len(part) > len(ids) / count / 2 for part in found)


async def test_workers_divide_the_work_and_take_over(own_dsn: str) -> None:
    first, second, third = WorkerShare(), WorkerShare(), WorkerShare()
    async with dividing(own_dsn, first):
        async with dividing(own_dsn, second), dividing(own_dsn, third):
            thirds = [WorkPart(each, 3) for each in range(3)]
            await until(lambda: parts(first, second, third) == thirds)
        assert second.part is third.part is WHOLE
        await until(lambda: first.part == WHOLE)


async def test_a_lost_connection_is_replaced(own_dsn: str, own_database: Database) -> None:
    first, second = WorkerShare(), WorkerShare()
    halves = [WorkPart(0, 2), WorkPart(1, 2)]
    async with dividing(own_dsn, first), dividing(own_dsn, second):
        await until(lambda: parts(first, second) == halves)
        await own_database.rows(_END)
        # Without its connection a worker is not seen, and works on everything.
        await until(lambda: WHOLE in {first.part, second.part})
        await until(lambda: parts(first, second) == halves)


async def test_workers_of_another_database_do_not_count(own_dsn: str, dsn: str) -> None:
    here, elsewhere = WorkerShare(), WorkerShare()
    async with dividing(dsn, elsewhere), dividing(own_dsn, here):
        await asyncio.sleep(1.5)
        assert here.part == elsewhere.part == WHOLE


@pytest.mark.long
async def test_a_worker_that_is_silent_loses_its_share(own_dsn: str) -> None:
    connect = cast("Any", asyncpg).connect
    share = WorkerShare()
    async with AsyncExitStack() as stack:
        silent = await connect(
            own_dsn, server_settings={"application_name": "landbridge worker share"}
        )
        stack.push_async_callback(silent.close)
        await silent.fetchval("select 1")
        await stack.enter_async_context(dividing(own_dsn, share))
        await until(lambda: share.part.count == 2)
        await asyncio.sleep(SILENCE_S)
        await until(lambda: share.part == WHOLE)
        await silent.fetchval("select 1")
        await until(lambda: share.part.count == 2)


def test_a_worker_looks_at_everything_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_shares, "_WHOLE_EVERY_S", 0.0)
    share = WorkerShare()
    share.part = WorkPart(1, 2)
    looks = [share.next_part("due") for _ in range(22)]
    assert looks == 2 * [*10 * [share.part], WHOLE]
    assert share.next_part("other") == share.part


def test_it_looks_at_its_part_alone_for_half_a_minute() -> None:
    share = WorkerShare()
    share.part = WorkPart(1, 2)
    assert {share.next_part("due") for _ in range(100)} == {share.part}
