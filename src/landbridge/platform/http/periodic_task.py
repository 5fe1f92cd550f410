"""Periodic background tasks of a serving process."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from landbridge.platform.core.background_task import running
from landbridge.platform.core.errors import ReadOnlyServer
from landbridge.platform.db.failures import logged_failures


@asynccontextmanager
async def repeating(
    work: Callable[[], Awaitable[None]], *, every_s: float, busy: str, failed: str
) -> AsyncGenerator[None]:
    """Run `work` periodically; `busy` and `failed` are the log events of its failures."""

    async def repeat() -> None:
        while True:
            await asyncio.sleep(every_s)
            # What a standby refuses is no failure: it waits for the promotion.
            with logged_failures(busy=busy, failed=failed), suppress(ReadOnlyServer):
                await work()

    async with running(repeat()):
        yield
