"""Crash test: kill every process under load, then check that nothing acknowledged is lost.

Callers create and accept swaps without pause. When a connection breaks, they send the same request
again, as a careful client does. Meanwhile `kill -9` hits an API process, the worker, PostgreSQL,
all of them together, and finally `landbridge serve` itself, which is then restarted. Afterwards
three things must hold: `landbridge check` finds the ledger consistent; every acknowledged create
exists exactly once under its id; every acknowledged accept moved its money exactly once.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

import msgspec

from bench import databases, server
from bench.load import Account, Texts

_CALLERS = 16
_USERS = 64
_LOAD_S = 4.0
_AGAIN_S = 0.1

# Targets, killed in turn: the first process of each part, or all of them.
_VICTIMS: tuple[tuple[str, ...], ...] = (
    ("one api",),
    ("worker",),
    ("one postgres",),
    ("api",),
    ("postgres",),
    ("api", "worker", "postgres"),
    ("serve", "api", "worker", "postgres"),
)

_SWAPS = """
select t.request_id, t.id, t.status,
    (select count(*) from changes c where c.org_id = t.org_id and c.object_id = t.id
        and c.change_type = 'open') as opened,
    (select count(*) from changes c where c.org_id = t.org_id and c.object_id = t.id
        and c.change_type = 'accept' and c.is_settled) as accepted,
    (select count(*) from entries e where e.org_id = t.org_id and e.transfer_id = t.id) as entries
from transfers t
where t.kind = 'WALLET.SWAP'
"""
_ENTRIES = 5


class _Details(msgspec.Struct):
    id: UUID
    status: str


class _Reply(msgspec.Struct, rename="camel"):
    transfer_details: _Details


@dataclass(slots=True)
class Log:
    """Acknowledgements that the callers received."""

    requested_ids: set[UUID] = field(default_factory=set[UUID])
    created: dict[UUID, UUID] = field(default_factory=dict[UUID, UUID])
    accepted: set[UUID] = field(default_factory=set[UUID])
    repeats: int = 0
    wrongs: list[str] = field(default_factory=list[str])


def run_crash_test(print_line: Callable[[str], None], *, rounds: int) -> bool:
    """Return whether no acknowledged operation is lost or doubled."""
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder:
        data_dir = Path(folder) / "data"
        running = server.start(data_dir)
        log = Log()
        try:
            running.await_ready()
            accounts = server.open_accounts(running, orgs=2, users=_USERS)
            for victims in _VICTIMS * rounds:
                running = asyncio.run(_under_fire(running, accounts, log, victims, print_line))
            wrongs = [*log.wrongs, *_compare(databases.read(running.dsn, _SWAPS), log)]
        finally:
            running.process.send_signal(signal.SIGTERM)
            running.process.wait(60)
        checked = subprocess.run(
            [sys.executable, "-m", "landbridge", "check", "--data-dir", str(data_dir)],
            check=False,
        )
    print(
        f"{len(log.created):,} creates and {len(log.accepted):,} accepts were acknowledged, "
        f"{log.repeats:,} requests sent again; {len(wrongs)} wrong, "
        f"the check exits {checked.returncode}"
    )
    for wrong in wrongs[:20]:
        print(wrong)
    return not wrongs and checked.returncode == 0


async def _under_fire(
    running: server.Server,
    accounts: list[Account],
    log: Log,
    victims: tuple[str, ...],
    print_line: Callable[[str], None],
) -> server.Server:
    over = asyncio.Event()
    callers = [
        asyncio.create_task(_call(running.port, accounts[place::_CALLERS], log, over))
        for place in range(_CALLERS)
    ]
    await asyncio.sleep(_LOAD_S / 2)
    before = len(log.accepted)
    pids = [pid for victim in victims for pid in _pids(running, victim)]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    if "serve" in victims:
        running.process.wait()
        running = server.start(running.data_dir, running.port)
    # Until every part is alive again, and then some more load.
    await asyncio.sleep(_LOAD_S)
    await asyncio.to_thread(running.await_ready)
    await asyncio.sleep(_LOAD_S / 2)
    over.set()
    await asyncio.gather(*callers)
    print_line(
        f"killed {' and '.join(victims)} ({len(pids)} processes); "
        f"{len(log.accepted) - before:,} accepts since"
    )
    return running


def _pids(running: server.Server, victim: str) -> list[int]:
    part = victim.removeprefix("one ")
    pids = running.pids(part)
    # The first of `postgres` is the postmaster; without it the backends exit by themselves.
    return pids[:1] if part != victim else pids


async def _call(port: int, accounts: list[Account], log: Log, over: asyncio.Event) -> None:
    """Run one caller: create swaps in turn, and repeat each request until it is answered."""
    line = _RetryingConnection(port, log)
    texts = [Texts(each, f"127.0.0.1:{port}") for each in accounts]
    number = 0
    while not over.is_set():
        number += 1
        text = texts[number % len(texts)]
        request_id = uuid4()
        log.requested_ids.add(request_id)
        start, end = text.creates[number % 2]
        created = await line.send(start + str(request_id).encode() + end)
        if created is None:
            log.wrongs.append(f"the create {request_id} was refused")
            continue
        log.created[request_id] = created.id
        accepted = await line.send(f"POST /v2/wallets/swaps/{created.id}".encode() + text.accept)
        # None: the quote expired while the server was down, which is allowed.
        if accepted is not None:
            if accepted.status != "COMPLETED":
                log.wrongs.append(f"the accept of {created.id} was answered {accepted.status}")
            log.accepted.add(request_id)
    line.close()


class _RetryingConnection:
    """Connection that is reopened after it breaks."""

    def __init__(self, port: int, log: Log) -> None:
        self._port = port
        self._log = log
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, request: bytes) -> _Details | None:
        """Send a request until it is answered; return the swap, or None if it was refused."""
        while True:
            try:
                status, body = await asyncio.wait_for(self._exchange(request), 60)
            except (OSError, EOFError, TimeoutError):
                self.close()
            else:
                if status == 200:
                    return msgspec.json.decode(body, type=_Reply).transfer_details
                if status < 500:
                    return None
            self._log.repeats += 1
            await asyncio.sleep(_AGAIN_S)

    def close(self) -> None:
        """Give the connection up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _exchange(self, request: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r")[0])
        return int(head[9:12]), await reader.readexactly(length)


def _compare(observed: list[tuple[UUID, UUID, str, int, int, int]], log: Log) -> list[str]:
    """Compare the ledger with the acknowledgements; return a sentence per failure."""
    wrongs: list[str] = []
    by_request: dict[UUID, UUID] = {}
    for request_id, swap_id, status, opened, accepted, entries in observed:
        if request_id in by_request or opened != 1:
            wrongs.append(f"request {request_id} was executed twice")
        by_request[request_id] = swap_id
        if request_id not in log.requested_ids:
            wrongs.append(f"no request for {swap_id}")
        is_done = status == "COMPLETED"
        if (accepted, entries) != ((1, _ENTRIES) if is_done else (0, 0)):
            wrongs.append(f"{swap_id} is {status} with {accepted} accepts and {entries} entries")
        if request_id in log.accepted and not is_done:
            wrongs.append(f"{swap_id} was accepted and is {status}")
    wrongs += [
        f"{swap_id} was created for {request_id} and is {by_request.get(request_id)}"
        for request_id, swap_id in log.created.items()
        if by_request.get(request_id) != swap_id
    ]
    return wrongs
