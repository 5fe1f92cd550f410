"""Requests whose client has disconnected, on real connections."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from landbridge.app.processes import ApiServer, configured, listen
from tests.app.processes.server_process import free_port
from tests.tenants import SETTINGS

PATIENCE_S = 20


class SlowApp:
    """Application that responds when released; counts started, finished and cancelled requests."""

    def __init__(self) -> None:
        self.came = asyncio.Event()
        self.may_end = asyncio.Event()
        self.left = asyncio.Event()
        self.outcomes: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        del receive
        if scope["type"] != "http":
            return
        self.came.set()
        try:
            await self.may_end.wait()
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            self.outcomes.append("ended")
        except asyncio.CancelledError:
            self.outcomes.append("broken off")
            raise
        finally:
            self.left.set()


@asynccontextmanager
async def serving(app: Any) -> AsyncGenerator[int]:
    port = free_port()
    config = configured(app, SETTINGS)
    config.lifespan = "off"
    server = ApiServer(config)
    with listen(msgspec.structs.replace(SETTINGS, port=port)) as sock:
        task = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            yield port
        finally:
            server.finish()
            await task


@pytest.fixture
async def slow() -> AsyncIterator[tuple[SlowApp, int]]:
    app = SlowApp()
    async with serving(app) as port:
        yield app, port


async def send(port: int, request: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    await writer.drain()
    return reader, writer


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_read_ends_when_its_client_leaves(slow: tuple[SlowApp, int], method: str) -> None:
    app, port = slow
    _, writer = await send(port, f"{method} / HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    async with asyncio.timeout(PATIENCE_S):
        await app.came.wait()
        writer.close()
        await app.left.wait()
    assert app.outcomes == ["broken off"]


async def test_write_completes_when_its_client_leaves(slow: tuple[SlowApp, int]) -> None:
    app, port = slow
    _, writer = await send(port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        await app.came.wait()
        writer.close()
        await writer.wait_closed()
        # Another connection was served meanwhile, so the end of the first one was noticed.
        _, other = await send(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.sleep(0.2)
        assert app.outcomes == []
        app.may_end.set()
        await app.left.wait()
        other.close()
    assert app.outcomes[0] == "ended"


async def test_requests_of_one_connection_are_answered_in_order(
    slow: tuple[SlowApp, int],
) -> None:
    app, port = slow
    app.may_end.set()
    reader, writer = await send(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
    async with asyncio.timeout(PATIENCE_S):
        for _ in range(3):
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 204")
    writer.close()
    assert app.outcomes == ["ended"] * 3
