"""Money in somebody else's transaction: beside a row of theirs, or not at all."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.core.errors import Broken
from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.ledger.audit import audit, table
from landbridge.ledger.errors import RequestIdTaken
from landbridge.ledger.model import Move, Opening, Outcome, Posting, Timing, Transfer
from landbridge.ledger.service import Ledger, Opened
from tests import make
from tests.make import MOVES, PAYMENT, USDC, USDT, Status


class Thrown(Exception):
    """What a caller raises to undo everything."""


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make.make_org(database, name="before")


async def rename(tx: Tx, org_id: UUID) -> None:
    """A row beside the money."""
    await tx.execute("update orgs set name = 'after' where id = $1", org_id)


async def name(database: Database, org_id: UUID) -> str:
    (row,) = await database.rows("select name from orgs where id = $1", org_id)
    return str(row["name"])


async def count(database: Database, org_id: UUID) -> int:
    """Records, changes and entries of an organisation, but for its funding."""
    (row,) = await database.rows(
        "select (select count(*) from transfers where org_id = $1 and status <> 'FUNDED')"
        " + (select count(*) from changes where org_id = $1 and status_after <> 'FUNDED')"
        " + (select count(*) from entries e join transfers t using (org_id) where e.org_id = $1"
        " and t.id = e.transfer_id and t.status <> 'FUNDED') as rows",
        org_id,
    )
    return int(row["rows"])


async def opened_in(
    database: Database, ledger: Ledger, opening: Opening, *, fails: bool = False
) -> Opened | Outcome:
    async def work(tx: Tx) -> Opened | Outcome:
        await rename(tx, opening.org_id)
        came = await ledger.open_in(tx, opening, MOVES)
        if fails:
            raise Thrown
        return came

    return await database.transact(work)


async def moved_in(
    database: Database, ledger: Ledger, move: Move, *, fails: bool = False
) -> Transfer | Outcome:
    async def work(tx: Tx) -> Transfer | Outcome:
        await rename(tx, move.transfer.org_id)
        came = await ledger.advance_in(tx, move, MOVES)
        if fails:
            raise Thrown
        return came

    return await database.transact(work)


async def test_a_record_and_the_row_beside_it_are_there_together(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    asked = make.opening(org_id, Status.HELD, units=3, account_id=account_id)
    record = make.opened(await opened_in(database, ledger, asked))
    assert await ledger.get(org_id, PAYMENT, asked.id) == record
    assert await make.balance(database, account_id) == (2, 3)
    assert await name(database, org_id) == "after"
    move = make.move(record, Status.SETTLED, facts={"why": "test"})
    record = make.moved(await moved_in(database, ledger, move))
    assert await ledger.get(org_id, PAYMENT, asked.id) == record
    assert (record.status, record.version, record.facts) == (Status.SETTLED, 2, {"why": "test"})
    assert await make.balance(database, account_id) == (2, 0)
    assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_whoever_raises_afterwards_takes_all_of_it_back(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    asked = make.opening(org_id, Status.HELD, units=3, account_id=account_id)
    with pytest.raises(Thrown):
        await opened_in(database, ledger, asked, fails=True)
    assert await ledger.find(org_id, asked.id) is None
    assert await make.balance(database, account_id) == (5, 0)
    record = make.opened(await ledger.open(asked, MOVES))
    with pytest.raises(Thrown):
        await moved_in(database, ledger, make.move(record, Status.SETTLED), fails=True)
    assert await ledger.find(org_id, asked.id) == record
    assert await make.balance(database, account_id) == (2, 3)
    assert await name(database, org_id) == "before"


async def test_a_wallet_with_too_little_opens_nothing_and_the_caller_decides_on_the_rest(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    asked = make.opening(org_id, Status.HELD, units=6, account_id=account_id)
    with pytest.raises(Thrown):
        await opened_in(database, ledger, asked, fails=True)
    assert await name(database, org_id) == "before"
    assert await opened_in(database, ledger, asked) is Outcome.SHORT
    assert await count(database, org_id) == 0
    assert await make.balance(database, account_id) == (5, 0)
    # The transaction itself went on.
    assert await name(database, org_id) == "after"


async def test_the_same_request_again_is_a_replay_and_another_body_is_refused(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    request_id = new_id()

    def asked(units: int) -> Opening:
        return make.opening(
            org_id, Status.HELD, units=units, account_id=account_id, request_id=request_id
        )

    first = asked(2)
    record = make.opened(await opened_in(database, ledger, first))
    for again in (first, asked(2)):
        came = await opened_in(database, ledger, again)
        assert isinstance(came, Opened)
        assert came.is_replay
        assert came.transfer == record
    assert await make.balance(database, account_id) == (3, 2)
    with pytest.raises(RequestIdTaken, match="another amount"):
        await opened_in(database, ledger, asked(1))
    # By its id alone, as a body that is run again after a commit nobody heard of.
    twin = replace(first, request_id=new_id())
    came = await opened_in(database, ledger, twin)
    assert isinstance(came, Opened)
    assert came.is_replay


@pytest.mark.parametrize(
    ("timing", "after", "outcome"),
    [
        (Timing.IN_TIME, timedelta(), Outcome.LATE),
        (Timing.OVERDUE, timedelta(microseconds=-1), Outcome.EARLY),
    ],
)
async def test_a_move_that_is_not_done_writes_nothing(
    database: Database,
    ledger: Ledger,
    org_id: UUID,
    *,
    timing: Timing,
    after: timedelta,
    outcome: Outcome,
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    asked = make.opening(org_id, units=3, account_id=account_id, due_in=timedelta(minutes=1))
    record = make.opened(await ledger.open(asked, MOVES))
    assert record.due_at is not None
    before = await count(database, org_id)
    move = make.move(record, Status.HELD, timing=timing, at=record.due_at + after)
    assert await moved_in(database, ledger, move) is outcome
    poor = make.move(replace(record, source_units=6), Status.HELD)
    assert await moved_in(database, ledger, poor) is Outcome.SHORT
    assert await count(database, org_id) == before
    make.moved(await ledger.advance(make.move(record, Status.HELD), MOVES))
    assert await moved_in(database, ledger, make.move(record, Status.GONE)) is Outcome.LOST
    assert await make.balance(database, account_id) == (2, 3)


async def test_what_the_flow_does_not_allow_is_broken_before_anything_happens(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    with pytest.raises(Broken):
        await opened_in(database, ledger, make.opening(org_id, Status.SETTLED))
    record = make.opened(await ledger.open(make.opening(org_id), MOVES))
    with pytest.raises(Broken):
        await moved_in(database, ledger, make.move(record, Status.SETTLED))
    stray = make.opening(org_id, Status.HELD, account_id=new_id())
    with pytest.raises(Broken):
        await opened_in(database, ledger, stray)
    assert await name(database, org_id) == "before"


@pytest.mark.parametrize("is_grouped", [True, False])
async def test_a_quote_made_later_replaces_the_amounts(
    database: Database, ledger: Ledger, org_id: UUID, *, is_grouped: bool
) -> None:
    record = make.opened(await ledger.open(make.opening(org_id, units=3), MOVES))

    async def advance(move: Move) -> Transfer:
        if is_grouped:
            return make.moved(await ledger.advance(move, MOVES))
        return make.moved(await moved_in(database, ledger, move))

    move = make.move(record, Status.HELD)
    quoted = await advance(replace(move, source=Money(4, USDC), destination=Money(5, USDT)))
    assert (quoted.source_asset, quoted.source_units) == ("usdc:POLYGON", 4)
    assert (quoted.destination_asset, quoted.destination_units) == ("usdt:POLYGON", 5)
    assert await ledger.find(org_id, record.id) == quoted
    # One side alone, and neither.
    settled = await advance(replace(make.move(quoted, Status.SETTLED), destination=Money(6, USDT)))
    assert (settled.source_units, settled.destination_units) == (4, 6)
    assert await ledger.find(org_id, record.id) == settled


async def test_an_entry_is_of_the_moment_of_its_change(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    asked = make.opening(org_id, Status.HELD, units=3, account_id=account_id)
    record = make.opened(await ledger.open(asked, MOVES))
    move = make.move(record, Status.SETTLED)
    make.moved(await moved_in(database, ledger, move))
    rows = await database.rows(
        "select distinct seq, at from entries where transfer_id = $1 order by seq", record.id
    )
    assert [(row["seq"], row["at"]) for row in rows] == [(1, asked.at), (2, move.at)]


async def test_a_record_is_found_whatever_its_kind_but_by_its_own_organisation(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    record = make.opened(await ledger.open(make.opening(org_id), MOVES))
    assert await ledger.find(org_id, record.id) == record
    assert await ledger.find(await make.make_org(database), record.id) is None
    assert await ledger.find(org_id, new_id()) is None


@pytest.mark.slow
async def test_they_wait_for_the_group_commit_and_it_for_them_never_in_a_circle(
    own_database: Database,
) -> None:
    org_id, ledger = await make.make_org(own_database), Ledger(own_database)
    accounts = [await make.make_account(own_database, org_id, units=50) for _ in range(4)]
    chance = random.Random(7)  # noqa: S311  the same race each time

    def give(payer: UUID, payee: UUID) -> list[Posting]:
        return [Posting(payer, -Money(1, USDC)), Posting(payee, Money(1, USDC))]

    async def pay(open_it: Callable[[Opening], Awaitable[Opened | Outcome]]) -> None:
        for _ in range(25):
            there, back = chance.sample(accounts, 2)
            asked = make.opening(org_id, Status.OPEN, journals={0: give(there, back)})
            record = make.opened(await open_it(asked))
            # Two who move it at once, each in their own way and at a moment of their own.
            one, other = (
                make.move(record, Status.HELD, journals={0: give(back, there)}) for _ in range(2)
            )
            came = await asyncio.gather(
                ledger.advance(one, MOVES), moved_in(own_database, ledger, other)
            )
            assert sorted(isinstance(each, Transfer) for each in came) == [False, True]
            assert Outcome.LOST in came

    await asyncio.gather(
        *(pay(lambda each: ledger.open(each, MOVES)) for _ in range(4)),
        *(pay(lambda each: opened_in(own_database, ledger, each)) for _ in range(4)),
    )
    (row,) = await own_database.rows(
        "select deadlocks from pg_stat_database where datname = current_database()"
    )
    assert row["deadlocks"] == 0
    audited = await audit(own_database, make.MOVES_BY_KIND, {}, org_id=org_id)
    assert audited.is_clean, table(audited)
    assert sum([sum(await make.balance(own_database, each)) for each in accounts]) == 200
