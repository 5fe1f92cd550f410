"""Wait for an asyncio event with a timeout."""

import asyncio
from contextlib import suppress


async def wait_for_event(rung: asyncio.Event, timeout_s: float) -> None:
    """Wait for an event, for at most this many seconds.

    `asyncio.wait_for` is not suitable: until Python 3.12 it swallows a cancellation that arrives
    together with the event, so a cancelled task would wait on.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await rung.wait()
