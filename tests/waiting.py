"""Races that are made: locks that are held, and who waits for whom in the database."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from landbridge.db.pool import Database, Tx

_PATIENCE_S = 30
_PAUSE_S = 0.01
# In this database: others' tests have theirs.
_WAITING = """
select from pg_locks l
join pg_stat_activity a on a.pid = l.pid and a.datname = current_database()
where not l.granted
"""


@asynccontextmanager
async def holding(database: Database, statement: str, *args: Any) -> AsyncGenerator[None]:
    """A transaction that has executed this, and ends with the block."""
    is_held, may_end = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx) -> None:
        await tx.execute(statement, *args)
        is_held.set()
        await may_end.wait()

    task = asyncio.create_task(database.transact(hold))
    await is_held.wait()
    try:
        yield
    finally:
        may_end.set()
        await task


async def waiting(database: Database, count: int) -> None:
    """Until so many wait for locks."""
    async with asyncio.timeout(_PATIENCE_S):
        while len(await database.rows(_WAITING)) < count:  # noqa: ASYNC110  no bell
            await asyncio.sleep(_PAUSE_S)


async def waits_for(database: Database, pid: int) -> int:
    """The one that waits for a lock of this one, as soon as somebody does.

    `database` is asked on a connection of its own: within a transaction the view stays as it was
    first seen.
    """
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            found = await database.rows(
                "select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))", pid
            )
            if found:
                return int(found[0]["pid"])
            await asyncio.sleep(_PAUSE_S)


async def done_or_waiting(database: Database, task: "asyncio.Task[Any]", pid: int) -> None:
    """Until it is done, or waits for this one."""
    looking = asyncio.create_task(waits_for(database, pid))
    await asyncio.wait({task, looking}, return_when=asyncio.FIRST_COMPLETED)
    looking.cancel()
