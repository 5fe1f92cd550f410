"""Local HTTP receiver that stores requests."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(frozen=True)
class Received:
    """Received request."""

    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Responds with `statuses` in order, then with 200."""

    port: int = 0
    statuses: list[int] = field(default_factory=list[int])
    received: list[Received] = field(default_factory=list[Received])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/webhooks"

    async def take(self, request: web.Request) -> web.Response:
        """Store a request, and respond to it."""
        self.received.append(Received(dict(request.headers), await request.read()))
        return web.Response(status=self.statuses.pop(0) if self.statuses else 200)


@asynccontextmanager
async def receiving(receiver: Receiver) -> AsyncGenerator[Receiver]:
    """Listen, at a free port unless the receiver has one."""
    app = web.Application()
    app.router.add_post("/webhooks", receiver.take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", receiver.port)
    await site.start()
    receiver.port = runner.addresses[0][1]
    try:
        yield receiver
    finally:
        await runner.cleanup()
