"""Rows locked by another transaction delay only the calls that need them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

import pytest

from landbridge.ledger.audit import audit
from landbridge.ledger.model import CreateTransfer, Transfer
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.platform.core.errors import LockTimeout
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.make import MOVES_BY_KIND, TRANSITIONS, Status
from tests.waiting import holding

ORGS = 31
HOLD_ACCOUNTS = "select from accounts where id = any($1::uuid[]) for update"
HOLD_RECORDS = "select from transfers where id = any($1::uuid[]) for update"


@pytest.fixture
async def outside(dsn: str) -> AsyncIterator[Database]:
    """Connections of a program that locks rows for long."""
    database = await Database.connect(dsn, name="outside", size_max=2)
    yield database
    await database.close()


async def make_accounts(database: Database) -> list[tuple[UUID, UUID]]:
    """(organisation, account) of 31 organisations, each account with ten units."""
    orgs = [await make.make_org(database) for _ in range(ORGS)]
    return [(org_id, await make.make_account(database, org_id, units=10)) for org_id in orgs]


def holds(accounts: Sequence[tuple[UUID, UUID]]) -> list[CreateTransfer]:
    """Create commands, one per account, each holding one unit."""
    return [make.opening(org_id, Status.HELD, account_id=each) for org_id, each in accounts]


async def opened(ledger: Ledger, creations: Sequence[CreateTransfer]) -> list[Transfer]:
    results = await asyncio.gather(*(ledger.create(each, TRANSITIONS) for each in creations))
    return [make.opened(each) for each in results]


@pytest.mark.parametrize("held_count", [1, 5])
async def test_locked_accounts_do_not_delay_other_organisations(
    database: Database, outside: Database, held_count: int
) -> None:
    accounts = await make_accounts(database)
    ledger = Ledger(database)
    blocked, free = accounts[:held_count], accounts[held_count:]
    async with holding(outside, HOLD_ACCOUNTS, [each for _, each in blocked]):
        waiting = [asyncio.create_task(ledger.create(each, TRANSITIONS)) for each in holds(blocked)]
        # All 31 in one iteration of the event loop, so in one batch.
        await opened(ledger, holds(free))
        # More blocked calls than concurrent batches; the others continue.
        for _ in range(3):
            await opened(ledger, holds(free))
        assert not any(each.done() for each in waiting)
    results = await asyncio.gather(*waiting)
    assert all(isinstance(each, CreatedTransfer) for each in results)
    for _, account_id in blocked:
        assert await make.balance(database, account_id) == (9, 1)
    for org_id, account_id in free:
        assert await make.balance(database, account_id) == (6, 4)
        assert (await audit(database, MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_locked_records_do_not_delay_other_organisations(
    database: Database, outside: Database
) -> None:
    accounts = await make_accounts(database)
    ledger = Ledger(database)
    records = await opened(ledger, holds(accounts))
    blocked, free = records[:5], records[5:]
    async with holding(outside, HOLD_RECORDS, [each.id for each in blocked]):
        moves = [make.move(each, Status.SETTLED) for each in (*blocked, *free)]
        moving = [asyncio.create_task(ledger.advance(each, TRANSITIONS)) for each in moves]
        results = await asyncio.gather(*moving[5:])
        assert {each.status for each in results if isinstance(each, Transfer)} == {Status.SETTLED}
        assert not any(each.done() for each in moving[:5])
    results = await asyncio.gather(*moving[:5])
    assert {each.status for each in results if isinstance(each, Transfer)} == {Status.SETTLED}


async def test_pending_insert_of_a_request_id_does_not_delay_other_requests(
    database: Database, outside: Database
) -> None:
    orgs = [await make.make_org(database) for _ in range(ORGS)]
    ledger = Ledger(database)
    # Without postings there is nothing to lock: the insert itself waits.
    creations = [make.opening(org_id) for org_id in orgs]
    is_inserted, may_commit = asyncio.Event(), asyncio.Event()

    async def insert(tx: Tx) -> None:
        await Ledger(outside).create_in(tx, creations[0], TRANSITIONS)
        is_inserted.set()
        await may_commit.wait()

    inserting = asyncio.create_task(outside.transact(insert))
    await is_inserted.wait()
    replaying = asyncio.create_task(ledger.create(creations[0], TRANSITIONS))
    await opened(ledger, creations[1:])
    assert not replaying.done()
    may_commit.set()
    await inserting
    replayed = await replaying
    assert isinstance(replayed, CreatedTransfer)
    assert replayed.is_replay


async def test_short_lock_timeout_applies_only_to_its_batch(dsn: str, database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    single = await Database.connect(dsn, name="tests", size_max=1)
    ledger = Ledger(single)
    await ledger.create(make.opening(org_id), TRANSITIONS)
    assert await single.single(lock_timeout) == "10s"
    (record,) = await opened(ledger, holds([(org_id, account_id)]))
    assert await single.single(lock_timeout) == "10s"
    await ledger.advance(make.move(record, Status.SETTLED), TRANSITIONS)
    assert await single.single(lock_timeout) == "10s"
    await single.close()


async def test_callers_transaction_keeps_its_lock_timeout(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    ledger = Ledger(database)

    async def work(tx: Tx) -> list[str]:
        await tx.execute("set local lock_timeout = '3s'")
        (opening,) = holds([(org_id, account_id)])
        record = make.opened(await ledger.create_in(tx, opening, TRANSITIONS))
        timeouts = [await lock_timeout(tx)]
        await ledger.advance_in(tx, make.move(record, Status.SETTLED), TRANSITIONS)
        return [*timeouts, await lock_timeout(tx)]

    assert await database.transact(work) == ["3s", "3s"]


async def test_lock_timeout_differs_from_a_silent_database(
    database: Database, outside: Database
) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id)

    async def wait_briefly(tx: Tx) -> None:
        await tx.execute("set local lock_timeout = '1ms'")
        await tx.execute(HOLD_ACCOUNTS, [account_id])

    async with holding(outside, HOLD_ACCOUNTS, [account_id]):
        with pytest.raises(LockTimeout):
            await database.transact(wait_briefly)


async def lock_timeout(tx: Tx) -> str:
    return str(await tx.fetchval("show lock_timeout"))
