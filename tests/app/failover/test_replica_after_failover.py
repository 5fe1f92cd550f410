"""A replica that has not followed a failover: it has what the new primary never had."""

import asyncio
from collections.abc import Generator

import pytest

from landbridge.platform.db import replica
from landbridge.platform.db.pool import Database, ReplicaUnavailable
from landbridge.platform.db.replica import Replica
from tests.app.failover.server_pair import (
    PATIENCE_S,
    PostgresServer,
    ServerPair,
    conninfo_of,
    copy_data,
    hand_file,
    replicated,
)
from tests.app.processes.server_process import free_port

pytestmark = pytest.mark.long

_COUNT = "select count(*) from notes"


@pytest.fixture
def failed_over() -> Generator[ServerPair]:
    """A promoted standby, and a stopped primary with commits that the standby never had."""
    with replicated() as pair:
        pair.primary.query("create table notes (id int primary key)")
        pair.primary.query("alter system set synchronous_standby_names = ''")
        pair.primary.query("select pg_reload_conf()")
        pair.standby.kill()
        pair.primary.query("insert into notes select generate_series(1, 500)")
        # The log of the old primary is far ahead then.
        pair.primary.query("select pg_switch_wal()")
        pair.primary.query("insert into notes values (501)")
        pair.primary.kill()
        pair.standby.start({"primary_conninfo": pair.conninfo})
        pair.standby.promote()
        yield pair


@pytest.mark.parametrize("is_standby", [True, False])
async def test_a_server_that_has_not_followed_the_new_primary_is_not_read(
    failed_over: ServerPair, *, is_standby: bool
) -> None:
    old = failed_over.primary
    if is_standby:
        hand_file(old, "standby.signal")
    old.start()
    copy = await Replica.open(old.dsn, name="tests", size_max=2)
    database = await Database.connect(
        failed_over.standby.dsn, name="tests", size_max=2, replica=copy
    )
    try:
        await database.single(lambda tx: tx.execute("insert into notes values (1000)"))
        assert await database.read_on_replica(lambda tx: tx.fetchval(_COUNT)) == 1
    finally:
        await database.close()


async def test_a_replica_that_has_followed_the_new_primary_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica, "_PAUSE_S", 0.0)
    with replicated() as pair:
        third = PostgresServer(pair.standby.data.with_name("third"), free_port(), pair.standby.by)
        pair.primary.query("create table notes (id int primary key)")
        copy_data(pair.primary, third.data)
        hand_file(third, "standby.signal")
        third.start({"primary_conninfo": conninfo_of(pair.standby)})
        try:
            pair.primary.kill()
            pair.standby.promote()
            copy = await Replica.open(third.dsn, name="tests", size_max=2)
            database = await Database.connect(
                pair.standby.dsn, name="tests", size_max=2, replica=copy
            )
            await database.single(lambda tx: tx.execute("insert into notes values (1)"))
            assert await _read(database, copy, pair.standby, third) == 1
            await database.close()
        finally:
            third.stop()


async def _read(
    database: Database, copy: Replica, primary: PostgresServer, standby: PostgresServer
) -> int:
    """Count on the replica, once it has a restartpoint in the log of the new primary."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            for each in (primary, standby):
                each.query("checkpoint")
            try:
                return await copy.read(database, lambda tx: tx.fetchval(_COUNT))
            except ReplicaUnavailable:
                await asyncio.sleep(0.1)
