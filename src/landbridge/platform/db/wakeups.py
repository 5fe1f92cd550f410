"""Wake-ups: a process that makes work due wakes the worker by NOTIFY.

A notification has no content and may be lost (a pooler in transaction mode passes none on): the
worker's periodic checks find all due work, and a wake-up only makes them sooner.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import asyncpg
import structlog

from landbridge.platform.core.background_task import running
from landbridge.platform.core.errors import Busy
from landbridge.platform.core.event_wait import wait_for_event
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.retry import LOST_CONNECTION
from landbridge.platform.db.servers import SERVER_TIMEOUT_S, Servers

_log = structlog.stdlib.get_logger()

_CHANNEL: Final = "landbridge_due"
_NOTIFY: Final = "select pg_notify($1, '')"
# Seconds to wait, so that one notification serves everything that becomes due within this time.
_GATHER_S: Final = 0.005
_RECONNECT_S: Final = 1.0
_CHECK_EVERY_S: Final = 10.0


class DueNotifier:
    """Notifies workers that something is due; many calls are combined into one notification."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._task: asyncio.Task[None] | None = None
        self._is_on = False
        self._wake: Callable[[], None] | None = None

    def start(self, wake: Callable[[], None] | None = None) -> None:
        """Begin to notify, in a long-running process; a worker passes `wake` to wake itself.

        A command never calls this: it would end before its notification is sent.
        """
        self._is_on, self._wake = True, wake

    def notify(self) -> None:
        """Notify workers soon, outside of any transaction."""
        if self._wake is not None:
            self._wake()
        elif self._is_on and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._send())

    async def notify_in(self, tx: Tx) -> None:
        """Notify workers when this transaction commits."""
        if self._is_on:
            await tx.fetchval(_NOTIFY, _CHANNEL)

    async def _send(self) -> None:
        await asyncio.sleep(_GATHER_S)
        # Records that become due from here on need another notification.
        self._task = None
        with suppress(Busy, *LOST_CONNECTION):
            await self._database.rows(_NOTIFY, _CHANNEL)


@asynccontextmanager
async def due_wakeups(dsn: str) -> AsyncGenerator[asyncio.Event]:
    """Yield an event that is set at each notification; its reader clears it."""
    wakeup = asyncio.Event()
    async with running(_listen(dsn, wakeup.set)):
        yield wakeup


async def _listen(dsn: str, wake: Callable[[], None]) -> None:
    """Listen on a separate connection, and reconnect whenever it is lost."""
    servers = Servers(dsn)
    while True:
        try:
            await _listen_once(servers, wake)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
            _log.info("wakeups.lost", reason=type(error).__name__)
        await asyncio.sleep(_RECONNECT_S)


async def _listen_once(servers: Servers, wake: Callable[[], None]) -> None:
    connection_lost = asyncio.Event()
    connection: Any = await servers.connect()
    try:
        connection.add_termination_listener(_calling(connection_lost.set))
        await connection.add_listener(_CHANNEL, _calling(wake))
        # Wake up once for records that became due while no connection was listening.
        wake()
        while not connection_lost.is_set():
            await wait_for_event(connection_lost, _CHECK_EVERY_S)
            # A server that lost its power closes no connection, so a query has to detect that.
            await connection.execute("select 1", timeout=SERVER_TIMEOUT_S)
    finally:
        connection.terminate()


def _calling(call: Callable[[], None]) -> Callable[..., None]:
    """Return a callback for the driver that calls `call` and ignores its own arguments."""

    def callback(*_: object) -> None:
        call()

    return callback
