"""The proof by killing: everything is killed under load, and what was acknowledged must be there.

Callers create and accept swaps without pause; when a connection breaks they do what a careful
client does, and send the same request again. Meanwhile `kill -9` hits an API process, the worker,
PostgreSQL, all of them together, and at last `landbridge serve` itself, which is then started
again by hand. Afterwards `landbridge check` must find the books in order, every create that was
answered must be there exactly once under the id that was answered, and every accept that was
answered must have moved its money exactly once.
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

# What is killed in turn; the first of each part, or all of them.
_VICTIMS: tuple[tuple[str, ...], ...] = (
    ("one api",),
    ("worker",),
    ("one postgres",),
    ("api",),
    ("postgres",),
    ("api", "worker", "postgres"),
    ("serve", "api", "worker", "postgres"),
)

_SEEN = """
select t.request_id, t.id, t.status,
    (select count(*) from changes c where c.org_id = t.org_id and c.object_id = t.id
        and c.what = 'open') as opened,
    (select count(*) from changes c where c.org_id = t.org_id and c.object_id = t.id
        and c.what = 'accept' and c.rests) as accepted,
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
    """What the callers were told."""

    asked: set[UUID] = field(default_factory=set[UUID])
    created: dict[UUID, UUID] = field(default_factory=dict[UUID, UUID])
    accepted: set[UUID] = field(default_factory=set[UUID])
    repeats: int = 0
    wrongs: list[str] = field(default_factory=list[str])


def prove(say: Callable[[str], None], *, rounds: int) -> bool:
    """Whether nothing that was acknowledged is lost or doubled."""
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder:
        data_dir = Path(folder) / "data"
        running = server.start(data_dir)
        log = Log()
        try:
            running.await_ready()
            accounts = server.open_accounts(running, orgs=2, users=_USERS)
            for victims in _VICTIMS * rounds:
                running = asyncio.run(_under_fire(running, accounts, log, victims, say))
            wrongs = [*log.wrongs, *_compare(databases.read(running.dsn, _SEEN), log)]
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
    say: Callable[[str], None],
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
    say(
        f"killed {' and '.join(victims)} ({len(pids)} processes); "
        f"{len(log.accepted) - before:,} accepts since"
    )
    return running


def _pids(running: server.Server, victim: str) -> list[int]:
    part = victim.removeprefix("one ")
    pids = running.pids(part)
    # The first of `postgres` is the postmaster; without it the others leave by themselves.
    return pids[:1] if part != victim else pids


async def _call(port: int, accounts: list[Account], log: Log, over: asyncio.Event) -> None:
    """One caller: a swap after another, each request sent until it is answered."""
    line = _Line(port, log)
    texts = [Texts(each, f"127.0.0.1:{port}") for each in accounts]
    number = 0
    while not over.is_set():
        number += 1
        text = texts[number % len(texts)]
        request_id = uuid4()
        log.asked.add(request_id)
        start, end = text.creates[number % 2]
        created = await line.ask(start + str(request_id).encode() + end)
        if created is None:
            log.wrongs.append(f"the create {request_id} was refused")
            continue
        log.created[request_id] = created.id
        accepted = await line.ask(f"POST /v2/wallets/swaps/{created.id}".encode() + text.accept)
        # None: the quote ran out while the server was down, which is its right.
        if accepted is not None:
            if accepted.status != "COMPLETED":
                log.wrongs.append(f"the accept of {created.id} was answered {accepted.status}")
            log.accepted.add(request_id)
    line.close()


class _Line:
    """A connection that is made anew when it breaks."""

    def __init__(self, port: int, log: Log) -> None:
        self._port = port
        self._log = log
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> _Details | None:
        """The swap in the answer, or None if it was refused; asks until it is told."""
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


def _compare(seen: list[tuple[UUID, UUID, str, int, int, int]], log: Log) -> list[str]:
    """What the books say, against what the callers were told; each sentence is a failure."""
    wrongs: list[str] = []
    by_request: dict[UUID, UUID] = {}
    for request_id, swap_id, status, opened, accepted, entries in seen:
        if request_id in by_request or opened != 1:
            wrongs.append(f"request {request_id} was carried out twice")
        by_request[request_id] = swap_id
        if request_id not in log.asked:
            wrongs.append(f"nobody asked for {swap_id}")
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
