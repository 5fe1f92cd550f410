"""Ledger writes in a caller's transaction: committed with its rows, or not at all."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.ledger.audit import audit, table
from landbridge.ledger.errors import RequestIdTaken
from landbridge.ledger.model import (
    AdvanceTransfer,
    CommitOutcome,
    CreateTransfer,
    DueCheck,
    Posting,
    Transfer,
)
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.make import PAYMENT, TRANSITIONS, USDC, USDT, Status


class CallerError(Exception):
    """Error raised by a caller to roll back."""


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make.make_org(database, name="before")


async def rename(tx: Tx, org_id: UUID) -> None:
    """Change a row of the caller's own."""
    await tx.execute("update orgs set name = 'after' where id = $1", org_id)


async def name(database: Database, org_id: UUID) -> str:
    (row,) = await database.rows("select name from orgs where id = $1", org_id)
    return str(row["name"])


async def count(database: Database, org_id: UUID) -> int:
    """Count records, changes and entries of an organisation, except its funding."""
    (row,) = await database.rows(
        "select (select count(*) from transfers where org_id = $1 and status <> 'FUNDED')"
        " + (select count(*) from changes where org_id = $1 and status_after <> 'FUNDED')"
        " + (select count(*) from entries e join transfers t using (org_id) where e.org_id = $1"
        " and t.id = e.transfer_id and t.status <> 'FUNDED') as rows",
        org_id,
    )
    return int(row["rows"])


async def opened_in(
    database: Database, ledger: Ledger, opening: CreateTransfer, *, fails: bool = False
) -> CreatedTransfer | CommitOutcome:
    async def work(tx: Tx) -> CreatedTransfer | CommitOutcome:
        await rename(tx, opening.org_id)
        outcome = await ledger.create_in(tx, opening, TRANSITIONS)
        if fails:
            raise CallerError
        return outcome

    return await database.transact(work)


async def moved_in(
    database: Database, ledger: Ledger, move: AdvanceTransfer, *, fails: bool = False
) -> Transfer | CommitOutcome:
    async def work(tx: Tx) -> Transfer | CommitOutcome:
        await rename(tx, move.transfer.org_id)
        outcome = await ledger.advance_in(tx, move, TRANSITIONS)
        if fails:
            raise CallerError
        return outcome

    return await database.transact(work)


async def test_record_and_callers_row_commit_together(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    request = make.opening(org_id, Status.HELD, units=3, account_id=account_id)
    record = make.opened(await opened_in(database, ledger, request))
    assert await ledger.get(org_id, PAYMENT, request.id) == record
    assert await make.balance(database, account_id) == (2, 3)
    assert await name(database, org_id) == "after"
    move = make.move(record, Status.SETTLED, facts={"why": "test"})
    record = make.moved(await moved_in(database, ledger, move))
    assert await ledger.get(org_id, PAYMENT, request.id) == record
    assert (record.status, record.version, record.facts) == (Status.SETTLED, 2, {"why": "test"})
    assert await make.balance(database, account_id) == (2, 0)
    assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_exception_of_the_caller_rolls_everything_back(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    request = make.opening(org_id, Status.HELD, units=3, account_id=account_id)
    with pytest.raises(CallerError):
        await opened_in(database, ledger, request, fails=True)
    assert await ledger.find(org_id, request.id) is None
    assert await make.balance(database, account_id) == (5, 0)
    record = make.opened(await ledger.create(request, TRANSITIONS))
    with pytest.raises(CallerError):
        await moved_in(database, ledger, make.move(record, Status.SETTLED), fails=True)
    assert await ledger.find(org_id, request.id) == record
    assert await make.balance(database, account_id) == (2, 3)
    assert await name(database, org_id) == "before"


async def test_insufficient_balance_creates_nothing_and_keeps_the_transaction(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    request = make.opening(org_id, Status.HELD, units=6, account_id=account_id)
    with pytest.raises(CallerError):
        await opened_in(database, ledger, request, fails=True)
    assert await name(database, org_id) == "before"
    assert await opened_in(database, ledger, request) is CommitOutcome.INSUFFICIENT
    assert await count(database, org_id) == 0
    assert await make.balance(database, account_id) == (5, 0)
    # The transaction itself continued.
    assert await name(database, org_id) == "after"


async def test_same_request_is_a_replay_and_another_body_is_refused(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    request_id = new_id()

    def request_of(units: int) -> CreateTransfer:
        return make.opening(
            org_id, Status.HELD, units=units, account_id=account_id, request_id=request_id
        )

    first = request_of(2)
    record = make.opened(await opened_in(database, ledger, first))
    for again in (first, request_of(2)):
        outcome = await opened_in(database, ledger, again)
        assert isinstance(outcome, CreatedTransfer)
        assert outcome.is_replay
        assert outcome.transfer == record
    assert await make.balance(database, account_id) == (3, 2)
    with pytest.raises(RequestIdTaken, match="another amount"):
        await opened_in(database, ledger, request_of(1))
    # By its id alone, as a transaction that is run again after an unacknowledged commit.
    twin = replace(first, request_id=new_id())
    outcome = await opened_in(database, ledger, twin)
    assert isinstance(outcome, CreatedTransfer)
    assert outcome.is_replay


@pytest.mark.parametrize(
    ("timing", "after", "outcome"),
    [
        (DueCheck.IN_TIME, timedelta(), CommitOutcome.LATE),
        (DueCheck.OVERDUE, timedelta(microseconds=-1), CommitOutcome.EARLY),
    ],
)
async def test_refused_advance_writes_nothing(
    database: Database,
    ledger: Ledger,
    org_id: UUID,
    *,
    timing: DueCheck,
    after: timedelta,
    outcome: CommitOutcome,
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    request = make.opening(org_id, units=3, account_id=account_id, due_in=timedelta(minutes=1))
    record = make.opened(await ledger.create(request, TRANSITIONS))
    assert record.due_at is not None
    before = await count(database, org_id)
    move = make.move(record, Status.HELD, timing=timing, at=record.due_at + after)
    assert await moved_in(database, ledger, move) is outcome
    poor = make.move(replace(record, source_units=6), Status.HELD)
    assert await moved_in(database, ledger, poor) is CommitOutcome.INSUFFICIENT
    assert await count(database, org_id) == before
    make.moved(await ledger.advance(make.move(record, Status.HELD), TRANSITIONS))
    assert await moved_in(database, ledger, make.move(record, Status.GONE)) is CommitOutcome.STALE
    assert await make.balance(database, account_id) == (2, 3)


async def test_forbidden_path_raises_before_anything_is_written(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    with pytest.raises(InvariantBroken):
        await opened_in(database, ledger, make.opening(org_id, Status.SETTLED))
    record = make.opened(await ledger.create(make.opening(org_id), TRANSITIONS))
    with pytest.raises(InvariantBroken):
        await moved_in(database, ledger, make.move(record, Status.SETTLED))
    stray = make.opening(org_id, Status.HELD, account_id=new_id())
    with pytest.raises(InvariantBroken):
        await opened_in(database, ledger, stray)
    assert await name(database, org_id) == "before"


@pytest.mark.parametrize("is_grouped", [True, False])
async def test_later_quote_replaces_the_amounts(
    database: Database, ledger: Ledger, org_id: UUID, *, is_grouped: bool
) -> None:
    record = make.opened(await ledger.create(make.opening(org_id, units=3), TRANSITIONS))

    async def advance(move: AdvanceTransfer) -> Transfer:
        if is_grouped:
            return make.moved(await ledger.advance(move, TRANSITIONS))
        return make.moved(await moved_in(database, ledger, move))

    move = make.move(record, Status.HELD)
    quoted = await advance(replace(move, source=Money(4, USDC), destination=Money(5, USDT)))
    assert (quoted.source_asset, quoted.source_units) == ("usdc:POLYGON", 4)
    assert (quoted.destination_asset, quoted.destination_units) == ("usdt:POLYGON", 5)
    assert await ledger.find(org_id, record.id) == quoted
    # Only one side, and neither.
    settled = await advance(replace(make.move(quoted, Status.SETTLED), destination=Money(6, USDT)))
    assert (settled.source_units, settled.destination_units) == (4, 6)
    assert await ledger.find(org_id, record.id) == settled


async def test_entry_has_the_time_of_its_change(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    request = make.opening(org_id, Status.HELD, units=3, account_id=account_id)
    record = make.opened(await ledger.create(request, TRANSITIONS))
    move = make.move(record, Status.SETTLED)
    make.moved(await moved_in(database, ledger, move))
    rows = await database.rows(
        "select distinct seq, occurred_at from entries where transfer_id = $1 order by seq",
        record.id,
    )
    assert [(row["seq"], row["occurred_at"]) for row in rows] == [(1, request.at), (2, move.at)]


async def test_record_of_any_kind_is_found_only_by_its_organisation(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    record = make.opened(await ledger.create(make.opening(org_id), TRANSITIONS))
    assert await ledger.find(org_id, record.id) == record
    assert await ledger.find(await make.make_org(database), record.id) is None
    assert await ledger.find(org_id, new_id()) is None


@pytest.mark.long
async def test_callers_transactions_and_group_commits_never_deadlock(
    own_database: Database,
) -> None:
    org_id, ledger = await make.make_org(own_database), Ledger(own_database)
    accounts = [await make.make_account(own_database, org_id, units=50) for _ in range(4)]
    chance = random.Random(7)  # noqa: S311  the same race each time

    def give(payer: UUID, payee: UUID) -> list[Posting]:
        return [Posting(payer, -Money(1, USDC)), Posting(payee, Money(1, USDC))]

    async def pay(
        open_it: Callable[[CreateTransfer], Awaitable[CreatedTransfer | CommitOutcome]],
    ) -> None:
        for _ in range(25):
            there, back = chance.sample(accounts, 2)
            request = make.opening(org_id, Status.OPEN, journals={0: give(there, back)})
            record = make.opened(await open_it(request))
            # Two concurrent advances, each by its own path and at its own time.
            one, other = (
                make.move(record, Status.HELD, journals={0: give(back, there)}) for _ in range(2)
            )
            outcome = await asyncio.gather(
                ledger.advance(one, TRANSITIONS), moved_in(own_database, ledger, other)
            )
            assert sorted(isinstance(each, Transfer) for each in outcome) == [False, True]
            assert CommitOutcome.STALE in outcome

    await asyncio.gather(
        *(pay(lambda each: ledger.create(each, TRANSITIONS)) for _ in range(4)),
        *(pay(lambda each: opened_in(own_database, ledger, each)) for _ in range(4)),
    )
    (row,) = await own_database.rows(
        "select deadlocks from pg_stat_database where datname = current_database()"
    )
    assert row["deadlocks"] == 0
    audited = await audit(own_database, make.MOVES_BY_KIND, {}, org_id=org_id)
    assert audited.is_clean, table(audited)
    assert sum([sum(await make.balance(own_database, each)) for each in accounts]) == 200
