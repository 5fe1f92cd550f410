"""Waiting for the log of changes to be settled."""

import asyncio

from landbridge.db.pool import Database

_PATIENCE_S = 60
_PAUSE_S = 0.01


async def settled(database: Database) -> None:
    """Wait until everything that is committed now can be read from the log.

    Readers wait for whatever began before, in any database of the server: of other test processes,
    too.
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
