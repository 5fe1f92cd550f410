"""Webhook run: the events per second that one worker delivers, and their delay.

The same run also measures the same HTTP client without our code, posting bodies of the same length
to the same receiver, and the same rate while one endpoint refuses connections and another never
answers.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import Request, urlopen

import aiohttp
import uvloop

from bench import load, machine, report, server, speed
from bench.receiver import Receiver, receiving

USERS = 256
# Events of a swap that is created and accepted.
EVENTS_PER_SWAP = 5
# Concurrent deliveries of the workers (developers/webhooks/delivery/endpoint_worker.py).
CONCURRENCY = 32
PER_S_TARGET = 1500
P99_MS_TARGET = 1000
_QUIET_S = 3.0
_PATIENCE_S = 120.0
_BODY = b'{"data":"' + b"x" * 1800 + b'"}'


@dataclass(frozen=True, slots=True)
class Effort:
    """Duration of the measurement."""

    rounds: int
    # Seconds for which swaps are made before their events are released.
    filling_s: float
    pacing_s: float


DEFAULT = Effort(rounds=5, filling_s=8, pacing_s=10)
QUICK = Effort(rounds=2, filling_s=4, pacing_s=5)


@dataclass(frozen=True, slots=True)
class Round:
    """One round; `delays_ms` are p50 and p99 from `createdAt` to arrival."""

    events: int
    per_s: float
    cpu_us: float
    plain_per_s: float
    paced_per_s: float
    paced_ms: tuple[float, float]
    disturbed_ms: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Environment of a round: a server, its load, and an endpoint of our own."""

    ours: server.Server
    accounts: list[load.Account]
    effort: Effort
    receiver: Receiver
    hanging: Receiver
    endpoint_id: str

    def round(self) -> Round:
        """One round."""
        events, per_s, cpu_us = self._backlog()
        plain = uvloop.run(_plain(self.receiver.url, self.effort.filling_s / 2))
        self.receiver.take()
        calm = self._paced(per_s / 2)
        dead = f"http://127.0.0.1:{server.free_port()}/"
        others = [
            self.call("POST", "", {"url": url, "eventTypes": ["*"]})["id"]
            for url in (dead, self.hanging.url)
        ]
        disturbed = self._paced(per_s / 2)
        for each in others:
            self.call("DELETE", f"/{each}")
        return Round(events, per_s, cpu_us, plain, per_s / 2, calm, disturbed)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call a webhook route of the API."""
        return _call(self.ours.port, self.accounts[0].key, method, path, body)

    def _backlog(self) -> tuple[int, float, float]:
        """Measure events that queue while the endpoint is paused and are then released together."""
        self.call("PATCH", f"/{self.endpoint_id}", {"status": "PAUSED"})
        _await_idle(self.receiver)
        tally = load.closed(
            self.accounts,
            port=self.ours.port,
            connections=speed.CONNECTIONS,
            seconds=self.effort.filling_s,
            meter=speed.meter(self.ours),
        )
        assert not tally.refusals, tally.refusals[0]
        self.receiver.take()
        worker = self.ours.pids("worker")
        before_s = machine.cpu_s(worker)
        self.call("PATCH", f"/{self.endpoint_id}", {"status": "ACTIVE"})
        _await_idle(self.receiver, least=tally.swaps * EVENTS_PER_SWAP)
        received = self.receiver.take()
        spent_s = machine.cpu_s(worker) - before_s
        return received.count, received.per_s, spent_s / received.count * 1e6

    def _paced(self, events_per_s: float) -> tuple[float, float]:
        """Make swaps at a rate of this many events; return p50 and p99 of their delays in ms."""
        tally = load.paced(
            self.accounts,
            port=self.ours.port,
            swaps_per_s=events_per_s / EVENTS_PER_SWAP,
            seconds=self.effort.pacing_s,
            meter=speed.meter(self.ours),
        )
        assert not tally.refusals, tally.refusals[0]
        _await_idle(self.receiver)
        received = self.receiver.take()
        return received.delay_ms(0.5), received.delay_ms(0.99)


def measure(effort: Effort, print_line: Callable[[str], None]) -> list[Round]:
    """Measure all rounds on a temporary database."""
    with (
        tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder,
        server.serving(Path(folder) / "data") as ours,
        receiving() as receiver,
        receiving(hangs=True) as hanging,
    ):
        print_line("Creating users ...")
        accounts = server.open_accounts(ours, orgs=1, users=USERS)
        body = {"url": receiver.url, "eventTypes": ["*"]}
        run = _Run(
            ours=ours,
            accounts=accounts,
            effort=effort,
            receiver=receiver,
            hanging=hanging,
            endpoint_id=_call(ours.port, accounts[0].key, "POST", "", body)["id"],
        )
        rounds: list[Round] = []
        for number in range(effort.rounds):
            rounds.append(run.round())
            print_line(f"round {number + 1}: {_line(rounds[-1])}")
        return rounds


def _call(port: int, key: str, method: str, path: str, body: Any) -> Any:
    request = Request(
        f"http://127.0.0.1:{port}/v2/webhooks{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urlopen(request, timeout=30) as answer:  # noqa: S310  the address is right above
        return json.loads(answer.read() or b"null")


def _await_idle(receiver: Receiver, *, least: int = 0) -> None:
    """Wait until at least `least` events have arrived and no more follow; keep the counts."""
    deadline_s = time.monotonic() + _PATIENCE_S
    seen, quiet_since_s = -1, time.monotonic()
    while time.monotonic() < deadline_s:
        count = receiver.count()
        if count != seen:
            seen, quiet_since_s = count, time.monotonic()
        elif count >= least and time.monotonic() - quiet_since_s > _QUIET_S:
            return
        time.sleep(0.5)
    raise TimeoutError(f"{seen} of {least} events came")


async def _plain(url: str, seconds: float) -> float:
    """Return how many bodies per second the HTTP client posts without other work."""
    count, end_s = 0, time.monotonic() + seconds

    async def post(session: aiohttp.ClientSession) -> None:
        nonlocal count
        while time.monotonic() < end_s:
            async with session.post(url, data=_BODY) as answer:
                await answer.read()
            count += 1

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(post(session) for _ in range(CONCURRENCY)))
    return count / seconds


def store_report(
    rounds: Sequence[Round], *, is_stored: bool, print_line: Callable[[str], None]
) -> None:
    """Print the table; store it if the run was complete."""
    table = markdown(rounds)
    print(f"\n{table}\n")
    if is_stored:
        document = {"rounds": [asdict(each) for each in rounds]}
        print_line(f"Stored in {report.write('webhooks', 'Webhooks', table, document)}.")


def markdown(rounds: Sequence[Round]) -> str:
    """Return the tables as Markdown."""
    rate = median(each.per_s for each in rounds)
    p99 = median(each.paced_ms[1] for each in rounds)
    change = [each.disturbed_ms[1] / each.paced_ms[1] for each in rounds]
    share = [each.per_s / each.plain_per_s for each in rounds]
    return "\n".join(
        [
            *("| | median | least to most |", "|---|---|---|"),
            _row("events delivered per second, one worker", [each.per_s for each in rounds]),
            _row("the HTTP client alone, per second", [each.plain_per_s for each in rounds]),
            _row("worker's CPU us per event", [each.cpu_us for each in rounds]),
            _row("p50 at half the rate, ms", [each.paced_ms[0] for each in rounds]),
            _row("p99 at half the rate, ms", [each.paced_ms[1] for each in rounds]),
            _row("p99 beside a dead and a hanging one, ms", [e.disturbed_ms[1] for e in rounds]),
            "",
            *("| | target | measured | |", "|---|---|---|---|"),
            _target("events per second", f"at least {PER_S_TARGET}", rate, rate >= PER_S_TARGET),
            _target("p99 at half of that, ms", f"below {P99_MS_TARGET}", p99, p99 < P99_MS_TARGET),
            _target("p99 beside them over p99 alone", "1", median(change), median(change) < 1.5),
            _target("share of the HTTP client's own rate", "", median(share), is_met=True),
        ]
    )


def _row(name: str, values: Sequence[float]) -> str:
    return f"| {name} | {median(values):,.0f} | {min(values):,.0f} to {max(values):,.0f} |"


def _target(name: str, expected: str, measured: float, is_met: bool) -> str:  # noqa: FBT001  a row
    shown = f"{measured:,.0f}" if measured >= 10 else f"{measured:.2f}"
    return f"| {name} | {expected} | {shown} | {'met' if is_met else 'no'} |"


def _line(each: Round) -> str:
    return (
        f"{each.events:,} events at {each.per_s:,.0f}/s ({each.cpu_us:.0f} us of the worker each; "
        f"HTTP client alone {each.plain_per_s:,.0f}/s); p99 at half {each.paced_ms[1]:.0f} ms, "
        f"disturbed {each.disturbed_ms[1]:.0f} ms"
    )
