"""Periodic background tasks of a serving process."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import structlog

from landbridge.platform.core.errors import Busy

_log = structlog.stdlib.get_logger()


@asynccontextmanager
async def repeating(
    work: Callable[[], Awaitable[None]], *, every_s: float, busy: str, failed: str
) -> AsyncGenerator[None]:
    """Run `work` periodically; `busy` and `failed` are the log events of its failures."""

    async def repeat() -> None:
        while True:
            await asyncio.sleep(every_s)
            try:
                await work()
            except Busy as error:
                _log.warning(busy, reason=str(error))
            except Exception as error:  # noqa: BLE001  one failure must not end the rest
                _log.error(failed, exc_info=error)

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
