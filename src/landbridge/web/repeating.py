"""What a process does again and again beside answering, as long as it serves."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import structlog

from landbridge.core.errors import Busy

_log = structlog.stdlib.get_logger()


@asynccontextmanager
async def repeating(
    work: Callable[[], Awaitable[None]], *, every_s: float, busy: str, failed: str
) -> AsyncGenerator[None]:
    """Run `work` every so many seconds; `busy` and `failed` name its failures in the log."""

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
