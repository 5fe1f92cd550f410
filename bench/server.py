"""Our own server, as its users run it: `landbridge serve` on its embedded PostgreSQL."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from bench import machine
from bench.load import Account
from landbridge.app.container import Container, open_container
from landbridge.app.settings import Settings
from landbridge.customers.users.model import UserType
from landbridge.customers.users.service import UserDetails
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.embedded.server import find_running
from landbridge.platform.http.caller import Caller
from landbridge.providers.chains.tokens import Chain

# The setting's default. On two cores a second process makes batches smaller and operations dearer.
API_PROCESSES = 1
_START_PATIENCE_S = 120.0
_COINS = "1000000000"
_TOGETHER = 16


@dataclass(slots=True)
class Server:
    """`landbridge serve`, running."""

    data_dir: Path
    port: int
    process: "subprocess.Popen[bytes]"

    @property
    def dsn(self) -> str:
        """DSN of the server's PostgreSQL."""
        found = find_running(self.data_dir)
        assert found is not None
        return found

    def pids(self, part: str) -> list[int]:
        """Return the processes of one part: `api`, `worker`, `fork-server`, `postgres`, `serve`."""
        if part == "serve":
            return [self.process.pid]
        if part == "postgres":
            # Only the postmaster's children carry the server's title.
            return [
                pid
                for child in machine.tree(self.process.pid)
                if "/postgres" in machine.command(child).split(" ", 1)[0]
                for pid in machine.tree(child)
            ]
        return [
            pid
            for pid in machine.tree(self.process.pid)
            if f" landbridge {part} " in machine.command(pid)
        ]

    def await_ready(self) -> None:
        """Wait until the server answers."""
        deadline_s = time.monotonic() + _START_PATIENCE_S
        while time.monotonic() < deadline_s:
            assert self.process.poll() is None, "the server ended; see its log"
            with (
                suppress(OSError),
                urllib.request.urlopen(
                    f"http://127.0.0.1:{self.port}/healthz", timeout=2
                ) as answer,
            ):
                if answer.status == 200:
                    return
            time.sleep(0.05)
        raise TimeoutError("the server did not start")


@contextmanager
def serving(data_dir: Path, *, api_processes: int = API_PROCESSES) -> Generator[Server]:
    """Run a server on this directory; stop it on exit."""
    server = start(data_dir, api_processes=api_processes)
    try:
        server.await_ready()
        yield server
    finally:
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(60)


def start(data_dir: Path, port: int | None = None, *, api_processes: int = API_PROCESSES) -> Server:
    """Start a server that writes its log to its data directory."""
    port = port or free_port()
    environ = {
        **os.environ,
        "LANDBRIDGE_DATA_DIR": str(data_dir),
        "LANDBRIDGE_PORT": str(port),
        "LANDBRIDGE_API_PROCESSES": str(api_processes),
        "LANDBRIDGE_LOG_FORMAT": "json",
        # The measurement is the server's capacity, so no limit applies.
        "LANDBRIDGE_RATE_PER_KEY": "0",
        "LANDBRIDGE_RATE_PER_ORG": "0",
    }
    with data_dir.with_suffix(".log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "landbridge", "serve"],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    return Server(data_dir, port, process)


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def open_accounts(server: Server, *, orgs: int, users: int) -> list[Account]:
    """Create funded users with wallets, spread evenly over new organisations."""

    async def work() -> list[Account]:
        settings = Settings(data_dir=str(server.data_dir), pool_size=_TOGETHER)
        async with open_container(settings, server.dsn, name="bench") as container:
            made: list[Account] = []
            for number in range(orgs):
                made += await fill_org(container, f"Bench {number + 1}", users // orgs)
            return made

    return asyncio.run(work())


def add_organisations(server: Server, count: int) -> None:
    """Create organisations without users."""

    async def work() -> None:
        settings = Settings(data_dir=str(server.data_dir), pool_size=_TOGETHER)
        async with open_container(settings, server.dsn, name="bench") as container:
            for first in range(0, count, _TOGETHER):
                names = [
                    f"Bench {each + 1}" for each in range(first, min(first + _TOGETHER, count))
                ]
                await asyncio.gather(*map(container.orgs.create, names))

    if count:
        asyncio.run(work())


async def fill_org(container: Container, name: str, users: int) -> list[Account]:
    """Create an organisation with a key and funded users."""
    org = await container.orgs.create(name)
    key, secret = await container.orgs.create_key(org.id, "bench", expires_at=None)
    caller = Caller(org.id, key.id, timedelta(), can_pay=True, can_administer=True)
    gate = asyncio.Semaphore(_TOGETHER)

    async def one(number: int) -> Account:
        async with gate:
            return await _open_account(container, caller, secret, number)

    # The first is made alone: it creates the organisation's seed.
    return [await one(0), *await asyncio.gather(*map(one, range(1, users)))]


async def _open_account(container: Container, caller: Caller, secret: str, number: int) -> Account:
    link = await container.terms.link(caller, new_id(), template_id=None, redirect_url=None)
    await container.terms.accept(
        link, link.session_token, offset=timedelta(), signed_from=None, actor=caller.actor
    )
    user = await container.users.create(
        caller,
        UserDetails(
            type=UserType.INDIVIDUAL,
            email=f"user{number}@example.com",
            first_name="User",
            last_name=f"Number {number}",
            date_of_birth=date(1990, 1, 1),
            ip_address="192.0.2.1",
        ),
        agreement_id=link.id,
        chains=[Chain.POLYGON],
        request_id=None,
        request={},
    )
    for currency in ("usdc", "usdt"):
        await container.sandbox.fund(
            caller, user.id, chain=Chain.POLYGON, currency=currency, amount=_COINS
        )
    return Account(secret, user.id)
