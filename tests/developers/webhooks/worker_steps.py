"""Loopback receiver, and a dispatcher for a single test."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from aiohttp import web

from landbridge.developers.webhooks.delivery.dispatcher import Dispatcher
from landbridge.platform.db.pool import Row
from tests.developers.webhooks.rows import make_endpoint
from tests.tenants import Tenant

# Events wait for every writing transaction of the server, also a long one of another test.
PATIENCE_S = 60
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Received:
    """Received delivery."""

    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> dict[str, Any]:
        """Envelope of the event."""
        return json.loads(self.body)

    @property
    def id(self) -> str:
        return str(self.event["eventId"])

    @property
    def type(self) -> str:
        return str(self.event["eventType"])

    @property
    def object_id(self) -> str:
        return str(self.event["objectId"])


# Response to a delivery: a status, or None to never respond.
Answers = Callable[[Received], int | None]


@dataclass(slots=True)
class Receiver:
    """Received deliveries in order; `answers` may be changed at any time."""

    url: str = ""
    answers: Answers = field(default=lambda _: 200)
    response_body: Callable[[Received], str] = field(default=lambda _: "ok")
    received: list[Received] = field(default_factory=list[Received])

    def of(self, object_id: str) -> list[str]:
        """Return the event types received for an object."""
        return [each.type for each in self.received if each.object_id == object_id]

    async def answer(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Received(headers, await request.read())
        self.received.append(received)
        status = self.answers(received)
        if status is None:
            await asyncio.sleep(3600)
        return web.Response(status=status or 200, text=self.response_body(received))


@asynccontextmanager
async def receiving() -> AsyncGenerator[Receiver]:
    """Run a receiver that responds with 200 until changed."""
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/hook", receiver.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.01)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    try:
        yield receiver
    finally:
        await runner.cleanup()


@asynccontextmanager
async def running_dispatcher(org: Tenant, **parts: Any) -> AsyncGenerator[Dispatcher]:
    """Run a dispatcher for this organisation alone, as a worker does."""
    # A container whose clock is in another year may have dropped the partitions of today.
    await org.container.partitions.maintain()
    dispatcher = Dispatcher(deps=replace(org.container.dispatcher.deps, **parts))
    stop = asyncio.Event()

    async def run() -> None:
        while not stop.is_set():
            offset = await org.container.orgs.clock_offset(org.org_id)
            await dispatcher.run_once({org.org_id: offset})
            await asyncio.sleep(_POLL_S)

    running = asyncio.create_task(run())
    try:
        yield dispatcher
    finally:
        stop.set()
        await running
        await dispatcher.close()
        await dispatcher.deps.egress.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds; at most for as long as a test may take."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110  no event signals it
            await asyncio.sleep(0.01)


async def rows_of(org: Tenant, endpoint_id: str) -> list[Row]:
    """Return the deliveries to an endpoint, in the order of the log."""
    return await org.container.database.rows(
        "select id, object_id, seq, part, round, event_type, status, due_at, attempt_count,"
        " attempts::text from webhook_deliveries where org_id = $1 and endpoint_id = $2"
        " order by place, object_id, seq, part, round",
        org.org_id,
        UUID(endpoint_id),
    )


async def statuses(org: Tenant, endpoint_id: str) -> list[str]:
    """Return the statuses of these rows."""
    return [row["status"] for row in await rows_of(org, endpoint_id)]


async def until_rows(org: Tenant, endpoint_id: str, expected: Sequence[str]) -> None:
    """Wait for rows of exactly these statuses, in any order."""
    found: list[str] = []
    try:
        async with asyncio.timeout(PATIENCE_S):
            while sorted(found) != sorted(expected):
                await asyncio.sleep(0.02)
                found = await statuses(org, endpoint_id)
    except TimeoutError:
        raise AssertionError(f"{sorted(found)} instead of {sorted(expected)}") from None


async def hook(org: Tenant, receiver: Receiver, *types: str, **fields: Any) -> str:
    """Create an endpoint of a receiver; for events of swaps unless types are given."""
    event_types = list(types) or ["WALLET.SWAP.*"]
    return await make_endpoint(org, url=receiver.url, eventTypes=event_types, **fields)
