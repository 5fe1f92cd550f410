"""Webhook receivers that respond slowly, wrongly, twice or never, and record all requests."""

import asyncio
import itertools
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

OK = "ok"
SLOW = "slow"
TWICE = "twice"
HALF = "half"
CUT = "cut"
BABBLE = "babble"
BROKEN = "broken"
MOVED = "moved"
REFUSED = "refused"

# Of a hundred responses; a hostile receiver gives nearly half of them wrongly.
HOSTILE = {OK: 40, SLOW: 20, TWICE: 10, HALF: 3, CUT: 8, BABBLE: 4, BROKEN: 12, MOVED: 3}
REFUSING = {**HOSTILE, REFUSED: 8}
KIND = {OK: 1}

_STATUSES = {OK: 200, SLOW: 204, TWICE: 200, BROKEN: 500, MOVED: 307, REFUSED: 422}


@dataclass
class Arrival:
    """Complete request. Moments count up over all arrivals and responses.

    `answered` is the moment of the final response (2xx or 4xx), or None. The sender may have missed
    that response, but can't have received one that does not exist.
    """

    moment: int
    event_id: str
    type: str
    object_id: str
    sequence: int
    body: bytes
    token: str
    answered: int | None = None
    is_refused: bool = False


@dataclass
class Receiver:
    """One address; `manners` may be changed at any time."""

    manners: dict[str, int]
    dice: random.Random
    url: str = ""
    arrivals: list[Arrival] = field(default_factory=list[Arrival])
    _moments: "itertools.count[int]" = field(default_factory=itertools.count)
    _open: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator["Receiver"]:
        """Serve on a loopback port of its own."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        self.url = f"http://{host}:{port}/hook"
        try:
            yield self
        finally:
            server.close()
            writers = list(self._open)
            for each in writers:
                each.close()
            await asyncio.gather(*(each.wait_closed() for each in writers), return_exceptions=True)

    def of_object(self) -> dict[str, list[Arrival]]:
        """Return arrivals by object, in order."""
        found: dict[str, list[Arrival]] = {}
        for each in self.arrivals:
            found.setdefault(each.object_id, []).append(each)
        return found

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                headers = _headers(head)
                body = await reader.readexactly(int(headers["content-length"]))
                if not await self._answer(self._note(headers, body), reader, writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            self._open.discard(writer)

    def _note(self, headers: dict[str, str], body: bytes) -> Arrival:
        event: dict[str, Any] = msgspec.json.decode(body)
        assert headers["landbridge-event-id"] == event["eventId"]
        arrival = Arrival(
            moment=next(self._moments),
            event_id=event["eventId"],
            type=event["eventType"],
            object_id=event["objectId"],
            sequence=event["sequence"],
            body=body,
            token=headers["authorization"].removeprefix("Bearer "),
        )
        self.arrivals.append(arrival)
        return arrival

    async def _answer(
        self, arrival: Arrival, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Respond at random; return whether the connection stays open."""
        (options,) = self.dice.choices(list(self.manners), list(self.manners.values()))
        if options == SLOW:
            await asyncio.sleep(self.dice.uniform(0.01, 0.25))
        if options == CUT or reader.at_eof():
            return False
        if options == BABBLE:
            writer.write(b"hello\r\n\r\n")
            return False
        status = _STATUSES.get(options, 200)
        if status // 100 in {2, 4}:
            arrival.answered = next(self._moments)
            arrival.is_refused = options == REFUSED
        reply = _reply(status, b"half" if options == HALF else b"ok", is_cut=options == HALF)
        # Both at once. Any client that reuses connections takes a second response that comes later,
        # during the next request, as the response to that request.
        writer.write(reply * 2 if options == TWICE else reply)
        await writer.drain()
        return options != HALF


def _reply(status: int, body: bytes, *, is_cut: bool) -> bytes:
    lines = [f"HTTP/1.1 {status} So"]
    if status == _STATUSES[MOVED]:
        lines.append("Location: /elsewhere")
    if status != _STATUSES[SLOW]:
        lines.append(f"Content-Length: {len(body) + 100 * is_cut}")
    head = "\r\n".join([*lines, "", ""]).encode()
    return head if status == _STATUSES[SLOW] else head + body


def _headers(head: bytes) -> dict[str, str]:
    lines: Sequence[str] = head.decode().split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines if line)
    return {name.lower(): value.strip() for name, _, value in pairs}
