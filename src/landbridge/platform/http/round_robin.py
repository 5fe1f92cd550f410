"""Round-robin admission: each round of the event loop starts a few requests, address by address.

Hundreds of requests that arrive together would otherwise all start in one round. The round would
take as long as all of them, and a request that needs ten rounds ten times as long.

Guarantees:
- A busy address delays others by its share of a round, however many connections it has.
- No request is refused and no slot is held: a started request is no longer counted.
"""

import asyncio
from collections import deque
from collections.abc import Hashable
from typing import Any, Final

from litestar.types import ASGIApp, Receive, Scope, Send

from landbridge.platform.http.connection_admission import address_share

# A few milliseconds of work. Fewer make smaller batches of statements, more make longer rounds.
PER_ROUND: Final = 8


class RoundRobinAdmission:
    """Starts `per_round` requests in each round, one waiting address after another.

    Not thread-safe: it belongs to one event loop.
    """

    def __init__(self, per_round: int = PER_ROUND) -> None:
        self._per_round = per_round
        self._remaining = per_round
        self._waiters: dict[Hashable, deque[asyncio.Future[None]]] = {}
        self._is_due = False

    async def acquire(self, share: Hashable) -> None:
        """Wait until a request of this share may begin."""
        self._await_round()
        if self._remaining and not self._waiters:
            self._remaining -= 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.setdefault(share, deque()).append(waiter)
        await waiter

    def _await_round(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._begin_round)

    def _begin_round(self) -> None:
        self._is_due = False
        self._remaining = self._per_round
        while self._remaining and self._waiters:
            share, queue = next(iter(self._waiters.items()))
            waiter = queue.popleft()
            # The share goes to the end of the queue.
            del self._waiters[share]
            if queue:
                self._waiters[share] = queue
            # A cancelled waiter belongs to a disconnected client.
            if not waiter.done():
                waiter.set_result(None)
                self._remaining -= 1
        if self._waiters:
            self._await_round()


def round_robin(app: ASGIApp) -> ASGIApp:
    """ASGI middleware: start requests in round-robin order of their client addresses."""
    admission = RoundRobinAdmission()

    async def admit(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            client: Any = scope.get("client")
            await admission.acquire(None if client is None else address_share(client[0]))
        await app(scope, receive, send)

    return admit
