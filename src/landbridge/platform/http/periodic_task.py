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
    """Run `work` periodically; its failures are logged as the events `busy` or `failed`."""

    async def repeat() -> None:
        while True:
            await asyncio.sleep(every_s)
            # A standby refuses writes until its promotion, which is not a failure.
            with logged_failures(busy=busy, failed=failed), suppress(ReadOnlyServer):
                await work()

    async with running(repeat()):
        yield
