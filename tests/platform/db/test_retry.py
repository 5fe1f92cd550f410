import asyncio

import asyncpg
import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, ReadOnlyServer
from landbridge.platform.core.ids import new_id
from landbridge.platform.db import retry
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.retry import retrying
from landbridge.platform.orgs.clock_nodes import take_node
from tests.tenants import SETTINGS, served


class Flaky:
    """Transaction body that raises each of `errors` in turn, then returns its attempts."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.attempts = 0

    async def __call__(self) -> int:
        self.attempts += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.attempts


AGAIN = [
    asyncpg.SerializationError("x"),
    asyncpg.DeadlockDetectedError("x"),
    asyncpg.ConnectionDoesNotExistError("x"),
    asyncpg.InternalClientError("cannot switch to state 15"),
    asyncpg.AdminShutdownError("x"),
    asyncpg.CrashShutdownError("x"),
    asyncpg.IdleSessionTimeoutError("x"),
    asyncpg.CannotConnectNowError("x"),
    asyncpg.TooManyConnectionsError("x"),
    asyncpg.InterfaceError("connection is closed"),
    ConnectionResetError(),
]


@pytest.mark.parametrize("error", AGAIN, ids=lambda error: type(error).__name__)
async def test_lost_race_or_connection_is_retried(error: Exception) -> None:
    assert await retrying(Flaky(error, error)) == 3


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError(),
        asyncpg.QueryCanceledError("x"),
        asyncpg.LockNotAvailableError("x"),
        asyncpg.DiskFullError("x"),
        asyncpg.OutOfMemoryError("x"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_exhausted_time_or_space_is_busy_at_once(error: Exception) -> None:
    work = Flaky(error)
    with pytest.raises(Busy):
        await retrying(work)
    assert work.attempts == 1


async def test_call_that_the_driver_rejects_is_a_bug() -> None:
    work = Flaky(asyncpg.InterfaceError("the server expects 2 arguments for this query"))
    with pytest.raises(asyncpg.InterfaceError):
        await retrying(work)
    assert work.attempts == 1


async def test_transaction_is_busy_after_six_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Flaky(*(asyncpg.SerializationError("x") for _ in range(50)))
    with pytest.raises(Busy, match="SerializationError"):
        await retrying(work)
    assert work.attempts == retry.ATTEMPTS == 6


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.UniqueViolationError("x"),
        asyncpg.CheckViolationError("x"),
        asyncpg.UndefinedTableError("x"),
        ValueError("x"),
        asyncio.CancelledError(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_other_errors_are_raised_at_once(error: BaseException) -> None:
    work = Flaky(error)
    with pytest.raises(type(error)):
        await retrying(work)
    assert work.attempts == 1


async def test_transaction_whose_backend_dies_is_done_once(database: Database) -> None:
    org_id = new_id()
    attempts = 0

    async def work(tx: Tx) -> None:
        nonlocal attempts
        attempts += 1
        await tx.execute("insert into orgs values ($1, 'x', '0', now())", org_id)
        if attempts == 1:
            pid = await tx.fetchval("select pg_backend_pid()")
            await database.rows("select pg_terminate_backend($1)", pid)

    await database.transact(work)
    assert attempts == 2
    rows = await database.rows("select count(*) as count from orgs where id = $1", org_id)
    assert rows[0]["count"] == 1


async def test_deadlock_is_resolved_by_repeating_one_side(database: Database) -> None:
    one, other = new_id(), new_id()
    for org_id in (one, other):
        await database.rows("insert into orgs values ($1, 'x', '0', now())", org_id)
    both_hold_one = asyncio.Barrier(2)
    first_time = {one, other}

    async def touch(first: object, second: object) -> None:
        async def work(tx: Tx) -> None:
            rename = "update orgs set name = name || 'y' where id = $1"
            await tx.execute(rename, first)
            if first in first_time:
                first_time.discard(first)
                await both_hold_one.wait()
            await tx.execute(rename, second)

        await database.transact(work)

    await asyncio.gather(touch(one, other), touch(other, one))
    rows = await database.rows("select name from orgs where id = any($1::uuid[])", [one, other])
    assert [row["name"] for row in rows] == ["xyy", "xyy"]


async def test_connections_to_a_server_that_only_reads_are_replaced(own_dsn: str) -> None:
    operator = await Database.connect(own_dsn, name="operator", size_max=1)
    await operator.rows("create table written_to (id int primary key)")
    name = (await operator.rows("select current_database() as name"))[0]["name"]
    # For sessions from here on, as at a primary that has become a standby.
    await operator.rows(f"alter database {name} set default_transaction_read_only = on")
    database = await Database.connect(own_dsn, name="tests", size_max=1)

    async def write(tx: Tx) -> None:
        await tx.execute("insert into written_to (id) values (1)")

    with pytest.raises(ReadOnlyServer):
        await database.transact(write)
    assert not await database.is_writable()
    # The present session of `database` would refuse for ever.
    await operator.rows(f"alter database {name} set default_transaction_read_only = off")
    await database.transact(write)
    assert await database.is_writable()
    assert len(await operator.rows("select id from written_to")) == 1
    await database.close()
    await operator.close()


async def test_server_that_only_reads_is_not_ready(own_dsn: str) -> None:
    database = await Database.connect(own_dsn, name="tests", size_max=1)
    async with served(wire(SETTINGS, database, Clock(await take_node(database)))) as client:
        assert (await client.get("/readyz")).status_code == 200
        await database.rows("set default_transaction_read_only = on")
        answer = await client.get("/readyz")
        assert answer.status_code == 503
        assert "standby" in answer.json()["reason"]
        # The session that could not write was replaced.
        assert (await client.get("/readyz")).status_code == 200
    await database.close()
