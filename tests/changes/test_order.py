"""The order of the log: by commit, object by object, and nothing behind what was read."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

import pytest

from landbridge.changes import service as log
from landbridge.changes.model import START, Change, Place
from landbridge.changes.service import tell, tell_next
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.ledger.service import Ledger
from tests import make
from tests.make import MOVES, Status
from tests.settled import settled

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make.make_org(database)


@asynccontextmanager
async def under_way(database: Database) -> AsyncGenerator[Tx]:
    """A transaction that has a number of its own, and is committed when the block ends."""
    begun: asyncio.Future[Tx] = asyncio.get_running_loop().create_future()
    is_over = asyncio.Event()

    async def work(tx: Tx) -> None:
        await tx.fetchval("select pg_current_xact_id()")
        begun.set_result(tx)
        await is_over.wait()

    task = asyncio.create_task(database.transact(work))
    try:
        yield await begun
    finally:
        is_over.set()
        await task


async def told(tx: Tx, org_id: UUID, object_id: UUID, seq: int, *, at: datetime = AT) -> None:
    """A change of an object that counts its changes."""
    await tell(
        tx, org_id=org_id, object_id=object_id, seq=seq, kind="THING", what="set", actor="t", at=at
    )


async def told_next(tx: Tx, org_id: UUID, object_id: UUID) -> None:
    """A change of an object that does not."""
    await tell_next(
        tx, org_id=org_id, object_id=object_id, kind="THING", what="set", actor="t", at=AT
    )


async def read(database: Database, org_id: UUID, after: Place = START) -> Sequence[Change]:
    return await database.single(lambda tx: log.read(tx, org_id, after, limit=1000))


async def read_back(database: Database, org_id: UUID) -> Sequence[Change]:
    end = await database.single(log.end_of_log)
    return await database.single(lambda tx: log.read_back(tx, org_id, end, limit=1000))


def keys(changes: Sequence[Change]) -> list[tuple[UUID, int]]:
    return [(each.object_id, each.seq) for each in changes]


async def test_what_is_committed_late_is_not_skipped(database: Database, org_id: UUID) -> None:
    late, early = new_id(), new_id()
    async with under_way(database) as tx:
        await told(tx, org_id, late, 1)
        await database.transact(lambda tx: told(tx, org_id, early, 1))
        # What is committed waits for what began before it.
        assert await read(database, org_id) == []
        assert await read_back(database, org_id) == []
        end = await database.single(log.end_of_log)
    await settled(database)
    assert keys(await read(database, org_id)) == [(late, 1), (early, 1)]
    assert keys(await read_back(database, org_id)) == [(early, 1), (late, 1)]
    # Nor does it come before an end that was told in the meantime.
    assert keys(await read(database, org_id, end)) == [(late, 1), (early, 1)]


async def test_what_is_rolled_back_holds_nobody_up(database: Database, org_id: UUID) -> None:
    gone, there = new_id(), new_id()

    class Undone(Exception):
        """Ends a transaction."""

    async def work(tx: Tx) -> None:
        await told(tx, org_id, gone, 1)
        await database.transact(lambda tx: told(tx, org_id, there, 1))
        assert await read(database, org_id) == []
        raise Undone

    with pytest.raises(Undone):
        await database.transact(work)
    await settled(database)
    assert keys(await read(database, org_id)) == [(there, 1)]


@pytest.mark.parametrize("way", ["tell", "tell_next"])
async def test_a_transaction_that_began_first_and_changes_an_object_last(
    database: Database, org_id: UUID, way: str
) -> None:
    thing = new_id()

    async def change(tx: Tx, seq: int) -> None:
        if way == "tell":
            await told(tx, org_id, thing, seq)
        else:
            await told_next(tx, org_id, thing)

    await database.transact(lambda tx: change(tx, 1))
    async with under_way(database) as first:
        await database.transact(lambda tx: change(tx, 2))
        await change(first, 3)
    await settled(database)
    changes = await read(database, org_id)
    assert keys(changes) == [(thing, 1), (thing, 2), (thing, 3)]
    assert [each.place for each in changes] == sorted(each.place for each in changes)
    assert changes[2].tx == changes[1].tx
    assert keys(await read_back(database, org_id)) == [(thing, 3), (thing, 2), (thing, 1)]
    # A reader who saw the second one goes on to the third.
    assert keys(await read(database, org_id, changes[1].place)) == [(thing, 3)]


async def test_a_transaction_that_began_first_and_moves_a_record_last(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    async with under_way(database) as first:
        asked = make.opening(org_id, Status.OPEN, units=5, account_id=account_id)
        record = make.opened(await ledger.open(asked, MOVES))
        record = make.moved(await ledger.advance(make.move(record, Status.HELD), MOVES))
        came = await ledger.advance_in(first, make.move(record, Status.SETTLED), MOVES)
        make.moved(came)
    await settled(database)
    changes = [each for each in await read(database, org_id) if each.object_id == record.id]
    assert [each.status_after for each in changes] == ["OPEN", "HELD", "SETTLED"]
    assert changes[2].tx == changes[1].tx


async def test_transactions_come_by_their_number_and_not_by_its_digits(
    database: Database, org_id: UUID
) -> None:
    numbers = (9, 10, 99, 100, 101)
    things = [new_id() for _ in numbers]
    await database.rows(
        "insert into changes (org_id, object_id, seq, kind, what, actor, at, rests, tx)"
        " select $1, t.id, 1, 'THING', 'set', 't', $2, true, t.tx::text::xid8"
        " from unnest($3::uuid[], $4::integer[]) as t (id, tx)",
        *(org_id, AT, things, numbers),
    )
    assert [each.tx for each in await read(database, org_id)] == [*numbers]
    assert [each.tx for each in await read_back(database, org_id)] == [*reversed(numbers)]
    assert keys(await read(database, org_id, Place(10, things[1], 1))) == [
        (each, 1) for each in things[2:]
    ]


async def test_places_before_and_behind_a_moment(database: Database, org_id: UUID) -> None:
    things = [new_id() for _ in range(4)]
    # Stamped in one order, committed in another, as close together as it happens.
    moments = ((0, 0), (5, 1), (5, 0), (20, 0))
    for thing, (minute, second) in zip(things, moments, strict=True):
        at = AT + timedelta(minutes=minute, seconds=second)
        await database.transact(lambda tx, thing=thing, at=at: told(tx, org_id, thing, 1, at=at))
    await settled(database)

    async def since(at: datetime) -> list[UUID]:
        place = await database.single(lambda tx: log.place_before(tx, org_id, at))
        return [each.object_id for each in await read(database, org_id, place)]

    async def until(at: datetime) -> list[UUID]:
        place = await database.single(lambda tx: log.place_behind(tx, org_id, at))
        found = await database.single(lambda tx: log.read_back(tx, org_id, place, limit=9))
        return [each.object_id for each in found][::-1]

    assert await since(AT - timedelta(days=1)) == things
    assert await since(AT) == things
    assert await since(AT + timedelta(minutes=1)) == things[1:]
    # The third is of this moment, and the second, which is later, was committed before it.
    assert await since(AT + timedelta(minutes=5)) == things[1:]
    assert await since(AT + timedelta(minutes=5, seconds=1)) == things[1:]
    assert await since(AT + timedelta(minutes=19)) == things[3:]
    assert await since(AT + timedelta(minutes=21)) == []
    assert await until(AT) == []
    assert await until(AT + timedelta(minutes=1)) == things[:1]
    assert await until(AT + timedelta(minutes=5, seconds=1)) == things[:3]
    assert await until(AT + timedelta(minutes=20)) == things[:3]
    assert await until(AT + timedelta(days=1)) == things


async def test_a_place_before_a_moment_is_before_what_is_under_way(
    database: Database, org_id: UUID
) -> None:
    late, early = new_id(), new_id()
    async with under_way(database) as tx:
        await database.transact(lambda tx: told(tx, org_id, early, 1))
        place = await database.single(lambda tx: log.place_before(tx, org_id, AT))
        await told(tx, org_id, late, 1)
    await settled(database)
    assert keys(await read(database, org_id, place)) == [(late, 1), (early, 1)]


async def test_the_changes_of_one_object(database: Database, org_id: UUID) -> None:
    thing, other = new_id(), new_id()
    for seq in (1, 2, 3):
        await database.transact(lambda tx, seq=seq: told(tx, org_id, thing, seq))
        await database.transact(lambda tx, seq=seq: told(tx, org_id, other, seq))
    await settled(database)
    changes = await database.single(lambda tx: log.read_object(tx, org_id, thing, START, limit=2))
    assert keys(changes) == [(thing, 1), (thing, 2)]
    rest = await database.single(
        lambda tx: log.read_object(tx, org_id, thing, changes[-1].place, limit=2)
    )
    assert keys(rest) == [(thing, 3)]
    before = await database.single(
        lambda tx: log.read_object_back(tx, org_id, thing, rest[0].place, limit=9)
    )
    assert keys(before) == [(thing, 2), (thing, 1)]
    stranger = await make.make_org(database)
    assert not await database.single(
        lambda tx: log.read_object(tx, stranger, thing, START, limit=2)
    )
    async with under_way(database) as tx:
        await told(tx, org_id, thing, 4)
        found = await database.single(lambda tx: log.read_object(tx, org_id, thing, START, limit=9))
        assert len(found) == 3


@pytest.mark.parametrize("seed", range(3))
async def test_a_reader_misses_nothing_while_many_write_at_once(
    database: Database, org_id: UUID, seed: int
) -> None:
    """Writers take their objects in any order and are slow at any point; a reader follows."""
    random = Random(seed)  # noqa: S311  no secret
    things = [new_id() for _ in range(5)]
    is_over = asyncio.Event()

    def writer() -> Callable[[], Awaitable[None]]:
        steps = [(random.choice(things), random.random() / 200) for _ in range(3)]

        async def write(tx: Tx) -> None:
            await tx.fetchval("select pg_current_xact_id()")
            # One lock for each object, taken in one order, as rows of our own are.
            for thing in sorted({thing for thing, _ in steps}):
                lock = thing.int % (1 << 31)
                await tx.execute("select pg_advisory_xact_lock($1)", lock)
            for thing, pause_s in steps:
                await asyncio.sleep(pause_s)
                await told_next(tx, org_id, thing)

        return lambda: database.transact(write)

    async def follow() -> list[Change]:
        seen: list[Change] = []
        while True:
            was_over = is_over.is_set()
            found = await read(database, org_id, seen[-1].place if seen else START)
            seen += found
            if was_over and not found:
                return seen

    following = asyncio.create_task(follow())
    writers = [writer() for _ in range(60)]
    at_once = asyncio.Semaphore(8)

    async def run(write: Callable[[], Awaitable[None]]) -> None:
        async with at_once:
            await write()

    await asyncio.gather(*(run(each) for each in writers))
    await settled(database)
    is_over.set()
    seen = await following
    assert len(seen) == 60 * 3
    assert [each.place for each in seen] == sorted(each.place for each in seen)
    for thing in things:
        numbers = [each.seq for each in seen if each.object_id == thing]
        assert numbers == list(range(1, len(numbers) + 1))
    assert keys(await read_back(database, org_id)) == keys(seen)[::-1]
