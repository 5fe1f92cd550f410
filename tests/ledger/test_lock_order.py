"""The functions lock records before wallets, in sorted order, and read what they waited for."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest

from landbridge.ledger import store
from landbridge.ledger.model import (
    CommitOutcome,
    CreateTransfer,
    DueCheck,
    Transfer,
    advanced_record,
)
from landbridge.ledger.service import Ledger
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.make import TRANSITIONS, Status
from tests.waiting import holding, waiting

LOCK_RECORD = "select from transfers where org_id = $1 and id = $2 for update"
LOCK_ACCOUNT = "select from accounts where org_id = $1 and id = $2 for update"
FREE_RECORDS = """
select id from transfers where org_id = $1 and status = 'OPEN' for update skip locked
"""
FREE_ACCOUNTS = "select id from accounts where org_id = $1 and id = any($2) for update skip locked"
NUMBERS = "select batch from changes where org_id = $1 and object_id = $2 order by seq"
COUNT = 5


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make.make_org(database)


@pytest.fixture
async def accounts(database: Database, org_id: UUID) -> list[UUID]:
    """Accounts of one organisation, in the order of their ids."""
    return sorted([await make.make_account(database, org_id, units=10) for _ in range(COUNT)])


@pytest.fixture
async def records(database: Database, org_id: UUID, accounts: Sequence[UUID]) -> list[Transfer]:
    """Records in the order of their ids, which is the opposite one of their accounts."""
    ids = sorted(new_id() for _ in accounts)
    openings = [
        replace(make.opening(org_id, account_id=account_id, units=10), id=record_id)
        for record_id, account_id in zip(ids, reversed(accounts), strict=True)
    ]
    ledger = Ledger(database)
    return [make.opened(await ledger.create(each, TRANSITIONS)) for each in openings]


async def test_records_are_locked_in_order_and_before_wallets(
    database: Database, org_id: UUID, records: Sequence[Transfer], accounts: Sequence[UUID]
) -> None:
    async with holding(database, LOCK_RECORD, org_id, records[2].id):
        moving = asyncio.create_task(_hold(database, records))
        await waiting(database, 1)
        assert await _free(database, org_id, accounts) == (
            {each.id for each in records[3:]},
            set(accounts),
        )
    assert await moving == [CommitOutcome.DONE] * COUNT


async def test_wallets_are_locked_in_order(
    database: Database, org_id: UUID, records: Sequence[Transfer], accounts: Sequence[UUID]
) -> None:
    async with holding(database, LOCK_ACCOUNT, org_id, accounts[2]):
        moving = asyncio.create_task(_hold(database, records))
        await waiting(database, 1)
        assert await _free(database, org_id, accounts) == (set(), set(accounts[3:]))
    assert await moving == [CommitOutcome.DONE] * COUNT


async def test_wallets_of_new_records_are_locked_in_order(
    database: Database, org_id: UUID, accounts: Sequence[UUID]
) -> None:
    creations = [
        make.opening(org_id, Status.HELD, account_id=accounts[place]) for place in (4, 2, 0, 3, 1)
    ]
    async with holding(database, LOCK_ACCOUNT, org_id, accounts[2]):
        creating = asyncio.create_task(_create(database, creations))
        await waiting(database, 1)
        assert await _free(database, org_id, accounts) == (set(), set(accounts[3:]))
    assert await creating == [CommitOutcome.DONE] * COUNT


async def test_records_are_inserted_in_the_order_of_their_request_ids(
    database: Database, org_id: UUID
) -> None:
    """Two transactions with the same requests would otherwise wait for each other."""
    first, second = sorted(
        [make.opening(org_id), make.opening(org_id)], key=lambda each: each.request_id
    )

    async def work(tx: Tx) -> asyncio.Task[list[CommitOutcome]]:
        await store.lock_and_create(tx, [first])
        creating = asyncio.create_task(_create(database, [second, first]))
        await waiting(database, 1)
        assert await store.lock_and_create(tx, [second]) == [CommitOutcome.DONE]
        return creating

    creating = await database.transact_once(work)
    assert await creating == [CommitOutcome.DUPLICATE] * 2


async def test_version_and_balance_are_those_after_the_wait(
    database: Database, org_id: UUID, records: Sequence[Transfer], accounts: Sequence[UUID]
) -> None:
    spending = make.opening(org_id, Status.HELD, account_id=accounts[0], units=1)

    async def work(tx: Tx) -> asyncio.Task[list[CommitOutcome]]:
        await store.lock_and_advance(tx, [make.move(records[0], Status.GONE)])
        await store.lock_and_create(tx, [spending])
        moving = asyncio.create_task(_hold(database, records))
        await waiting(database, 1)
        return moving

    moving = await database.transact_once(work)
    assert await moving == [
        *(CommitOutcome.STALE, CommitOutcome.DONE, CommitOutcome.DONE),
        *(CommitOutcome.DONE, CommitOutcome.INSUFFICIENT),
    ]


async def test_balance_of_a_new_record_is_that_after_the_wait(
    database: Database, org_id: UUID, accounts: Sequence[UUID]
) -> None:
    def spending() -> CreateTransfer:
        return make.opening(org_id, Status.HELD, account_id=accounts[0], units=6)

    async def work(tx: Tx) -> asyncio.Task[list[CommitOutcome]]:
        await store.lock_and_create(tx, [spending()])
        creating = asyncio.create_task(_create(database, [spending()]))
        await waiting(database, 1)
        return creating

    creating = await database.transact_once(work)
    assert await creating == [CommitOutcome.INSUFFICIENT]


async def test_number_of_a_batch_is_drawn_after_its_locks(
    database: Database, org_id: UUID, records: Sequence[Transfer]
) -> None:
    holding_money = make.move(records[0], Status.HELD)
    settling = make.move(advanced_record(holding_money), Status.SETTLED)

    async def work(tx: Tx) -> asyncio.Task[list[CommitOutcome]]:
        await store.lock_records(tx, [(org_id, records[0].id)])
        moving = asyncio.create_task(
            database.transact_once(lambda other: store.lock_and_advance(other, [settling]))
        )
        await waiting(database, 1)
        assert await store.lock_and_advance(tx, [holding_money]) == [CommitOutcome.DONE]
        return moving

    moving = await database.transact_once(work)
    assert await moving == [CommitOutcome.DONE]
    numbers = [row["batch"] for row in await database.rows(NUMBERS, org_id, records[0].id)]
    assert numbers == sorted(numbers)


async def test_record_without_a_due_time_is_never_overdue(
    database: Database, records: Sequence[Transfer]
) -> None:
    move = make.move(records[0], Status.GONE, timing=DueCheck.OVERDUE)
    found = await database.transact_once(lambda tx: store.lock_and_advance(tx, [move]))
    assert found == [CommitOutcome.EARLY]


async def _hold(database: Database, records: Sequence[Transfer]) -> list[CommitOutcome]:
    """Hold the money of all records, in an order that is no order."""
    moves = [make.move(each, Status.HELD) for each in records]
    shuffled = [moves[place] for place in (3, 0, 4, 2, 1)]
    found = await database.transact_once(lambda tx: store.lock_and_advance(tx, shuffled))
    by_record = {move.transfer.id: outcome for move, outcome in zip(shuffled, found, strict=True)}
    return [by_record[each.id] for each in records]


async def _create(database: Database, creations: Sequence[CreateTransfer]) -> list[CommitOutcome]:
    return await database.transact_once(lambda tx: store.lock_and_create(tx, creations))


async def _free(
    database: Database, org_id: UUID, accounts: Sequence[UUID]
) -> tuple[set[UUID], set[UUID]]:
    """Return the records and the accounts that nobody has locked."""
    records = {row["id"] for row in await database.rows(FREE_RECORDS, org_id)}
    return records, {row["id"] for row in await database.rows(FREE_ACCOUNTS, org_id, accounts)}
