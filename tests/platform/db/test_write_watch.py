"""The write watch sees every commit, and releases all who wait at its end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from landbridge.platform.core.event_wait import wait_for_any, wait_for_event
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.write_watch import WriteWatch

PATIENCE_S = 10.0
_WRITE = "create table written_to (id int)"


@asynccontextmanager
async def watching(database: Database) -> AsyncGenerator[WriteWatch]:
    watch, stop = WriteWatch(database), asyncio.Event()
    task = asyncio.create_task(watch.run(stop))
    try:
        yield watch
    finally:
        stop.set()
        await task


async def looked_at(watch: WriteWatch) -> None:
    """Wait until the watch has seen the present state, which it counts as a change."""
    if watch.version == 0:
        await wait_for_event(watch.changed, PATIENCE_S)


async def test_commit_changes_the_version_of_a_running_transaction_too(
    own_database: Database,
) -> None:
    async with watching(own_database) as watch:
        await looked_at(watch)

        async def work(tx: Tx) -> int:
            started = watch.changed
            await tx.execute(_WRITE)
            # Its id is in the snapshot from the first write on.
            await wait_for_event(started, PATIENCE_S)
            return watch.version

        in_transaction = await own_database.transact(work)
        if watch.version == in_transaction:
            await wait_for_event(watch.changed, PATIENCE_S)
        assert watch.version > in_transaction


async def test_all_who_wait_are_released_at_the_end(own_database: Database) -> None:
    async with watching(own_database) as watch:
        await looked_at(watch)
        waiting = asyncio.create_task(wait_for_any((asyncio.Event(), watch.changed), PATIENCE_S))
    await asyncio.wait_for(waiting, PATIENCE_S)
