"""A swap's creation stays short: it is counted in calls of Python functions, which do not vary."""

import asyncio
import json
import sys
from types import FrameType
from typing import Any, cast

import httpx2
import uvloop

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.http.telemetry import with_telemetry
from landbridge.platform.orgs.clock_nodes import take_node
from tests.applications import app_of
from tests.tenants import SETTINGS, Tenant, make_tenant, make_user, served, swap_body

# Measured: 1,187, with the event loop that the server uses. It was about 6,000 once.
CALLS_MAX = 1500
# Enough for every cache on the way, and for connections that exist.
_WARM_UP = 20


async def test_creating_a_swap_takes_few_calls(own_dsn: str) -> None:
    # A thread of its own: it may have a loop of its own, and the profiler counts this thread only.
    calls = await asyncio.to_thread(lambda: uvloop.run(_calls(own_dsn)))
    assert calls <= CALLS_MAX


async def _calls(dsn: str) -> int:
    database = await Database.connect(dsn, name="tests", size_max=5)
    container = wire(SETTINGS, database, Clock(await take_node(database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        body = swap_body(await make_user(org, funds="1000000"))
        for _ in range(_WARM_UP):
            await _create(org, body)
        counted = 0

        def count(_frame: FrameType, event: str, _arg: object) -> None:
            nonlocal counted
            counted += event == "call"

        sys.setprofile(count)
        await _create(org, body)
        sys.setprofile(None)
    await database.close()
    return counted


async def _create(org: Tenant, body: dict[str, Any]) -> None:
    """Create a swap without a client: its calls would be counted too."""
    content = json.dumps({**body, "requestId": str(new_id())}).encode()
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        statuses.append(message.get("status", 0))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/v2/wallets/swaps",
        "raw_path": b"/v2/wallets/swaps",
        "root_path": "",
        "query_string": b"",
        "headers": [
            (b"host", b"x"),
            (b"authorization", f"Bearer {org.key}".encode()),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(content)).encode()),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    app: Any = with_telemetry(cast("Any", app_of(org.container)))
    await app(scope, receive, send)
    assert statuses[0] == httpx2.codes.OK
