"""Reads on a standby: nothing that was answered is missing, whatever the standby does."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from prometheus_client import REGISTRY

from landbridge.app.container import open_container
from landbridge.app.settings import Settings
from landbridge.platform.db import replica
from landbridge.platform.db.migrate import migrate
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.replica import Replica
from tests.app.failover.server_pair import ServerPair, replicated
from tests.app.processes.server_process import landbridge
from tests.tenants import (
    SETTINGS,
    SWAPS,
    TRANSFERS,
    make_swap,
    make_tenant,
    make_transfer,
    make_user,
    served,
)

pytestmark = pytest.mark.long

_WRITES = 200
_INSERT = "insert into notes (id) values ($1)"
_COUNT = "select count(*) from notes"
# Longer than a read may wait for the standby, with the time that a busy machine adds.
_SLOWEST_S = 5.0


@dataclass(frozen=True)
class Read:
    """A database with a replica, and where its last reads ran."""

    pair: ServerPair
    database: Database

    async def write(self) -> None:
        await self.database.single(lambda tx: tx.execute(_INSERT, uuid4()))

    async def count(self) -> int:
        return await self.database.read_on_replica(lambda tx: tx.fetchval(_COUNT))


@contextmanager
def counted() -> Generator[Callable[[str], int]]:
    """Count the reads since, by the server that ran them."""
    before = {by: _reads(by) for by in ("replica", "primary")}
    yield lambda by: _reads(by) - before[by]


def _reads(by: str) -> int:
    return int(REGISTRY.get_sample_value("landbridge_replica_reads_total", {"by": by}) or 0)


@pytest.fixture(scope="module")
def pair() -> Generator[ServerPair]:
    with replicated() as servers:
        servers.primary.query("create table notes (id uuid primary key)")
        yield servers


@pytest.fixture
async def reads(pair: ServerPair, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Read]:
    monkeypatch.setattr(replica, "_PAUSE_S", 0.2)
    pair.primary.query("truncate notes")
    database = await _connect(pair, pair.standby.dsn)
    yield Read(pair, database)
    await database.close()


async def _connect(pair: ServerPair, read_dsn: str) -> Database:
    copy = await Replica.open(read_dsn, name="tests", size_max=4)
    return await Database.connect(pair.primary.dsn, name="tests", size_max=4, replica=copy)


async def test_a_read_on_the_replica_sees_all_that_was_written(reads: Read) -> None:
    with counted() as count:
        for number in range(1, _WRITES + 1):
            await reads.write()
            assert await reads.count() == number
    # A busy machine may be late with some.
    assert count("replica") > _WRITES / 2


async def test_a_late_replica_is_not_read_until_it_has_caught_up(reads: Read) -> None:
    standby = reads.pair.standby
    assert await reads.count() == 0
    standby.query("select pg_wal_replay_pause()")
    try:
        with counted() as count:
            await reads.write()
            assert await reads.count() == 1
            assert await reads.count() == 1
            assert (count("replica"), count("primary")) == (0, 2)
    finally:
        standby.query("select pg_wal_replay_resume()")
    await _until_replica_is_read(reads)
    assert await reads.count() == 1


async def test_a_killed_replica_is_replaced_by_the_primary_and_used_again(reads: Read) -> None:
    assert await reads.count() == 0
    standby = reads.pair.standby
    # Commits wait for the only standby otherwise.
    reads.pair.primary.query("alter system set synchronous_standby_names = ''")
    reads.pair.primary.query("select pg_reload_conf()")
    standby.kill()
    try:
        await reads.write()
        with counted() as count:
            assert await reads.count() == 1
            assert count("primary") == 1
    finally:
        standby.start({"primary_conninfo": reads.pair.conninfo})
    await _until_replica_is_read(reads)
    assert await reads.count() == 1


async def test_a_replica_that_answers_nothing_delays_a_read_by_a_moment(reads: Read) -> None:
    assert await reads.count() == 0
    reads.pair.standby.freeze()
    try:
        began = time.monotonic()
        assert await reads.count() == 0
        assert time.monotonic() - began < _SLOWEST_S
    finally:
        reads.pair.standby.thaw()
    await _until_replica_is_read(reads)


async def test_a_read_that_replaying_interrupts_runs_on_the_primary(reads: Read) -> None:
    standby, primary = reads.pair.standby, reads.pair.primary
    standby.query("alter system set max_standby_streaming_delay = 0")
    standby.query("select pg_reload_conf()")
    await reads.write()

    async def slow(tx: Tx) -> int:
        async with tx.transaction():
            await tx.execute("set transaction isolation level repeatable read")
            count = await tx.fetchval(_COUNT)
            if await tx.fetchval("select pg_is_in_recovery()"):
                await asyncio.to_thread(primary.query, "truncate notes")
            await tx.fetchval("select pg_sleep(0.5)")
            return count

    with counted() as count:
        await reads.database.read_on_replica(slow)
        assert (count("replica"), count("primary")) == (0, 1)


async def test_a_server_that_is_no_copy_is_never_read(pair: ServerPair, own_dsn: str) -> None:
    database = await _connect(pair, own_dsn)
    with counted() as count:
        await database.read_on_replica(lambda tx: tx.fetchval(_COUNT))
        assert (count("replica"), count("primary")) == (0, 1)
    await database.close()


async def test_lists_of_the_api_have_what_was_just_created(pair: ServerPair) -> None:
    database = await Database.connect(pair.primary.dsn, name="tests", size_max=2)
    await migrate(database)
    await database.close()
    settings: Settings = msgspec.structs.replace(
        SETTINGS, database_url=pair.primary.dsn, read_database_url=pair.standby.dsn
    )
    with counted() as count:
        async with (
            open_container(settings, pair.primary.dsn, name="tests") as container,
            served(container) as client,
        ):
            org = await make_tenant(container, client)
            user = await make_user(org, funds="100")
            other = await make_user(org)
            for _ in range(10):
                swap = await make_swap(org, user)
                transfer = await make_transfer(org, user, other)
                for path, name, created in (
                    (SWAPS, "data", swap),
                    (TRANSFERS, "records", transfer),
                ):
                    (newest,) = (await org.get(path, limit=1))[name]
                    assert newest["transferDetails"]["id"] == created["id"]
            await org.post("/v2/reporting/metrics/preview", _metric())
    assert count("replica") > 0


def test_the_ledger_is_audited_on_the_replica(pair: ServerPair, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "database_url": pair.primary.dsn,
        "read_database_url": pair.standby.dsn,
    }
    assert landbridge("migrate", folder=tmp_path, **settings).returncode == 0
    audited = landbridge("check", "--replica", folder=tmp_path, **settings)
    assert audited.returncode == 0, audited.stderr
    del settings["read_database_url"]
    refused = landbridge("check", "--replica", folder=tmp_path, **settings)
    assert "needs LANDBRIDGE_READ_DATABASE_URL" in refused.stderr


def _metric() -> dict[str, Any]:
    params = {
        "createdAfter": "2026-01-01",
        "createdBefore": "2026-02-01",
        "calculationInterval": "month",
    }
    return {"template": "TRANSACTION_COUNT", "params": params}


async def _until_replica_is_read(reads: Read) -> None:
    async with asyncio.timeout(60):
        with counted() as count:
            while not count("replica"):
                await asyncio.sleep(0.05)
                await reads.count()
