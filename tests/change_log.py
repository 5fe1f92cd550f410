"""Waiting for the change log to settle."""

import asyncio

from landbridge.platform.db.pool import Database

_PATIENCE_S = 60
_PAUSE_S = 0.01


async def settled(database: Database) -> None:
    """Wait until every commit so far can be read from the change log.

    Readers wait for older transactions in any database of the server, including other test
    processes.
    """
    (row,) = await database.rows("select pg_current_xact_id()::text as tx")
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            (now,) = await database.rows(
                "select pg_snapshot_xmin(pg_current_snapshot()) > $1::text::xid8 as is_behind",
                row["tx"],
            )
            if now["is_behind"]:
                return
            await asyncio.sleep(_PAUSE_S)
