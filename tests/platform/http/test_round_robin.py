"""Requests begin in turns: an address with many delays one with few by its share of a round."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from landbridge.app.container import Container
from landbridge.app.prepared_application import application
from landbridge.platform.http.round_robin import PER_ROUND, RoundRobinAdmission, round_robin

PATIENCE_S = 5.0
LOUD, QUIET = "192.0.2.1", "192.0.2.2"


class Begun:
    """Records the addresses of requests in the order of their start, by round."""

    def __init__(self) -> None:
        self.rounds: list[list[str]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        del receive, send
        self.rounds[-1].append(scope["client"][0])

    async def go_on(self, rounds: int) -> None:
        """Run this many rounds of the event loop."""
        for _ in range(rounds):
            self.rounds.append([])
            await asyncio.sleep(0)


def send(app: Any, hosts: Sequence[str], key: str = "") -> list[asyncio.Task[None]]:
    headers = [(b"authorization", key.encode())] if key else []
    return [
        asyncio.create_task(
            app({"type": "http", "client": (host, 1), "headers": headers}, None, None)
        )
        for host in hosts
    ]


async def test_a_few_begin_in_each_round() -> None:
    started = Begun()
    tasks = send(round_robin(started), [LOUD] * 100)
    await started.go_on(60)
    assert max(map(len, started.rounds)) <= PER_ROUND
    assert sum(map(len, started.rounds)) == 100
    await asyncio.gather(*tasks)


async def test_single_request_does_not_wait_for_a_burst_of_another() -> None:
    started = Begun()
    app = round_robin(started)
    tasks = send(app, [LOUD] * 400)
    await started.go_on(5)
    tasks += send(app, [QUIET])
    await started.go_on(100)
    order = [host for each in started.rounds for host in each]
    assert order.index(QUIET) < 100
    await asyncio.gather(*tasks)


async def test_keys_of_one_address_take_turns() -> None:
    """Organisations behind one gateway do not wait for each other's bursts."""
    started = Begun()
    app = round_robin(started)
    tasks = [*send(app, [LOUD] * 400, "Bearer loud"), *send(app, [LOUD] * 100)]
    await started.go_on(5)
    before = sum(map(len, started.rounds))
    quiet = send(app, [LOUD], "Bearer quiet")
    await started.go_on(3)
    assert quiet[0].done()
    # Another address has as many turns as all keys of this one.
    tasks += send(app, [QUIET] * 20)
    await started.go_on(6)
    order = [host for each in started.rounds for host in each]
    assert order[before:].count(QUIET) >= PER_ROUND * 2
    await started.go_on(100)
    await asyncio.gather(*tasks, *quiet)


async def test_the_api_is_served_in_turns(container: Container) -> None:
    app, scope = application(container), {"type": "http", "method": "GET", "path": "/nothing"}
    answered = 0

    async def count(message: Any) -> None:
        nonlocal answered
        answered += message["type"] == "http.response.start"

    async def send_request() -> None:
        whole: Any = {**scope, "client": (LOUD, 1), "headers": [], "query_string": b""}
        await app(whole, cast("Any", None), count)

    tasks = [asyncio.create_task(send_request()) for _ in range(200)]
    for _ in range(10):
        await asyncio.sleep(0)
    assert answered < 100
    await asyncio.gather(*tasks)
    assert answered == 200


async def test_addresses_of_one_network_share_their_turns() -> None:
    started = Begun()
    app = round_robin(started)
    tasks = send(app, [f"2001:db8::{at:x}" for at in range(1, 400)])
    await started.go_on(5)
    tasks += send(app, [QUIET])
    await started.go_on(100)
    order = [host for each in started.rounds for host in each]
    assert order.index(QUIET) < 100
    await asyncio.gather(*tasks)


async def test_request_of_a_disconnected_client_takes_no_slot() -> None:
    started = Begun()
    app = round_robin(started)
    tasks = send(app, [LOUD] * 100)
    await started.go_on(1)
    for each in tasks[20:]:
        each.cancel()
    tasks += send(app, [LOUD])
    await started.go_on(10)
    assert sum(map(len, started.rounds)) <= 21
    done = await asyncio.gather(*tasks, return_exceptions=True)
    assert done[-1] is None


async def test_turn_of_a_cancelled_request_is_not_lost() -> None:
    admission = RoundRobinAdmission(1)
    await admission.acquire(LOUD, "")
    first, second = (asyncio.create_task(admission.acquire(each, "")) for each in (LOUD, QUIET))
    await asyncio.sleep(0)
    first.cancel()
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(first, second, return_exceptions=True)
    assert second.exception() is None
