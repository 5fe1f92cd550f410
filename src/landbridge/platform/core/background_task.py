"""A task that runs beside a block, and ends with it."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def running(work: Coroutine[object, object, None]) -> AsyncGenerator[None]:
    """Run a coroutine beside the block; cancel it at the end, and wait until it has ended."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
