"""Promotion: a process that reads on a standby begins to write once its server accepts writes."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import structlog

from landbridge.platform.core.background_task import running
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database

_log = structlog.stdlib.get_logger()

_CHECK_EVERY_S: Final = 1.0


@asynccontextmanager
async def run_on_promotion(
    database: Database, probe: Database, begin: Callable[[], Awaitable[None]]
) -> AsyncGenerator[None]:
    """Refuse writes without a retry, and run `begin` once the server accepts writes.

    `probe` has the same address. Each check opens a new connection while the server is a standby,
    so that a host name that now leads to another server is followed. If `begin` fails, the next
    check repeats it.
    """
    database.is_standby = True
    async with running(_watch(database, probe, begin)):
        yield


async def _watch(database: Database, probe: Database, begin: Callable[[], Awaitable[None]]) -> None:
    _log.warning("database.standby")
    while database.is_standby:
        await asyncio.sleep(_CHECK_EVERY_S)
        with logged_failures(busy="database.standby_busy", failed="database.not_promoted"):
            if await probe.is_writable():
                # The pool's connections may lead to another server than the probe's.
                await database.replace_connections()
                await begin()
                database.is_standby = False
                _log.warning("database.promoted")
