"""Places that many want at once."""

import asyncio
import resource
import subprocess
import sys

import pytest

from landbridge.web.places import Places


class Queue:
    """Who has had a place, in order."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.had: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def come(self, *names: str) -> None:
        for name in names:
            self.tasks.append(asyncio.create_task(self._take(name)))
        await asyncio.sleep(0)

    async def go(self, share: str) -> None:
        self.places.give_back(share)
        await asyncio.sleep(0)

    async def _take(self, name: str) -> None:
        await self.places.take(name[0])
        self.had.append(name)


async def test_first_come_first_served_within_a_share() -> None:
    queue = Queue(Places(10, each=2))
    await queue.come("a1", "a2", "a3", "a4", "b1", "a5", "b2")
    assert queue.had == ["a1", "a2", "b1", "b2"]
    for _ in range(3):
        await queue.go("a")
    assert queue.had[4:] == ["a3", "a4", "a5"]


async def test_no_more_than_there_are_and_each_share_in_turn() -> None:
    queue = Queue(Places(3, each=3))
    await queue.come("a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1")
    assert queue.had == ["a1", "a2", "a3"]
    for _ in range(5):
        await queue.go("a" if len(queue.had) < 6 else queue.had[3][0])
    assert queue.had[3:] == ["a4", "b1", "c1", "a5", "b2"]
    assert not queue.places.has_taken("d")


async def test_whoever_stops_waiting_holds_up_nobody() -> None:
    queue = Queue(Places(1, each=1))
    await queue.come("a1", "b1", "c1")
    queue.tasks[1].cancel()
    await asyncio.sleep(0)
    await queue.go("a")
    assert queue.had == ["a1", "c1"]


async def test_a_place_that_was_handed_to_somebody_gone_is_not_lost() -> None:
    queue = Queue(Places(1, each=1))
    await queue.come("a1", "b1")
    queue.places.give_back("a")
    queue.tasks[1].cancel()
    with pytest.raises(asyncio.CancelledError):
        await queue.tasks[1]
    assert queue.places.has_taken("c")


def test_a_process_may_open_as_much_as_it_is_allowed() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    script = (
        "import resource as r; from landbridge.web.places import *;"
        f"r.setrlimit(r.RLIMIT_NOFILE, (256, {hard})); print(connections_max());"
        "raise_descriptors(); print(*r.getrlimit(r.RLIMIT_NOFILE), connections_max())"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert said[:3] == ["16", str(most), str(hard)]
    assert 3 * int(said[3]) < most
