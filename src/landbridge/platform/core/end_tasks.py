"""Orderly end of tasks when their process ends."""

import asyncio
from collections.abc import Iterable
from typing import Any, Final

_WAIT_S: Final = 3


async def end_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Wait a bounded time for tasks to finish, then cancel the others and wait for their end."""
    running = [each for each in tasks if not each.done()]
    if not running:
        return
    _, late = await asyncio.wait(running, timeout=_WAIT_S)
    for each in late:
        each.cancel()
    await asyncio.gather(*late, return_exceptions=True)
