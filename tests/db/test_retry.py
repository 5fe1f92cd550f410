import asyncio

import asyncpg
import pytest

from landbridge.core.errors import Busy
from landbridge.core.ids import new_id
from landbridge.db import retry
from landbridge.db.pool import Database, Tx
from landbridge.db.retry import retrying


class Flaky:
    """Fails with each of `errors` in turn, then answers how often it was asked."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.asked = 0

    async def __call__(self) -> int:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.asked


AGAIN = [
    asyncpg.SerializationError("x"),
    asyncpg.DeadlockDetectedError("x"),
    asyncpg.ConnectionDoesNotExistError("x"),
    asyncpg.InternalClientError("cannot switch to state 15"),
    asyncpg.AdminShutdownError("x"),
    asyncpg.CrashShutdownError("x"),
    asyncpg.CannotConnectNowError("x"),
    asyncpg.TooManyConnectionsError("x"),
    asyncpg.InterfaceError("connection is closed"),
    ConnectionResetError(),
]


@pytest.mark.parametrize("error", AGAIN, ids=lambda error: type(error).__name__)
async def test_a_lost_race_or_connection_is_tried_again(error: Exception) -> None:
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
async def test_what_ran_out_of_time_or_room_is_busy_at_once(error: Exception) -> None:
    work = Flaky(error)
    with pytest.raises(Busy):
        await retrying(work)
    assert work.asked == 1


async def test_a_call_that_the_driver_cannot_make_sense_of_is_a_bug() -> None:
    work = Flaky(asyncpg.InterfaceError("the server expects 2 arguments for this query"))
    with pytest.raises(asyncpg.InterfaceError):
        await retrying(work)
    assert work.asked == 1


async def test_it_ends_busy_after_six_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Flaky(*(asyncpg.SerializationError("x") for _ in range(50)))
    with pytest.raises(Busy, match="SerializationError"):
        await retrying(work)
    assert work.asked == retry.ATTEMPTS == 6


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
async def test_any_other_error_is_raised_at_once(error: BaseException) -> None:
    work = Flaky(error)
    with pytest.raises(type(error)):
        await retrying(work)
    assert work.asked == 1


async def test_a_transaction_whose_server_process_dies_is_done_once(database: Database) -> None:
    org_id = new_id()
    asked = 0

    async def work(tx: Tx) -> None:
        nonlocal asked
        asked += 1
        await tx.execute("insert into orgs values ($1, 'x', '0', now())", org_id)
        if asked == 1:
            pid = await tx.fetchval("select pg_backend_pid()")
            await database.rows("select pg_terminate_backend($1)", pid)

    await database.transact(work)
    assert asked == 2
    rows = await database.rows("select count(*) as count from orgs where id = $1", org_id)
    assert rows[0]["count"] == 1


async def test_a_deadlock_is_resolved_by_doing_one_side_again(database: Database) -> None:
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
