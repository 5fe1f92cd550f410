"""Order of the change log: by places, per object, and nothing before what was read."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from landbridge.ledger.service import Ledger
from landbridge.platform.changes import service as log
from landbridge.platform.changes.model import START, UNPLACED, Change, LogPosition
from landbridge.platform.changes.placing import PLACE, place_changes
from landbridge.platform.changes.service import append_change, append_next_change
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.make import TRANSITIONS, Status

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make.make_org(database)


@asynccontextmanager
async def under_way(database: Database) -> AsyncGenerator[Tx]:
    """Yield a transaction; commit it when the block ends."""
    started: asyncio.Future[Tx] = asyncio.get_running_loop().create_future()
    is_over = asyncio.Event()

    async def work(tx: Tx) -> None:
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
    await place_changes(database, [org_id])
    return await database.single(lambda tx: log.read(tx, org_id, after, limit=1000))


async def read_back(database: Database, org_id: UUID) -> Sequence[Change]:
    await place_changes(database, [org_id])
    end = await database.single(lambda tx: log.end_of_log(tx, org_id))
    return await database.single(lambda tx: log.read_back(tx, org_id, end, limit=1000))


def keys(changes: Sequence[Change]) -> list[tuple[UUID, int]]:
    return [(each.object_id, each.seq) for each in changes]


async def test_earlier_writer_that_commits_later_is_neither_lost_nor_reordered(
    database: Database, org_id: UUID
) -> None:
    late, early = new_id(), new_id()
    async with under_way(database) as tx:
        await append(tx, org_id, late, 1)
        await database.transact(lambda tx: append(tx, org_id, early, 1))
        # Nobody waits for the open transaction.
        (first,) = await read(database, org_id)
        assert keys([first]) == [(early, 1)] == keys(await read_back(database, org_id))
        end = await database.single(lambda tx: log.end_of_log(tx, org_id))
    assert keys(await read(database, org_id)) == [(early, 1), (late, 1)]
    assert keys(await read_back(database, org_id)) == [(late, 1), (early, 1)]
    # A reader of the first one, or of the end before the second commit, sees it once.
    assert keys(await read(database, org_id, first.position)) == [(late, 1)]
    assert keys(await read(database, org_id, end)) == [(late, 1)]


async def test_rollback_leaves_no_gap_in_the_places(database: Database, org_id: UUID) -> None:
    before, removed, there = new_id(), new_id(), new_id()

    class Undone(Exception):
        """Ends a transaction."""

    async def work(tx: Tx) -> None:
        await append(tx, org_id, removed, 1)
        await database.transact(lambda tx: append(tx, org_id, there, 1))
        raise Undone

    await database.transact(lambda tx: append(tx, org_id, before, 1))
    with pytest.raises(Undone):
        await database.transact(work)
    changes = await read(database, org_id)
    assert keys(changes) == [(before, 1), (there, 1)]
    assert [each.place for each in changes] == [1, 2]


async def test_change_without_a_place_is_found_but_not_read(
    database: Database, org_id: UUID
) -> None:
    object_id = new_id()
    await database.transact(lambda tx: append(tx, org_id, object_id, 1))
    assert await database.single(lambda tx: log.read(tx, org_id, START, limit=9)) == []
    found = await database.single(lambda tx: log.find(tx, org_id, [(object_id, 1)]))
    assert found[object_id, 1].place == UNPLACED
    # A position after it is beyond the end of the log.
    moment = AT + timedelta(minutes=1)
    after = await database.single(lambda tx: log.position_after(tx, org_id, moment))
    assert after > await database.single(lambda tx: log.end_of_log(tx, org_id))


async def test_server_that_cannot_be_written_is_read_as_far_as_there_are_places(
    database: Database, org_id: UUID
) -> None:
    object_id = new_id()
    await database.transact(lambda tx: append(tx, org_id, object_id, 1))

    async def on_a_replica(tx: Tx) -> None:
        await tx.execute("set transaction read only")
        await tx.execute(PLACE, [org_id])
        assert await log.read(tx, org_id, START, limit=9) == []

    await database.transact(on_a_replica)
    assert keys(await read(database, org_id)) == [(object_id, 1)]


async def test_places_follow_the_numbers_of_batches(database: Database, org_id: UUID) -> None:
    """A writer that drew its number first and commits with others is placed before them."""
    first, second = new_id(), new_id()
    async with under_way(database) as one, under_way(database) as other:
        await append(one, org_id, first, 1)
        await append(other, org_id, second, 1)
    assert keys(await read(database, org_id)) == [(first, 1), (second, 1)]


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
    changes = await read(database, org_id)
    assert keys(changes) == [(object_id, 1), (object_id, 2), (object_id, 3)]
    assert [each.position for each in changes] == sorted(each.position for each in changes)
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
    changes = [each for each in await read(database, org_id) if each.object_id == record.id]
    assert [each.status_after for each in changes] == ["OPEN", "HELD", "SETTLED"]


async def test_positions_before_and_after_a_moment(database: Database, org_id: UUID) -> None:
    object_ids = [new_id() for _ in range(4)]
    # Stamped in one order, committed in another, as close together as it happens.
    moments = ((0, 0), (5, 1), (5, 0), (20, 0))
    for object_id, (minute, second) in zip(object_ids, moments, strict=True):
        at = AT + timedelta(minutes=minute, seconds=second)
        await database.transact(
            lambda tx, object_id=object_id, at=at: append(tx, org_id, object_id, 1, at=at)
        )

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
    assert keys(await read(database, org_id, position)) == [(early, 1), (late, 1)]


async def test_the_changes_of_one_object(database: Database, org_id: UUID) -> None:
    object_id, other = new_id(), new_id()
    for seq in (1, 2, 3):
        await database.transact(lambda tx, seq=seq: append(tx, org_id, object_id, seq))
        await database.transact(lambda tx, seq=seq: append(tx, org_id, other, seq))
    await place_changes(database, [org_id])
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
