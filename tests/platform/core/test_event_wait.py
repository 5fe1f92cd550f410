"""A wait for an event can be ended."""

import asyncio

import pytest

from landbridge.platform.core.event_wait import wait_for_event


@pytest.mark.parametrize("turns", range(5))
async def test_cancelled_waiter_ends_at_a_simultaneous_notification(turns: int) -> None:
    event = asyncio.Event()

    async def listen() -> None:
        while True:
            await wait_for_event(event, 60)
            event.clear()

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0.01)
    event.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    listening.cancel()
    await asyncio.wait([listening], timeout=1)
    assert listening.done()
