"""Two workers divide a backlog; one is killed or stops answering, and nothing is done twice."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec
import pytest
from bench.slow_worker import SENT

from landbridge.app.container import Container, open_container
from landbridge.platform.db.pool import Database
from tests.app.processes.server_process import clean_environ, landbridge
from tests.tenants import SETTINGS, Tenant, held, make_tenant, make_transfer, make_user, served

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

PATIENCE_S = 180.0
TRANSFERS = 400
# An order is under way for so long.
DELAY_S = 1.0
# Five seconds of silence, the next look of the other, and the orders of the rest.
TAKEOVER_S_MAX = 30.0
HOLD = "update transfers set due_at = 'infinity' where due_at is not null"
RELEASE = "update transfers set due_at = updated_at where due_at is not null"
WORKERS = """
select count(*) as count from pg_stat_activity
where application_name = 'landbridge worker share' and datname = current_database()
"""
LEFT = "select count(*) as count from transfers where due_at is not null"
DONE = """
select count(*) as count from transfers where kind = 'WALLET.TRANSFER' and status = 'COMPLETED'
"""
# Each transfer moves one coin.
MOVEMENTS = "select count(*) as count from sandbox_movements where units = 1000000"


@contextmanager
def worker(folder: Path, dsn: str, number: int) -> Generator["subprocess.Popen[bytes]"]:
    """Run a worker on slow chains."""
    assert SETTINGS.master_key is not None
    environ = clean_environ(
        database_url=dsn, master_key=SETTINGS.master_key, data_dir=str(folder), log_format="json"
    )
    with output_of(folder, number).open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.slow_worker", str(DELAY_S)],
            env=environ,
            stdout=output,
            stderr=output,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def output_of(folder: Path, number: int) -> Path:
    return folder / f"worker{number}.log"


@asynccontextmanager
async def backlog(dsn: str) -> AsyncGenerator[tuple[Container, Tenant, list[str]]]:
    """Make transfers from one user to another, which are due at the caller's word."""
    settings = msgspec.structs.replace(SETTINGS, database_url=dsn)
    async with (
        open_container(settings, dsn, name="tests") as container,
        served(container) as client,
    ):
        org = await make_tenant(container, client)
        users = [await make_user(org, funds=str(TRANSFERS)), await make_user(org)]
        for _ in range(TRANSFERS):
            await make_transfer(org, *users)
        await container.database.rows(HOLD)
        yield container, org, users


async def until(condition: Callable[[int], bool], database: Database, sql: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition(int((await database.rows(sql))[0]["count"])):  # noqa: ASYNC110  another process
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("number", [None, signal.SIGKILL, signal.SIGSTOP])
async def test_the_share_of_a_worker_is_taken_over_and_nothing_is_done_twice(
    own_dsn: str, tmp_path: Path, number: signal.Signals | None
) -> None:
    with worker(tmp_path, own_dsn, 1) as first, worker(tmp_path, own_dsn, 2) as second:
        async with backlog(own_dsn) as (container, org, users):
            database = container.database
            await until(lambda count: count == 2, database, WORKERS)
            # Each has seen the other.
            await asyncio.sleep(2.0)
            await database.rows(RELEASE)
            await until(lambda count: count > 0, database, DONE)
            failed_s = time.monotonic()
            if number is not None:
                os.kill(second.pid, number)
            await until(lambda count: count == 0, database, LEFT)
            took_s = time.monotonic() - failed_s
            print(f"taken over and done after {took_s:.1f} s")  # noqa: T201  the measurement
            assert took_s < TAKEOVER_S_MAX, output_of(tmp_path, 1).read_text()
            if number is signal.SIGSTOP:
                # What it was about to do has been done.
                os.kill(second.pid, signal.SIGCONT)
                await until(lambda count: count == 2, database, WORKERS)
            for process in (first, second):
                process.terminate()
                assert await asyncio.to_thread(process.wait, PATIENCE_S) == (
                    -number if number is signal.SIGKILL and process is second else 0
                )
            assert (await database.rows(DONE))[0]["count"] == TRANSFERS
            assert (await database.rows(MOVEMENTS))[0]["count"] == TRANSFERS
            assert [await held(org, each) for each in users] == ["0", str(TRANSFERS)]
    sent = [_sent(tmp_path, each) for each in (1, 2)]
    if number is None:
        assert min(sent) > TRANSFERS / 4
        # A worker that looks at everything takes some of the other's.
        assert TRANSFERS <= sum(sent) < 1.5 * TRANSFERS
    audited = landbridge(
        "check", folder=tmp_path, database_url=own_dsn, master_key=SETTINGS.master_key or ""
    )
    assert audited.returncode == 0, audited.stdout + audited.stderr


def _sent(folder: Path, number: int) -> int:
    """Return how many orders a worker has sent; 0 if it was killed."""
    last = output_of(folder, number).read_text().splitlines()[-1:]
    return sum(int(each.removeprefix(SENT)) for each in last if each.startswith(SENT))
