"""Deliberate races: held locks, and lock waits in the database."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from landbridge.platform.db.pool import Database, Tx

_PATIENCE_S = 30
_PAUSE_S = 0.01
# In this database: other tests have their own.
_WAITING = """
select from pg_locks l
join pg_stat_activity a on a.pid = l.pid and a.datname = current_database()
where not l.granted
"""


@asynccontextmanager
async def holding(database: Database, statement: str, *args: Any) -> AsyncGenerator[None]:
    """Run a transaction that executes this statement, and ends with the block."""
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


async def waiting(database: Database, count: int, *, patience_s: float = _PATIENCE_S) -> None:
    """Wait until this many sessions wait for locks."""
    async with asyncio.timeout(patience_s):
        while len(await database.rows(_WAITING)) < count:  # noqa: ASYNC110  no bell
            await asyncio.sleep(_PAUSE_S)


async def waits_for(database: Database, pid: int) -> int:
    """Wait for a session that is blocked by this one; return its pid.

    `database` needs its own connection: within a transaction the view does not change.
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
    """Wait until the task is done, or blocked by this session."""
    looking = asyncio.create_task(waits_for(database, pid))
    await asyncio.wait({task, looking}, return_when=asyncio.FIRST_COMPLETED)
    looking.cancel()
