"""Local servers that count connections and send scripted responses."""

import asyncio
import os
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Script = Callable[["Listener", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
# An address of this machine that no other run of tests listens on; within a run, a test that
# listens on it takes `alone`.
OWN = f"127.{os.getpid() >> 16 & 0x3F | 0x40}.{os.getpid() >> 8 & 0xFF}.{os.getpid() & 0xFF}"
# The only port other than 443 that webhooks are delivered to.
PORT = 8443
# Fast operations can take long on a busy machine; idle connections end later still.
PATIENCE_S = 10


@dataclass(slots=True)
class Listener:
    """Received traffic: the number of connections, and the head and body of each request."""

    port: int = 0
    connections: int = 0
    requests: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])
    # Bytes sent to clients.
    written: int = 0

    async def read(self, reader: asyncio.StreamReader) -> bool:
        """Read a request; return False at the end of the connection."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                int(line.partition(":")[2])
                for line in head.splitlines()
                if line.lower().startswith("content-length:")
            )
            self.requests.append((head, await reader.readexactly(length)))
        except (asyncio.IncompleteReadError, ConnectionError):
            return False
        return True


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until a condition on a listener holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110  sockets ring no bell of ours
            await asyncio.sleep(0.01)


async def answer_ok(
    self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Respond to every request with 200, on one connection."""
    while await self.read(reader):
        writer.write(OK)


def answer(sent: bytes, *, pauses_s: float = 0, each: int | None = None) -> Script:
    """Respond to every request with these bytes, `each` at a time; without `each` at once."""

    async def script(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while await self.read(reader):
            for start in range(0, len(sent), each or len(sent)):
                writer.write(sent[start : start + (each or len(sent))])
                await writer.drain()
                await asyncio.sleep(pauses_s)

    return script


@asynccontextmanager
async def listening(
    script: Script = answer_ok,
    *,
    hosts: str | list[str] = "127.0.0.1",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
) -> AsyncGenerator[Listener]:
    """Run a listener until the block ends; without a port, on a free one."""
    found = Listener()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found.connections += 1
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.CancelledError):
                await script(found, reader, writer)
        finally:
            tasks.discard(task)
            writer.transport.abort()

    # Several test processes may share a port, each on its own addresses.
    server = await asyncio.start_server(serve, hosts, port, ssl=tls, reuse_port=True)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0)
