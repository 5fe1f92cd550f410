"""One worker and two on a backlog of due transfers: time, and CPU of workers and PostgreSQL.

Two workers can be faster by as much as the machine has cores left. So the same backlog is drained
twice: with chains that answer at once, where CPU is the limit, and with chains that take seconds,
where each worker is limited by the orders that it may have open.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import median
from uuid import UUID

from bench import databases, machine, server, slow_worker
from landbridge.app.container import Container, make_key, open_container
from landbridge.app.settings import Settings
from landbridge.payments.transfers.service import (
    NewWalletTransfer,
    TransferDestination,
    TransferSource,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.embedded.server import borrow
from landbridge.platform.db.migrate import migrate
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller
from landbridge.providers.chains.tokens import Chain

_USERS = 64
_TOGETHER = 32
_SETTLE_S = 5.0
_STARTED = """
select count(*) from pg_stat_activity where application_name = 'landbridge worker share'
"""
_HOLD = "update transfers set due_at = 'infinity' where due_at is not null"
_RELEASE = "update transfers set due_at = updated_at where due_at is not null"
_WAKE = "select pg_notify('landbridge_due', '')"
_LEFT = "select count(*) from transfers where due_at is not null"


@dataclass(frozen=True, slots=True)
class Effort:
    """Rounds, transfers of each, and the delay of a slow chain."""

    rounds: int
    transfers: int
    delay_s: float


DEFAULT = Effort(rounds=3, transfers=2_000, delay_s=20.0)
QUICK = Effort(rounds=1, transfers=2_000, delay_s=20.0)


@dataclass(frozen=True, slots=True)
class Drain:
    """A drained backlog."""

    seconds: float
    worker_s: float
    postgres_s: float
    # Orders that were sent; only slow chains count them.
    sent_count: int

    def __str__(self) -> str:
        sent = f", {self.sent_count} orders sent" if self.sent_count else ""
        return (
            f"{self.seconds:.1f} s{sent}; CPU s: workers {self.worker_s:.1f}, "
            f"PostgreSQL {self.postgres_s:.1f}"
        )


@dataclass(frozen=True, slots=True)
class _Site:
    data_dir: Path
    dsn: str

    def drain(self, workers: int, effort: Effort, *, delay_s: float | None) -> Drain:
        """Make a backlog, start workers, and wait until nothing is due."""
        asyncio.run(_make_backlog(self.data_dir, self.dsn, effort.transfers))
        databases.read(self.dsn, _HOLD)
        with self._working(workers, delay_s) as pids:
            while databases.count(self.dsn, _STARTED) < workers:
                time.sleep(0.1)
            time.sleep(_SETTLE_S)
            databases.read(self.dsn, _RELEASE)
            before = self._spent(pids)
            began_s = time.monotonic()
            databases.read(self.dsn, _WAKE)
            while databases.count(self.dsn, _LEFT):
                time.sleep(0.2)
            seconds = time.monotonic() - began_s
            after = self._spent(pids)
        lines = self._log.read_text(encoding="utf-8").splitlines()[-workers:]
        sent = sum(int(each.split()[1]) for each in lines if each.startswith(slow_worker.SENT))
        return Drain(seconds, after[0] - before[0], after[1] - before[1], sent)

    @property
    def _log(self) -> Path:
        return self.data_dir.with_suffix(".log")

    @contextmanager
    def _working(self, workers: int, delay_s: float | None) -> Generator[list[int]]:
        command = ["landbridge", "worker"]
        if delay_s is not None:
            command = ["bench.slow_worker", str(delay_s)]
        environ = {
            **os.environ,
            "LANDBRIDGE_DATA_DIR": str(self.data_dir),
            "LANDBRIDGE_DATABASE_URL": self.dsn,
            "LANDBRIDGE_LOG_FORMAT": "json",
        }
        with self._log.open("ab") as log:
            processes = [
                subprocess.Popen(
                    [sys.executable, "-m", *command], env=environ, stdout=log, stderr=log
                )
                for _ in range(workers)
            ]
        try:
            yield [each.pid for each in processes]
        finally:
            for each in processes:
                each.terminate()
            for each in processes:
                each.wait(60)

    def _spent(self, pids: list[int]) -> tuple[float, float]:
        """Return the CPU seconds of the workers, and of PostgreSQL with its ended children."""
        (postmaster,) = (
            pid
            for pid in machine.tree(os.getpid())
            if "/postgres -D" in machine.command(pid) and "unshare" not in machine.command(pid)
        )
        return machine.precise_cpu_s(pids), machine.cpu_s(machine.tree(postmaster))


def measure(effort: Effort, print_line: Callable[[str], None]) -> None:
    """Print seconds and CPU seconds of each drain, and how much faster two workers are."""
    with tempfile.TemporaryDirectory(prefix="landbridge-bench-") as folder:
        data_dir = Path(folder) / "data"
        data_dir.mkdir()
        make_key(Settings(data_dir=str(data_dir)))
        with borrow(data_dir, print_line=print_line) as dsn:
            asyncio.run(_migrate(dsn))
            site = _Site(data_dir, dsn)
            for name, delay_s in (("chains at once", None), ("slow chains", effort.delay_s)):
                ratios: list[float] = []
                for _ in range(effort.rounds):
                    drained = [site.drain(each, effort, delay_s=delay_s) for each in (1, 2)]
                    for workers, each in enumerate(drained, 1):
                        print_line(
                            f"{name}, {workers} worker(s), {effort.transfers} transfers: {each}"
                        )
                    ratios.append(drained[0].seconds / drained[1].seconds)
                print_line(f"{name}: two workers are {median(ratios):.2f} times as fast as one")


async def _migrate(dsn: str) -> None:
    database = await Database.connect(dsn, name="bench", size_max=1, is_patient=True)
    await migrate(database)
    await database.close()


async def _make_backlog(data_dir: Path, dsn: str, transfers: int) -> None:
    settings = Settings(data_dir=str(data_dir), pool_size=16)
    async with open_container(settings, dsn, name="bench") as container:
        accounts = await server.fill_org(container, "Bench", _USERS)
        caller = await container.orgs.authenticate(accounts[0].key)
        users = [each.user_id for each in accounts]
        gate = asyncio.Semaphore(_TOGETHER)

        async def one(number: int) -> None:
            async with gate:
                await _transfer(container, caller, users, number)

        await asyncio.gather(*map(one, range(transfers)))
        await container.database.rows("analyze")


async def _transfer(container: Container, caller: Caller, users: list[UUID], number: int) -> None:
    wanted = NewWalletTransfer(
        request_id=new_id(),
        source=TransferSource(users[number % len(users)]),
        destination=TransferDestination(users[(number + 1) % len(users)]),
        chain=Chain.POLYGON,
        currency="usdc",
        amount=Decimal(1),
    )
    await container.wallet_transfers.create(caller, wanted)
