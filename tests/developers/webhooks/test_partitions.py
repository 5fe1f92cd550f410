"""Daily partitions of deliveries: created and dropped in time, without blocking."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import asyncpg
import pytest

from landbridge.developers.webhooks.delivery.partitions import Partitions
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.session_settings import LOCK_TIMEOUT_MS
from tests.waiting import holding

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TODAY = NOON.date()
KEPT = timedelta(days=30)
DAY = timedelta(days=1)

ADD = """
insert into webhook_deliveries (
    org_id, id, day, endpoint_id, round, place, object_id, seq, part, event_type, event_at, status,
    deadline_at, attempt_count, attempts, created_at, updated_at
)
values ($1, $1, $2, $1, 1, '1', $1, 1, 0, 'USER.CREATE', $3, 'DELIVERED', $3, 1, '[]', $3, $3)
"""
HALF_DETACHED = "select 1 from pg_inherits where inhdetachpending"
# Longer than the lock timeout, after which a waiter fails.
_UNLOCKED_S = LOCK_TIMEOUT_MS / 1000 - 1
_PATIENCE_S = 60
ORPHANS = r"""
select relname from pg_class
where relname ~ '^webhook_deliveries_\d+$' and relkind = 'r' and not relispartition
"""


def partitions(database: Database, at: datetime = NOON) -> tuple[Partitions, FrozenClock]:
    clock = FrozenClock(at)
    return Partitions(database=database, clock=clock, retention=KEPT), clock


async def days(database: Database) -> list[date]:
    rows = await database.rows(
        "select inhrelid::regclass::text as name from pg_inherits"
        " where inhparent = 'webhook_deliveries'::regclass order by 1"
    )
    return [date.fromisoformat(row["name"].removeprefix("webhook_deliveries_")) for row in rows]


async def add(tx: Tx, day: date) -> None:
    await tx.execute(ADD, new_id(), day, NOON)


def ahead(day: date) -> Sequence[date]:
    return [day, day + DAY, day + 2 * DAY]


async def test_today_and_two_more_days_are_made_once(own_database: Database) -> None:
    partitions_, clock = partitions(own_database)
    await partitions_.maintain()
    await partitions_.maintain()
    assert await days(own_database) == ahead(TODAY)
    clock.at += DAY
    await partitions_.maintain()
    assert await days(own_database) == [TODAY, *ahead(TODAY + DAY)]
    for day in await days(own_database):
        await own_database.transact(lambda tx, day=day: add(tx, day))
    with pytest.raises(asyncpg.CheckViolationError):
        await own_database.transact(lambda tx: add(tx, TODAY - DAY))


async def test_workers_create_only_todays_partition(own_database: Database) -> None:
    """A partition that can't be attached ahead stops no delivery today."""
    partitions_, clock = partitions(own_database)
    await partitions_.create()
    assert await days(own_database) == [TODAY]
    await partitions_.maintain()
    assert await days(own_database) == ahead(TODAY)
    clock.at += DAY
    lock = "lock table webhook_deliveries in share update exclusive mode"
    async with holding(own_database, lock), asyncio.timeout(_UNLOCKED_S):
        await partitions_.create()


async def test_a_day_has_the_rates_of_the_table(own_database: Database) -> None:
    partitions_, _ = partitions(own_database)
    await partitions_.maintain()
    rows = await own_database.rows(
        """
        select c.relname::text as name,
            (select count(*) from pg_index i where i.indrelid = c.oid) as indexes,
            (select count(*) from pg_index i
            join pg_inherits h on h.inhrelid = i.indexrelid where i.indrelid = c.oid) as attached,
            (select count(*) from pg_constraint k
            where k.conrelid = c.oid and k.contype = 'c') as checks
        from pg_class c where c.relname ~ '^webhook_deliveries(_[0-9]+)?$' order by 1
        """
    )
    whole = rows[0]
    assert [row["name"] for row in rows[1:]] == [
        f"webhook_deliveries_{day:%Y%m%d}" for day in ahead(TODAY)
    ]
    for row in rows[1:]:
        assert row["indexes"] == row["attached"] == whole["indexes"]
        assert row["checks"] == whole["checks"]


@pytest.mark.one_commit(reason="the round after the lost answer drops the table")
async def test_partitions_past_their_retention_are_dropped(own_database: Database) -> None:
    partitions_, clock = partitions(own_database)
    await partitions_.maintain()
    await own_database.transact(lambda tx: add(tx, TODAY))
    clock.at += KEPT + 2 * DAY
    await partitions_.maintain()
    assert (await days(own_database))[0] == TODAY
    clock.at += DAY
    await partitions_.maintain()
    assert await days(own_database) == [
        TODAY + DAY,
        TODAY + 2 * DAY,
        clock.at.date() - DAY,
        *_last(clock),
    ]
    assert not await own_database.rows("select id from webhook_deliveries where day = $1", TODAY)
    assert not await own_database.rows(ORPHANS)


async def test_any_number_of_workers_keep_days_at_once(own_dsn: str) -> None:
    databases = [
        await Database.connect(own_dsn, name=f"worker {index}", size_max=2) for index in range(4)
    ]
    for round_ in range(6):
        at = NOON + round_ * (KEPT + 6 * DAY)
        workers = [partitions(each, at)[0] for each in databases]
        await asyncio.gather(*(each.maintain() for each in workers))
        # The second worker may have left the dropping to the first.
        await workers[0].maintain()
        assert await days(databases[0]) == ahead(at.date())
        assert not await databases[0].rows(ORPHANS)
    for each in databases:
        await each.close()


async def test_partition_changes_block_no_statement(own_database: Database) -> None:
    """An open transaction neither delays a new day nor is delayed by it."""
    partitions_, clock = partitions(own_database)
    await partitions_.maintain()
    began, go = asyncio.Event(), asyncio.Event()

    async def slow(tx: Tx) -> None:
        await add(tx, TODAY + DAY)
        began.set()
        await go.wait()
        await add(tx, TODAY + DAY)

    writing = asyncio.create_task(own_database.transact(slow))
    await began.wait()
    clock.at += DAY
    async with asyncio.timeout(_UNLOCKED_S):
        await partitions_.maintain()
    # Dropping waits for it, and blocks no other statement meanwhile.
    clock.at += KEPT + 2 * DAY
    dropping = asyncio.create_task(partitions_.drop())
    await asyncio.sleep(0.2)
    assert not dropping.done()
    async with asyncio.timeout(_UNLOCKED_S):
        await own_database.transact(lambda tx: add(tx, TODAY + DAY))
        await own_database.rows("select id from webhook_deliveries where org_id = $1", new_id())
    go.set()
    await writing
    await dropping
    assert await days(own_database) == [*ahead(TODAY + DAY)]


@pytest.mark.one_commit(reason="the round after the lost answer drops the table")
async def test_a_half_dropped_partition_is_dropped_next_time(own_database: Database) -> None:
    partitions_, clock = partitions(own_database)
    await partitions_.maintain()
    clock.at += DAY
    await partitions_.maintain()
    # Killed between the two, and within the first.
    first, second = (f"webhook_deliveries_{TODAY + index * DAY:%Y%m%d}" for index in range(2))
    await own_database.single(
        lambda tx: tx.execute(
            f"alter table webhook_deliveries detach partition {first} concurrently"
        )
    )
    await leave_half_detached(own_database, second)
    clock.at += KEPT + 5 * DAY
    await partitions_.maintain()
    assert await days(own_database) == _last(clock)
    assert not await own_database.rows(ORPHANS)


async def leave_half_detached(database: Database, name: str) -> None:
    """End a worker's statement while it waits for another transaction."""
    began, go = asyncio.Event(), asyncio.Event()
    worker: list[int] = []

    async def hold(tx: Tx) -> None:
        await tx.fetch("select id from webhook_deliveries where org_id = $1", new_id())
        began.set()
        await go.wait()

    async def detach(tx: Tx) -> None:
        worker.append(await tx.fetchval("select pg_backend_pid()"))
        await tx.execute(f"alter table webhook_deliveries detach partition {name} concurrently")

    holding = asyncio.create_task(database.transact(hold))
    await began.wait()
    detaching = asyncio.create_task(database.single(detach))
    async with asyncio.timeout(_PATIENCE_S):
        while not await database.rows(HALF_DETACHED):  # noqa: ASYNC110  the server rings no bell
            await asyncio.sleep(0.01)
    await database.rows("select pg_cancel_backend($1)", worker[-1])
    with pytest.raises(Exception, match="took too long"):
        await detaching
    go.set()
    await holding
    assert len(await database.rows(HALF_DETACHED)) == 1


def _last(clock: FrozenClock) -> Sequence[date]:
    return ahead(clock.at.date())
