"""Webhook receivers in a process of their own: one answers at once, one never answers.

`python -m bench.receiver PORT` counts deliveries and their delay after `createdAt`. `GET /count`
returns the count; `GET /` returns all figures and resets them. The receiver is as cheap as
possible, and its CPU time is measured separately.
"""

import asyncio
import json
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from subprocess import Popen
from typing import Any, cast
from urllib.request import urlopen

import httptools
import uvloop

from bench.server import free_port

_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
# The envelope's own `createdAt` follows its data, which contains others.
_CREATED = b'"createdAt":"'
_STAMP_LENGTH = len("2026-01-01T00:00:00.000Z")
_START_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Received:
    """Deliveries since the last reset; times are seconds since the epoch."""

    count: int
    first_s: float
    last_s: float
    delays_s: list[float]

    @property
    def per_s(self) -> float:
        """Between the first and the last."""
        return (self.count - 1) / (self.last_s - self.first_s)

    def delay_ms(self, part: float) -> float:
        """Return the delay at this percentile."""
        ordered = sorted(self.delays_s)
        return ordered[min(int(len(ordered) * part), len(ordered) - 1)] * 1000


@dataclass(frozen=True, slots=True)
class Receiver:
    """Running receiver."""

    port: int

    @property
    def url(self) -> str:
        """URL of the receiver."""
        return f"http://127.0.0.1:{self.port}/"

    def take(self) -> Received:
        """Return the deliveries since the last call."""
        with urlopen(f"http://127.0.0.1:{self.port}/", timeout=30) as answer:
            return Received(**json.load(answer))

    def count(self) -> int:
        """Return the number of deliveries so far."""
        with urlopen(f"http://127.0.0.1:{self.port}/count", timeout=30) as answer:
            return int(answer.read())


@contextmanager
def receiving(*, hangs: bool = False) -> Generator[Receiver]:
    """Run a receiver in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "bench.receiver", str(port), *(["hangs"] if hangs else [])]
    process = Popen(command)
    try:
        _await_port(port)
        yield Receiver(port)
    finally:
        process.terminate()
        process.wait(10)


def _await_port(port: int) -> None:
    async def knock() -> None:
        deadline_s = time.monotonic() + _START_PATIENCE_S
        while time.monotonic() < deadline_s:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            writer.close()
            return
        raise TimeoutError("the receiver did not start")

    asyncio.run(knock())


class _Counts:
    def __init__(self) -> None:
        self.delays_s: list[float] = []
        self.first_s = self.last_s = 0.0

    def add(self, body: bytes) -> None:
        self.last_s = time.time()
        if not self.delays_s:
            self.first_s = self.last_s
        at = body.rfind(_CREATED)
        text = body[at + len(_CREATED) : at + len(_CREATED) + _STAMP_LENGTH]
        created_s = datetime.fromisoformat(text.decode()).timestamp() if at >= 0 else self.last_s
        self.delays_s.append(self.last_s - created_s)

    def count(self) -> bytes:
        return str(len(self.delays_s)).encode()

    def take(self) -> bytes:
        received = Received(len(self.delays_s), self.first_s, self.last_s, self.delays_s)
        self.delays_s = []
        return json.dumps({name: getattr(received, name) for name in received.__slots__}).encode()


class _ReceiverConnection(asyncio.Protocol):
    def __init__(self, counts: _Counts, *, hangs: bool) -> None:
        self._counts = counts
        self._hangs = hangs
        self._body = self._url = b""
        self._transport: asyncio.WriteTransport | None = None
        self._parser: Any = httptools.HttpRequestParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self._url = url

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        assert self._transport is not None
        body, self._body = self._body, b""
        if self._parser.get_method() == b"GET":
            counts = self._counts.count() if self._url == b"/count" else self._counts.take()
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(counts))
            self._transport.write(counts)
        elif not self._hangs:
            self._counts.add(body)
            self._transport.write(_OK)


async def _serve(port: int, *, hangs: bool) -> None:
    counts = _Counts()
    server = await asyncio.get_running_loop().create_server(
        lambda: _ReceiverConnection(counts, hangs=hangs), "127.0.0.1", port, backlog=1000
    )
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1]), hangs="hangs" in sys.argv[2:]))
