"""Round-robin admission: each round of the event loop starts a few requests, in turns.

Addresses take turns, and of one address the keys that its requests present: organisations behind
one proxy or gateway have the same address. The keys are not verified here; a client that makes them
up only divides its own address's turns.

Hundreds of requests that arrive together would otherwise all start in one round. The round would
take as long as all of them, and a request that needs ten rounds ten times as long.

Guarantees:
- A busy address, or a busy key, delays others by its share of a round, however many connections it
  has.
- No request is refused and no slot is held: a started request is no longer counted.
"""

import asyncio
from collections import deque
from collections.abc import Hashable
from typing import Any, Final

from litestar.types import ASGIApp, Receive, Scope, Send

from landbridge.platform.http.connection_admission import address_share
from landbridge.platform.http.headers import header

# Two milliseconds of work. A request takes some ten rounds, so more delay all others, and carry no
# more requests a second (measured).
PER_ROUND: Final = 4


class RoundRobinAdmission:
    """Starts `per_round` requests in each round, one waiting address after another.

    Not thread-safe: it belongs to one event loop.
    """

    def __init__(self, per_round: int = PER_ROUND) -> None:
        self._per_round = per_round
        self._remaining = per_round
        # By address, then by key.
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
            # A cancelled waiter belongs to a disconnected client.
            if not waiter.done():
                waiter.set_result(None)
                self._remaining -= 1
        if self._waiters:
            self._await_round()

    def _next(self) -> "asyncio.Future[None]":
        """Remove the first waiter; its key and its address go to the end of their queues."""
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
    """ASGI middleware: start requests in round-robin order of client addresses and keys."""
    admission = RoundRobinAdmission()

    async def admit(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            client: Any = scope.get("client")
            address = None if client is None else address_share(client[0])
            await admission.acquire(address, header(scope, "authorization"))
        await app(scope, receive, send)

    return admit
