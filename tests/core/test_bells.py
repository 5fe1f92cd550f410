"""Whoever waits for a bell can be told to end."""

import asyncio

import pytest

from landbridge.core.bells import bell


@pytest.mark.parametrize("turns", range(5))
async def test_who_is_to_end_as_the_bell_rings_ends(turns: int) -> None:
    rung = asyncio.Event()

    async def listen() -> None:
        while True:
            await bell(rung, 60)
            rung.clear()

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0.01)
    rung.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    listening.cancel()
    await asyncio.wait([listening], timeout=1)
    assert listening.done()
