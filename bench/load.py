"""Load generator: creates and accepts swaps over HTTP/1.1 from one cheap process.

It shares the machine with the server under test, so it does little work: requests are joined from
prepared bytes, and only the length, status and id of a response are read. Its CPU time is measured
separately.

Closed loop: each connection sends its next request after the last response. This finds the rate.
Open loop: swaps arrive at a given rate at random moments, regardless of responses, and latency
counts from the arrival. This finds the latency that a caller would see.
"""

import asyncio
import random
import time
from collections import deque
from dataclasses import dataclass, field
from typing import cast
from uuid import UUID

import uvloop

from bench.machine import Meter

_CURRENCIES = (("usdc", "usdt"), ("usdt", "usdc"))
_ID = b'"id":"'
_LENGTH = b"content-length: "
# The first requests of a run meet cold caches and connections and are not counted.
WARM_UP_S = 1.0
_OPEN_LINES = 64
_DRAIN_S = 0.3


@dataclass(frozen=True, slots=True)
class Account:
    """User with wallets, and an API key of its organisation."""

    key: str
    user_id: UUID


@dataclass(slots=True)
class Tally:
    """Counts and latencies of a run after its warm-up."""

    operations: int = 0
    seconds: float = 0.0
    # All executed operations, including those of the warm-up.
    swaps: int = 0
    refusals: list[str] = field(default_factory=list[str])
    latencies_s: list[float] = field(default_factory=list[float])

    @property
    def per_s(self) -> float:
        """Operations per second; a create and an accept are one each."""
        return self.operations / self.seconds

    def percentile_ms(self, part: float) -> float:
        """Return the latency at this percentile."""
        ordered = sorted(self.latencies_s)
        return ordered[min(int(len(ordered) * part), len(ordered) - 1)] * 1000


class Texts:
    """Bytes of an account's requests, without the ids."""

    def __init__(self, account: Account, host: str) -> None:
        head = f"Host: {host}\r\nAuthorization: Bearer {account.key}\r\n"
        self.accept = f"/accept HTTP/1.1\r\n{head}Content-Length: 0\r\n\r\n".encode()
        self.creates: list[tuple[bytes, bytes]] = []
        for sold, bought in _CURRENCIES:
            end = (
                f'","source":{{"userId":"{account.user_id}","chain":"POLYGON",'
                f'"currency":"{sold}","amount":"1.25"}},'
                f'"destination":{{"chain":"POLYGON","currency":"{bought}"}}}}'
            )
            length = len('{"requestId":"') + 36 + len(end)
            start = (
                f"POST /v2/wallets/swaps HTTP/1.1\r\n{head}Content-Type: application/json\r\n"
                f'Content-Length: {length}\r\n\r\n{{"requestId":"'
            )
            self.creates.append((start.encode(), end.encode()))


class LoadConnection(asyncio.Protocol):
    """Connection that makes swaps in turn, with at most one request in flight."""

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._transport: asyncio.WriteTransport | None = None
        self._buffer = b""
        self._texts: Texts = run.texts[0]
        self._is_accept = False
        self.requested_at_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ready to be started."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail unless the run is over."""
        self._run.lost(exc)

    def start(self, started_at_s: float) -> None:
        """Create a swap of some account."""
        self.requested_at_s = started_at_s
        self._is_accept = False
        self._texts = random.choice(self._run.texts)  # noqa: S311  load, no secret
        start, end = self._texts.creates[random.getrandbits(1)]
        self._send(start + _request_id() + end)

    def data_received(self, data: bytes) -> None:
        """Parse a response that arrives whole or in parts."""
        if self._buffer:
            data = self._buffer + data
        head = data.find(b"\r\n\r\n")
        if head >= 0:
            at = data.find(_LENGTH, 0, head) + len(_LENGTH)
            length = int(data[at : data.find(b"\r", at)])
            if len(data) >= head + 4 + length:
                self._buffer = b""
                self._answered(data, head)
                return
        self._buffer = data

    def _answered(self, answer: bytes, head: int) -> None:
        now_s = time.perf_counter()
        self._run.count(now_s - self.requested_at_s)
        if answer[9:12] != b"200":
            self._run.refused(answer.decode(errors="replace"))
        elif not self._is_accept:
            at = answer.find(_ID, head) + len(_ID)
            self._is_accept = True
            self.requested_at_s = now_s
            self._send(b"POST /v2/wallets/swaps/" + answer[at : at + 36] + self._texts.accept)
            return
        elif b'"COMPLETED"' in answer:
            self._run.tally.swaps += 1
        else:
            self._run.refused("an accept was answered without being completed")
        self._run.next(self)

    def _send(self, request: bytes) -> None:
        assert self._transport is not None
        self._transport.write(request)


class Run:
    """Closed-loop run; `OpenRun` is the other kind."""

    def __init__(self, accounts: list[Account], host: str) -> None:
        self.texts = [Texts(account, host) for account in accounts]
        self.tally = Tally()
        self._is_counting = False
        self._is_over = asyncio.Event()

    def start(self, lines: list[LoadConnection]) -> None:
        """Begin."""
        for line in lines:
            line.start(time.perf_counter())

    def next(self, line: LoadConnection) -> None:
        """Continue after a connection has finished its swap."""
        if not self._is_over.is_set():
            line.start(time.perf_counter())

    def count(self, latency_s: float) -> None:
        """Count an answered operation."""
        if self._is_counting:
            self.tally.operations += 1
            self.tally.latencies_s.append(latency_s)

    def refused(self, answer: str) -> None:
        """Count an operation that was refused."""
        self.tally.refusals.append(answer)

    def lost(self, error: Exception | None) -> None:
        """Handle a lost connection."""
        if not self._is_over.is_set():
            self.refused(f"connection lost: {error}")
            self._is_over.set()

    async def measure(self, seconds: float, meter: Meter) -> None:
        """Warm up, then count for a while."""
        await _pause(self._is_over, WARM_UP_S)
        meter.start()
        self._is_counting = True
        began_s = time.perf_counter()
        await _pause(self._is_over, seconds)
        self.tally.seconds = time.perf_counter() - began_s
        self._is_counting = False
        self._is_over.set()
        meter.stop()


class OpenRun(Run):
    """Swaps arrive at `swaps_per_s`, exponentially apart, and wait for a free line if need be."""

    def __init__(self, accounts: list[Account], host: str, *, swaps_per_s: float) -> None:
        super().__init__(accounts, host)
        self._rate = swaps_per_s
        self._free: list[LoadConnection] = []
        self._waiting: deque[float] = deque()
        self._due_s = 0.0

    def start(self, lines: list[LoadConnection]) -> None:
        """Begin."""
        self._free = lines
        self._due_s = time.perf_counter()
        self._arrive()

    def next(self, line: LoadConnection) -> None:
        """Give a free connection to the swap that has waited longest."""
        if self._waiting:
            line.start(self._waiting.popleft())
        else:
            self._free.append(line)

    def _arrive(self) -> None:
        """Start all arrivals that are due; their latency counts from the due time, not from now."""
        if self._is_over.is_set():
            return
        now_s = time.perf_counter()
        while self._due_s <= now_s:
            if self._free:
                self._free.pop().start(self._due_s)
            else:
                self._waiting.append(self._due_s)
            self._due_s += random.expovariate(self._rate)
        asyncio.get_running_loop().call_later(self._due_s - now_s, self._arrive)


def closed(
    accounts: list[Account], *, port: int, connections: int, seconds: float, meter: Meter
) -> Tally:
    """Run a closed loop over this many connections."""
    run = Run(accounts, f"127.0.0.1:{port}")
    return uvloop.run(_drive(run, port, connections, seconds, meter))


def paced(
    accounts: list[Account], *, port: int, swaps_per_s: float, seconds: float, meter: Meter
) -> Tally:
    """Swaps at a given rate."""
    run = OpenRun(accounts, f"127.0.0.1:{port}", swaps_per_s=swaps_per_s)
    return uvloop.run(_drive(run, port, _OPEN_LINES, seconds, meter))


async def _drive(run: Run, port: int, connections: int, seconds: float, meter: Meter) -> Tally:
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: LoadConnection(run), "127.0.0.1", port)
        for _ in range(connections)
    ]
    run.start([line for _, line in made])
    await run.measure(seconds, meter)
    # Await requests in flight, so that nothing of this run reaches into the next one.
    await asyncio.sleep(_DRAIN_S)
    for transport, _ in made:
        transport.close()
    return run.tally


async def _pause(over: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(over.wait(), seconds)
    except TimeoutError:
        return


def _request_id() -> bytes:
    """Return a random UUID, as clients generate them."""
    text = f"{random.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}".encode()
