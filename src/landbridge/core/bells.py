"""Waiting for what somebody else says, but not for ever."""

import asyncio
from contextlib import suppress


async def bell(rung: asyncio.Event, timeout_s: float) -> None:
    """Wait for an event, for so many seconds at most.

    `asyncio.wait_for` would not do: until Python 3.12 it swallows a cancellation that comes with
    the event, and whoever was to end listens on.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await rung.wait()
