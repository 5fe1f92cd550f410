"""Wait for asyncio events with a timeout."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress


async def wait_for_event(event: asyncio.Event, timeout_s: float) -> None:
    """Wait for an event, for at most `timeout_s` seconds.

    `asyncio.wait_for` is not suitable: until Python 3.12 it swallows a cancellation that arrives
    together with the event, so a cancelled task would go on waiting.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await event.wait()


async def wait_for_any(events: Iterable[asyncio.Event], timeout_s: float) -> None:
    """Wait for the first of these events, for at most `timeout_s` seconds."""
    waits = [asyncio.ensure_future(each.wait()) for each in events]
    try:
        await asyncio.wait(waits, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
