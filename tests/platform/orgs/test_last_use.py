"""The last use of keys is recorded at intervals, despite failures in between."""

import asyncio
from collections.abc import Callable

from landbridge.app.api import noting_use
from landbridge.platform.core.errors import Busy


async def test_failure_is_logged_and_the_next_round_runs(logged: Callable[[], str]) -> None:
    failures = [ValueError("a secret of somebody"), Busy("too much")]
    is_noted = asyncio.Event()

    async def note_use() -> None:
        if failures:
            raise failures.pop(0)
        is_noted.set()

    async with noting_use(note_use, every_s=0.001):
        await asyncio.wait_for(is_noted.wait(), 5)
    assert "keys.use_not_noted" in logged()
    assert "keys.busy" in logged()
    assert "a secret of somebody" not in logged()


async def test_nothing_is_left_running_at_the_end() -> None:
    is_in, is_out = asyncio.Event(), asyncio.Event()

    async def note_use() -> None:
        is_in.set()
        try:
            await asyncio.sleep(60)
        finally:
            is_out.set()

    async with noting_use(note_use, every_s=0.001):
        await is_in.wait()
    assert is_out.is_set()
