"""Round-robin admission: each round of the event loop starts a few requests, in turns.

Client addresses take turns, and within an address the keys of its requests: organisations behind
the same proxy or gateway share an address. The keys are not verified here; a client that makes up
keys only divides the turns of its own address.

Otherwise hundreds of requests that arrive together would all start in one round. That round would
take as long as all of them, and a request that needs ten rounds ten times as long.

Guarantees:
- A busy address or key delays others by its share of a round, however many connections it has.
- No request is refused and no slot is held: a started request is no longer counted.
"""

import asyncio
from collections import deque
from collections.abc import Hashable
from typing import Any, Final

from litestar.types import ASGIApp, Receive, Scope, Send

from landbridge.platform.http.connection_admission import address_share
from landbridge.platform.http.headers import header

# Requests started in a round: two milliseconds of work. A request takes about ten rounds, so a
# higher number delays all requests, and does not raise the throughput (measured).
PER_ROUND: Final = 4


class RoundRobinAdmission:
    """Starts `per_round` requests in each round, one waiting address after another.

    Not thread-safe: it belongs to one event loop.
    """

    def __init__(self, per_round: int = PER_ROUND) -> None:
        self._per_round = per_round
        self._remaining = per_round
        # Waiting requests by address, then by key.
        self._waiters: dict[Hashable, dict[Hashable, deque[asyncio.Future[None]]]] = {}
        self._is_due = False

    async def acquire(self, address: Hashable, key: Hashable) -> None:
        """Wait until a request with this key from this address may begin."""
        self._await_round()
        if self._remaining and not self._waiters:
            self._remaining -= 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.setdefault(address, {}).setdefault(key, deque()).append(waiter)
        await waiter

    def _await_round(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._begin_round)

    def _begin_round(self) -> None:
        self._is_due = False
        self._remaining = self._per_round
        while self._remaining and self._waiters:
            waiter = self._next()
            # A waiter is cancelled if its client has disconnected.
            if not waiter.done():
                waiter.set_result(None)
                self._remaining -= 1
        if self._waiters:
            self._await_round()

    def _next(self) -> "asyncio.Future[None]":
        """Remove and return the next waiter; its key and address go to the end of their queues."""
        address, by_key = next(iter(self._waiters.items()))
        key, queue = next(iter(by_key.items()))
        waiter = queue.popleft()
        del self._waiters[address], by_key[key]
        if queue:
            by_key[key] = queue
        if by_key:
            self._waiters[address] = by_key
        return waiter


def round_robin(app: ASGIApp) -> ASGIApp:
    """Return ASGI middleware that starts requests in turns of client addresses and keys."""
    admission = RoundRobinAdmission()

    async def admit(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            client: Any = scope.get("client")
            address = None if client is None else address_share(client[0])
            await admission.acquire(address, header(scope, "authorization"))
        await app(scope, receive, send)

    return admit
