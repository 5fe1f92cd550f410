"""Slots with many waiters."""

import asyncio
import resource
import subprocess
import sys

import pytest

from landbridge.platform.http.fair_semaphore import FairSemaphore


class Queue:
    """Records who has had a slot, in order."""

    def __init__(self, places: FairSemaphore) -> None:
        self.places = places
        self.had: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def come(self, *names: str) -> None:
        for name in names:
            self.tasks.append(asyncio.create_task(self._take(name)))
        await asyncio.sleep(0)

    async def go(self, share: str) -> None:
        self.places.release(share)
        await asyncio.sleep(0)

    async def _take(self, name: str) -> None:
        await self.places.acquire(name[0])
        self.had.append(name)


async def test_first_come_first_served_within_a_share() -> None:
    queue = Queue(FairSemaphore(10, each=2))
    await queue.come("a1", "a2", "a3", "a4", "b1", "a5", "b2")
    assert queue.had == ["a1", "a2", "b1", "b2"]
    for _ in range(3):
        await queue.go("a")
    assert queue.had[4:] == ["a3", "a4", "a5"]


async def test_slots_are_bounded_and_shared_in_turn() -> None:
    queue = Queue(FairSemaphore(3, each=3))
    await queue.come("a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1")
    assert queue.had == ["a1", "a2", "a3"]
    for _ in range(5):
        await queue.go("a" if len(queue.had) < 6 else queue.had[3][0])
    assert queue.had[3:] == ["a4", "b1", "c1", "a5", "b2"]
    assert not queue.places.try_acquire("d")


async def test_cancelled_waiter_delays_no_others() -> None:
    queue = Queue(FairSemaphore(1, each=1))
    await queue.come("a1", "b1", "c1")
    queue.tasks[1].cancel()
    await asyncio.sleep(0)
    await queue.go("a")
    assert queue.had == ["a1", "c1"]


async def test_slot_given_to_a_cancelled_waiter_is_not_lost() -> None:
    queue = Queue(FairSemaphore(1, each=1))
    await queue.come("a1", "b1")
    queue.places.release("a")
    queue.tasks[1].cancel()
    with pytest.raises(asyncio.CancelledError):
        await queue.tasks[1]
    assert queue.places.try_acquire("c")


def test_process_raises_its_open_file_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    script = (
        "import resource as r; from landbridge.platform.http.fair_semaphore import *;"
        f"r.setrlimit(r.RLIMIT_NOFILE, (256, {hard})); print(connections_max());"
        "raise_descriptors(); print(*r.getrlimit(r.RLIMIT_NOFILE), connections_max())"
    )
    output = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert output[:3] == ["16", str(most), str(hard)]
    assert 3 * int(output[3]) < most
