"""What API and worker have in common: logs, signals, and why they end by themselves."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import structlog

from landbridge.app.settings import Settings
from landbridge.platform import logs
from landbridge.platform.db.schema_watch import SchemaWatch

_log = structlog.stdlib.get_logger()

_PARENT_EVERY_S = 1.0
# Signal to the supervisor that a newer version has migrated the database.
OUTDATED = signal.SIGUSR1


def set_up_logs(settings: Settings) -> None:
    """Configure the logs: JSON without a terminal, a console format with one, or as set."""
    is_json = settings.log_format == "json" or (settings.log_format is None and not os.isatty(2))
    logs.set_up(level=settings.log_level, is_json=is_json)


@asynccontextmanager
async def watching(
    parent: int | None, schema: SchemaWatch, finish: Callable[[], None]
) -> AsyncGenerator[None]:
    """Return when the supervisor is gone or the schema is newer."""
    tasks = [
        asyncio.create_task(_watch(parent, finish)),
        asyncio.create_task(schema.run(lambda: _end(parent, finish))),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def _end(parent: int | None, finish: Callable[[], None]) -> None:
    """Have the supervisor stop all its processes in order; without one, finish alone."""
    if parent is not None and os.getppid() == parent:
        os.kill(parent, OUTDATED)
    else:
        finish()


def on_signals(leave: Callable[[], None]) -> None:
    """Call `leave` on SIGTERM and SIGINT."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, leave)


async def _watch(parent: int | None, leave: Callable[[], None]) -> None:
    """Finish when the supervisor is gone: nothing would stop or restart this process any more."""
    while parent is not None and os.getppid() == parent:  # noqa: ASYNC110  the kernel sends no event
        await asyncio.sleep(_PARENT_EVERY_S)
    if parent is not None:
        _log.warning("process.orphaned", pid=os.getpid())
        leave()
