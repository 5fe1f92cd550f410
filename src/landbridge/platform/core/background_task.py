"""Background task that runs during a block and ends with it."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def running(work: Coroutine[object, object, None]) -> AsyncGenerator[None]:
    """Run a coroutine concurrently with the block.

    At the end of the block the coroutine is cancelled and awaited.
    """
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
