"""The end of tasks when their process ends."""

import asyncio
from collections.abc import Iterable
from typing import Any, Final

_WAIT_S: Final = 3


async def end_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Let tasks in progress end, for a while; cancel the others, and wait until they have ended."""
    running = [each for each in tasks if not each.done()]
    if not running:
        return
    _, late = await asyncio.wait(running, timeout=_WAIT_S)
    for each in late:
        each.cancel()
    await asyncio.gather(*late, return_exceptions=True)
