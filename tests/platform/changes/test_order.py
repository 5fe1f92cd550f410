"""Order of the change log: by commit, per object, and nothing behind what was read."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

import pytest

from landbridge.ledger.service import Ledger
from landbridge.platform.changes import service as log
from landbridge.platform.changes.model import START, Change, LogPosition
from landbridge.platform.changes.service import append_change, append_next_change
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.change_log import placed
from tests.make import TRANSITIONS, Status

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make.make_org(database)


@asynccontextmanager
async def under_way(database: Database) -> AsyncGenerator[Tx]:
    """Yield a transaction with an assigned id; commit it when the block ends."""
    started: asyncio.Future[Tx] = asyncio.get_running_loop().create_future()
    is_over = asyncio.Event()

    async def work(tx: Tx) -> None:
        await tx.fetchval("select pg_current_xact_id()")
        started.set_result(tx)
        await is_over.wait()

    task = asyncio.create_task(database.transact(work))
    try:
        yield await started
    finally:
        is_over.set()
        await task


async def append(tx: Tx, org_id: UUID, object_id: UUID, seq: int, *, at: datetime = AT) -> None:
    """Append a change of an object that numbers its changes."""
    await append_change(
        tx,
        org_id=org_id,
        object_id=object_id,
        seq=seq,
        kind="THING",
        change_type="set",
        actor="t",
        at=at,
    )


async def append_next(tx: Tx, org_id: UUID, object_id: UUID) -> None:
    """Append a change of an object that does not number its changes."""
    await append_next_change(
        tx, org_id=org_id, object_id=object_id, kind="THING", change_type="set", actor="t", at=AT
    )


async def read(database: Database, org_id: UUID, after: LogPosition = START) -> Sequence[Change]:
    return await database.single(lambda tx: log.read(tx, org_id, after, limit=1000))


async def read_back(database: Database, org_id: UUID) -> Sequence[Change]:
    end = await database.single(log.end_of_log)
    return await database.single(lambda tx: log.read_back(tx, org_id, end, limit=1000))


def keys(changes: Sequence[Change]) -> list[tuple[UUID, int]]:
    return [(each.object_id, each.seq) for each in changes]


async def test_late_commit_is_not_skipped(database: Database, org_id: UUID) -> None:
    late, early = new_id(), new_id()
    async with under_way(database) as tx:
        await append(tx, org_id, late, 1)
        await database.transact(lambda tx: append(tx, org_id, early, 1))
        # A committed change waits for transactions that began before it.
        assert await read(database, org_id) == []
        assert await read_back(database, org_id) == []
        end = await database.single(log.end_of_log)
    await placed(database)
    assert keys(await read(database, org_id)) == [(late, 1), (early, 1)]
    assert keys(await read_back(database, org_id)) == [(early, 1), (late, 1)]
    # The late change is also after an end of the log that was read before its commit.
    assert keys(await read(database, org_id, end)) == [(late, 1), (early, 1)]


async def test_rollback_does_not_delay_readers(database: Database, org_id: UUID) -> None:
    removed, there = new_id(), new_id()

    class Undone(Exception):
        """Ends a transaction."""

    async def work(tx: Tx) -> None:
        await append(tx, org_id, removed, 1)
        await database.transact(lambda tx: append(tx, org_id, there, 1))
        assert await read(database, org_id) == []
        raise Undone

    with pytest.raises(Undone):
        await database.transact(work)
    await placed(database)
    assert keys(await read(database, org_id)) == [(there, 1)]


@pytest.mark.parametrize("way", ["tell", "tell_next"])
async def test_transaction_that_began_first_and_changes_an_object_last(
    database: Database, org_id: UUID, way: str
) -> None:
    object_id = new_id()

    async def change(tx: Tx, seq: int) -> None:
        if way == "tell":
            await append(tx, org_id, object_id, seq)
        else:
            await append_next(tx, org_id, object_id)

    await database.transact(lambda tx: change(tx, 1))
    async with under_way(database) as first:
        await database.transact(lambda tx: change(tx, 2))
        await change(first, 3)
    await placed(database)
    changes = await read(database, org_id)
    assert keys(changes) == [(object_id, 1), (object_id, 2), (object_id, 3)]
    assert [each.position for each in changes] == sorted(each.position for each in changes)
    assert changes[2].tx == changes[1].tx
    assert keys(await read_back(database, org_id)) == [
        (object_id, 3),
        (object_id, 2),
        (object_id, 1),
    ]
    # A reader that has read the second one continues with the third.
    assert keys(await read(database, org_id, changes[1].position)) == [(object_id, 3)]


async def test_transaction_that_began_first_and_advances_a_record_last(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    async with under_way(database) as first:
        request = make.opening(org_id, Status.OPEN, units=5, account_id=account_id)
        record = make.opened(await ledger.create(request, TRANSITIONS))
        record = make.moved(await ledger.advance(make.move(record, Status.HELD), TRANSITIONS))
        outcome = await ledger.advance_in(first, make.move(record, Status.SETTLED), TRANSITIONS)
        make.moved(outcome)
    await placed(database)
    changes = [each for each in await read(database, org_id) if each.object_id == record.id]
    assert [each.status_after for each in changes] == ["OPEN", "HELD", "SETTLED"]
    assert changes[2].tx == changes[1].tx


async def test_transactions_are_ordered_numerically(database: Database, org_id: UUID) -> None:
    numbers = (9, 10, 99, 100, 101)
    object_ids = [new_id() for _ in numbers]
    await database.rows(
        "insert into changes (org_id, object_id, seq, kind, change_type, actor, occurred_at,"
        " is_settled, tx)"
        " select $1, t.id, 1, 'THING', 'set', 't', $2, true, t.tx::text::xid8"
        " from unnest($3::uuid[], $4::integer[]) as t (id, tx)",
        *(org_id, AT, object_ids, numbers),
    )
    assert [each.tx for each in await read(database, org_id)] == [*numbers]
    assert [each.tx for each in await read_back(database, org_id)] == [*reversed(numbers)]
    assert keys(await read(database, org_id, LogPosition(10, object_ids[1], 1))) == [
        (each, 1) for each in object_ids[2:]
    ]


async def test_positions_before_and_after_a_moment(database: Database, org_id: UUID) -> None:
    object_ids = [new_id() for _ in range(4)]
    # Stamped in one order, committed in another, as close together as it happens.
    moments = ((0, 0), (5, 1), (5, 0), (20, 0))
    for object_id, (minute, second) in zip(object_ids, moments, strict=True):
        at = AT + timedelta(minutes=minute, seconds=second)
        await database.transact(
            lambda tx, object_id=object_id, at=at: append(tx, org_id, object_id, 1, at=at)
        )
    await placed(database)

    async def since(at: datetime) -> list[UUID]:
        position = await database.single(lambda tx: log.position_before(tx, org_id, at))
        return [each.object_id for each in await read(database, org_id, position)]

    async def until(at: datetime) -> list[UUID]:
        position = await database.single(lambda tx: log.position_after(tx, org_id, at))
        found = await database.single(lambda tx: log.read_back(tx, org_id, position, limit=9))
        return [each.object_id for each in found][::-1]

    assert await since(AT - timedelta(days=1)) == object_ids
    assert await since(AT) == object_ids
    assert await since(AT + timedelta(minutes=1)) == object_ids[1:]
    # The third has this timestamp; the second has a later one, and was committed before it.
    assert await since(AT + timedelta(minutes=5)) == object_ids[1:]
    assert await since(AT + timedelta(minutes=5, seconds=1)) == object_ids[1:]
    assert await since(AT + timedelta(minutes=19)) == object_ids[3:]
    assert await since(AT + timedelta(minutes=21)) == []
    assert await until(AT) == []
    assert await until(AT + timedelta(minutes=1)) == object_ids[:1]
    assert await until(AT + timedelta(minutes=5, seconds=1)) == object_ids[:3]
    assert await until(AT + timedelta(minutes=20)) == object_ids[:3]
    assert await until(AT + timedelta(days=1)) == object_ids


async def test_position_before_a_moment_precedes_open_transactions(
    database: Database, org_id: UUID
) -> None:
    late, early = new_id(), new_id()
    async with under_way(database) as tx:
        await database.transact(lambda tx: append(tx, org_id, early, 1))
        position = await database.single(lambda tx: log.position_before(tx, org_id, AT))
        await append(tx, org_id, late, 1)
    await placed(database)
    assert keys(await read(database, org_id, position)) == [(late, 1), (early, 1)]


async def test_the_changes_of_one_object(database: Database, org_id: UUID) -> None:
    object_id, other = new_id(), new_id()
    for seq in (1, 2, 3):
        await database.transact(lambda tx, seq=seq: append(tx, org_id, object_id, seq))
        await database.transact(lambda tx, seq=seq: append(tx, org_id, other, seq))
    await placed(database)
    changes = await database.single(
        lambda tx: log.read_object(tx, org_id, object_id, START, limit=2)
    )
    assert keys(changes) == [(object_id, 1), (object_id, 2)]
    rest = await database.single(
        lambda tx: log.read_object(tx, org_id, object_id, changes[-1].position, limit=2)
    )
    assert keys(rest) == [(object_id, 3)]
    before = await database.single(
        lambda tx: log.read_object_back(tx, org_id, object_id, rest[0].position, limit=9)
    )
    assert keys(before) == [(object_id, 2), (object_id, 1)]
    outsider = await make.make_org(database)
    assert not await database.single(
        lambda tx: log.read_object(tx, outsider, object_id, START, limit=2)
    )
    async with under_way(database) as tx:
        await append(tx, org_id, object_id, 4)
        found = await database.single(
            lambda tx: log.read_object(tx, org_id, object_id, START, limit=9)
        )
        assert len(found) == 3


@pytest.mark.parametrize("seed", range(3))
async def test_reader_misses_nothing_under_concurrent_writes(
    database: Database, org_id: UUID, seed: int
) -> None:
    """Writers take their objects in any order and are slow at any point; a reader follows."""
    random = Random(seed)  # noqa: S311  no secret
    object_ids = [new_id() for _ in range(5)]
    is_over = asyncio.Event()

    def writer() -> Callable[[], Awaitable[None]]:
        steps = [(random.choice(object_ids), random.random() / 200) for _ in range(3)]

        async def write(tx: Tx) -> None:
            await tx.fetchval("select pg_current_xact_id()")
            # One lock per object, acquired in a fixed order, like our own row locks.
            for object_id in sorted({object_id for object_id, _ in steps}):
                lock = object_id.int % (1 << 31)
                await tx.execute("select pg_advisory_xact_lock($1)", lock)
            for object_id, pause_s in steps:
                await asyncio.sleep(pause_s)
                await append_next(tx, org_id, object_id)

        return lambda: database.transact(write)

    async def follow() -> list[Change]:
        read_changes: list[Change] = []
        while True:
            was_over = is_over.is_set()
            found = await read(
                database, org_id, read_changes[-1].position if read_changes else START
            )
            read_changes += found
            if was_over and not found:
                return read_changes

    following = asyncio.create_task(follow())
    writers = [writer() for _ in range(60)]
    at_once = asyncio.Semaphore(8)

    async def run(write: Callable[[], Awaitable[None]]) -> None:
        async with at_once:
            await write()

    await asyncio.gather(*(run(each) for each in writers))
    await placed(database)
    is_over.set()
    read_changes = await following
    assert len(read_changes) == 60 * 3
    assert [each.position for each in read_changes] == sorted(
        each.position for each in read_changes
    )
    for object_id in object_ids:
        numbers = [each.seq for each in read_changes if each.object_id == object_id]
        assert numbers == list(range(1, len(numbers) + 1))
    assert keys(await read_back(database, org_id)) == keys(read_changes)[::-1]
