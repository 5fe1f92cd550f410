"""Who waits for whom in the database."""

import asyncio

from landbridge.db.pool import Database

_PATIENCE_S = 30
_PAUSE_S = 0.01


async def waits_for(database: Database, pid: int) -> int:
    """The one that waits for a lock of this one, as soon as somebody does.

    `database` is asked on a connection of its own: within a transaction the view stays as it was
    first seen.
    """
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            waiting = await database.rows(
                "select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))", pid
            )
            if waiting:
                return int(waiting[0]["pid"])
            await asyncio.sleep(_PAUSE_S)
