"""A receiver on loopback, and a postman of a test's own."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from aiohttp import web

from landbridge.db.pool import Row
from landbridge.webhooks.delivering.postman import Postman
from tests.tenants import Tenant

from .rows import make_endpoint

# Events wait for every writing transaction of the server, also for a long one of another test.
PATIENCE_S = 60
_PACE_S = 0.02


@dataclass(frozen=True, slots=True)
class Received:
    """One delivery as it came."""

    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> dict[str, Any]:
        """The envelope."""
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


# What is answered to a delivery: a status, or None to never answer.
Answers = Callable[[Received], int | None]


@dataclass(slots=True)
class Receiver:
    """What came, in its order; `answers` may be changed at any time."""

    url: str = ""
    answers: Answers = field(default=lambda _: 200)
    says: Callable[[Received], str] = field(default=lambda _: "as told")
    came: list[Received] = field(default_factory=list[Received])

    def of(self, object_id: str) -> list[str]:
        """The types that came for an object."""
        return [each.type for each in self.came if each.object_id == object_id]

    async def answer(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Received(headers, await request.read())
        self.came.append(received)
        status = self.answers(received)
        if status is None:
            await asyncio.sleep(3600)
        return web.Response(status=status or 200, text=self.says(received))


@asynccontextmanager
async def receiving() -> AsyncGenerator[Receiver]:
    """A receiver that answers 200 until it is told otherwise."""
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
async def posting(org: Tenant, **parts: Any) -> AsyncGenerator[Postman]:
    """A postman who serves this organisation alone, as a worker of its own does."""
    # A house whose clock shows another year may have dropped the days of this one.
    await org.house.partitions.keep()
    postman = Postman(office=replace(org.house.postman.office, **parts))
    stop = asyncio.Event()

    async def walk() -> None:
        while not stop.is_set():
            offset = await org.house.orgs.clock_offset(org.org_id)
            await postman.run_once({org.org_id: offset})
            await asyncio.sleep(_PACE_S)

    walking = asyncio.create_task(walk())
    try:
        yield postman
    finally:
        stop.set()
        await walking
        await postman.close()
        await postman.office.outbound.close()


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for something to be so; at most for as long as a test may take."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110  what comes from outside rings no bell of ours
            await asyncio.sleep(0.01)


async def rows_of(org: Tenant, endpoint_id: str) -> list[Row]:
    """Deliveries to an endpoint, in the order of the log."""
    return await org.house.database.rows(
        "select id, object_id, seq, part, round, event_type, status, due_at, attempt_count,"
        " attempts::text from webhook_deliveries where org_id = $1 and endpoint_id = $2"
        " order by tx, object_id, seq, part, round",
        org.org_id,
        UUID(endpoint_id),
    )


async def statuses(org: Tenant, endpoint_id: str) -> list[str]:
    """The statuses of these rows."""
    return [row["status"] for row in await rows_of(org, endpoint_id)]


async def until_rows(org: Tenant, endpoint_id: str, wanted: Sequence[str]) -> None:
    """Wait for rows of exactly these statuses, in any order."""
    found: list[str] = []
    try:
        async with asyncio.timeout(PATIENCE_S):
            while sorted(found) != sorted(wanted):
                await asyncio.sleep(0.02)
                found = await statuses(org, endpoint_id)
    except TimeoutError:
        raise AssertionError(f"{sorted(found)} instead of {sorted(wanted)}") from None


async def hook(org: Tenant, receiver: Receiver, *types: str, **told: Any) -> str:
    """An endpoint that leads to a receiver; events of swaps unless others are named."""
    wanted = list(types) or ["WALLET.SWAP.*"]
    return await make_endpoint(org, url=receiver.url, eventTypes=wanted, **told)
