"""The ledger's verbs: what they answer, refuse, and leave as it is."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.errors import Broken
from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.ledger import store
from landbridge.ledger.audit import audit
from landbridge.ledger.errors import RequestIdTaken, TransactionNotFound
from landbridge.ledger.model import Outcome, Posting, Role, Timing, Transfer
from landbridge.ledger.replays import first_difference
from landbridge.ledger.service import Ledger, Opened
from tests import make
from tests.make import MOVES, PAYMENT, USDC, USDT, Status

ONE = Money(1, USDC)
US = timedelta(microseconds=1)


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make.make_org(database)


async def test_what_open_and_advance_answer_is_what_get_reads(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    asked = make.opening(
        org_id, Status.OPEN, units=3, account_id=account_id, due_in=timedelta(minutes=1)
    )
    record = make.opened(await ledger.open(asked, MOVES))
    assert await ledger.get(org_id, PAYMENT, asked.id) == record
    record = make.moved(
        await ledger.advance(make.move(record, Status.HELD, facts={"a": {"b": 1}}), MOVES)
    )
    assert await ledger.get(org_id, PAYMENT, asked.id) == record
    assert (record.status, record.version, record.due_at) == (Status.HELD, 2, None)
    assert await make.balance(database, account_id) == (2, 3)
    record = make.moved(
        await ledger.advance(make.move(record, Status.SETTLED, facts={"c": None}), MOVES)
    )
    assert await ledger.get(org_id, PAYMENT, asked.id) == record
    assert record.facts == {"a": {"b": 1}, "c": None}
    assert await make.balance(database, account_id) == (2, 0)
    assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_a_path_of_several_writes_a_change_each_and_only_the_last_one_rests(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    path = (Status.OPEN, Status.HELD, Status.SETTLED)
    journals = {
        1: make.postings(Status.HELD, account_id, ONE),
        2: make.postings(Status.SETTLED, account_id, ONE),
    }
    asked = make.opening(org_id, *path, account_id=account_id, journals=journals)
    record = make.opened(await ledger.open(asked, MOVES))
    assert (record.status, record.version) == (Status.SETTLED, 3)
    rows = await database.rows(
        "select seq, what, status_before, status_after, rests from changes where object_id = $1"
        " order by seq",
        record.id,
    )
    assert [tuple(row) for row in rows] == [  # pyright: ignore[reportArgumentType]
        (1, "open", None, "OPEN", False),
        (2, "open", "OPEN", "HELD", False),
        (3, "open", "HELD", "SETTLED", True),
    ]
    rows = await database.rows(
        "select seq, count(*) as lines from entries where transfer_id = $1 group by 1 order by 1",
        record.id,
    )
    assert [(row["seq"], row["lines"]) for row in rows] == [(2, 1), (3, 2)]
    assert await make.balance(database, account_id) == (4, 0)


async def test_the_same_request_again_is_the_same_record_and_moves_no_money(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=1)
    asked = make.opening(org_id, Status.HELD, account_id=account_id)
    # By all at once, and again when nothing is left to pay it with.
    came = await asyncio.gather(
        *(ledger.open(replace(asked, id=new_id()), MOVES) for _ in range(50))
    )
    came.append(await ledger.open(replace(asked, id=new_id()), MOVES))
    records = [make.opened(each) for each in came]
    assert all(record == records[0] for record in records)
    assert sum(not each.is_replay for each in came if isinstance(each, Opened)) == 1
    assert await make.balance(database, account_id) == (0, 1)


async def test_a_replay_answers_the_record_as_it_is_by_now(ledger: Ledger, org_id: UUID) -> None:
    asked = make.opening(org_id)
    record = make.opened(await ledger.open(asked, MOVES))
    record = make.moved(await ledger.advance(make.move(record, Status.GONE), MOVES))
    assert await ledger.open(asked, MOVES) == Opened(record, is_replay=True)


@pytest.mark.parametrize(
    ("other", "field"),
    [
        ({"amount": "2", "to": {"user": "a", "memo": None}}, "amount"),
        ({"amount": "1", "to": {"user": "b"}}, "to.user"),
        ({"amount": "1", "to": {"user": "a", "memo": "x"}}, "to.memo"),
        ({"amount": "1"}, "to"),
        ({"amount": "1", "to": {"user": "a"}, "zone": 1}, "zone"),
        ({"amount": "1", "to": "a"}, "to"),
    ],
)
async def test_a_request_id_used_with_another_body_is_refused_naming_the_field(
    ledger: Ledger, org_id: UUID, other: dict[str, Any], field: str
) -> None:
    asked = make.opening(org_id, request={"amount": "1", "to": {"user": "a"}})
    await ledger.open(asked, MOVES)
    with pytest.raises(RequestIdTaken, match=field) as refused:
        await ledger.open(replace(asked, id=new_id(), request=other), MOVES)
    assert refused.value.field == field


async def test_a_request_id_used_for_another_kind_is_refused(ledger: Ledger, org_id: UUID) -> None:
    asked = make.opening(org_id)
    await ledger.open(asked, MOVES)
    with pytest.raises(RequestIdTaken, match=PAYMENT) as refused:
        await ledger.open(replace(asked, kind="OTHER"), MOVES)
    assert refused.value.field == "requestId"


async def test_a_request_id_is_the_organisation_s_own(database: Database, ledger: Ledger) -> None:
    request_id = new_id()
    for _ in range(2):
        org_id = await make.make_org(database)
        came = await ledger.open(make.opening(org_id, request_id=request_id), MOVES)
        assert isinstance(came, Opened)
        assert not came.is_replay


async def test_a_wallet_with_too_little_opens_nothing_and_the_id_stays_free(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    wallet_id = await make.make_wallet(database, org_id, units=2)
    account_id = await make.account_of(database, org_id, wallet_id)
    asked = make.opening(org_id, Status.HELD, units=3, account_id=account_id)
    assert await ledger.open(asked, MOVES) is Outcome.SHORT
    assert await make.balance(database, account_id) == (2, 0)
    assert await ledger.find_replay(org_id, asked.request_id, PAYMENT, asked.request) is None
    await make.fund(database, org_id, wallet_id, units=1)
    make.opened(await ledger.open(asked, MOVES))
    assert await make.balance(database, account_id) == (0, 3)


async def test_a_wallet_with_too_little_leaves_the_record_where_it_is(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id)
    asked = make.opening(org_id, Status.OPEN, account_id=account_id)
    record = make.opened(await ledger.open(asked, MOVES))
    assert await ledger.advance(make.move(record, Status.HELD), MOVES) is Outcome.SHORT
    assert await ledger.get(org_id, PAYMENT, record.id) == record


@pytest.mark.parametrize(
    ("timing", "late_by", "expected"),
    [
        (Timing.IN_TIME, -US, None),
        (Timing.IN_TIME, 0 * US, Outcome.LATE),
        (Timing.IN_TIME, US, Outcome.LATE),
        (Timing.IN_TIME, None, None),
        (Timing.OVERDUE, -US, Outcome.EARLY),
        (Timing.OVERDUE, 0 * US, None),
        (Timing.OVERDUE, US, None),
        (Timing.OVERDUE, None, Outcome.EARLY),
        (Timing.ANY, -US, None),
        (Timing.ANY, US, None),
    ],
)
async def test_a_deadline_is_judged_to_the_microsecond_by_the_statement_itself(
    ledger: Ledger,
    org_id: UUID,
    timing: Timing,
    late_by: timedelta | None,  # None: the record is never due
    expected: Outcome | None,
) -> None:
    due_in = timedelta(seconds=30)
    asked = make.opening(org_id, due_in=None if late_by is None else due_in)
    record = make.opened(await ledger.open(asked, MOVES))
    move = make.move(record, Status.GONE, timing=timing, at=asked.at + due_in + (late_by or 0 * US))
    came = await ledger.advance(move, MOVES)
    assert came == expected if expected else make.moved(came).status == Status.GONE


async def test_of_all_who_move_a_record_at_once_one_wins(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=9)
    asked = make.opening(org_id, Status.HELD, account_id=account_id)
    record = make.opened(await ledger.open(asked, MOVES))
    other = Ledger(database)
    came = await asyncio.gather(
        *(
            each.advance(make.move(record, status), MOVES)
            for each in (ledger, other)
            for status in (Status.SETTLED, Status.RETURNED) * 10
        )
    )
    won = [each for each in came if isinstance(each, Transfer)]
    assert len(won) == 1
    assert came.count(Outcome.LOST) == 39
    assert await ledger.get(org_id, PAYMENT, record.id) == won[0]
    left = 9 if won[0].status == Status.RETURNED else 8
    assert await make.balance(database, account_id) == (left, 0)


async def test_a_record_of_another_organisation_is_not_there(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    record = make.opened(await ledger.open(make.opening(org_id), MOVES))
    stranger = await make.make_org(database)
    stolen = replace(record, org_id=stranger)
    assert await ledger.advance(make.move(stolen, Status.GONE), MOVES) is Outcome.LOST
    for missing in ((stranger, PAYMENT, record.id), (org_id, "X", record.id)):
        with pytest.raises(TransactionNotFound):
            await ledger.get(*missing)


def bad_journals(account_id: UUID) -> list[dict[int, list[Posting]]]:
    other = Money(1, USDT)
    return [
        {0: [Posting(account_id, ONE)]},
        {0: [Posting(account_id, -ONE), Posting(Role.FEES, other)]},
        {0: [Posting(account_id, -ONE, held_units=2)]},
        {0: []},
        {1: make.held(account_id, ONE)},
        {-1: make.held(account_id, ONE)},
        {0: [Posting(account_id, ONE - ONE)]},
        {0: [Posting(Role.FEES, -ONE, held_units=1)]},
    ]


@pytest.mark.parametrize("which", range(8))
async def test_a_journal_that_makes_no_sense_is_broken_before_anything_happens(
    ledger: Ledger, org_id: UUID, which: int
) -> None:
    journals = bad_journals(new_id())[which]
    with pytest.raises(Broken):
        await ledger.open(make.opening(org_id, Status.OPEN, journals=journals), MOVES)
    record = make.opened(await ledger.open(make.opening(org_id), MOVES))
    with pytest.raises(Broken):
        await ledger.advance(make.move(record, Status.GONE, journals=journals), MOVES)


@pytest.mark.parametrize(
    "path", [(), (Status.SETTLED,), (Status.OPEN, Status.SETTLED), (Status.OPEN, "NOWHERE")]
)
async def test_a_path_that_the_flow_does_not_allow_is_broken(
    ledger: Ledger, org_id: UUID, path: tuple[str, ...]
) -> None:
    with pytest.raises(Broken, match="may not become"):
        await ledger.open(replace(make.opening(org_id), path=path), MOVES)
    record = make.opened(await ledger.open(make.opening(org_id), MOVES))
    with pytest.raises(Broken, match="may not become"):
        await ledger.advance(replace(make.move(record, Status.GONE), path=path), MOVES)
    unknown = replace(record, status="NOWHERE")
    with pytest.raises(Broken, match="no status"):
        await ledger.advance(make.move(unknown, Status.GONE), MOVES)


async def test_an_account_that_is_not_there_is_broken_and_moves_nothing(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=9)
    foreign_id = await make.make_account(database, await make.make_org(database), units=9)
    wallet_id = await make.make_wallet(database, org_id)
    usdt_id = await make.account_of(database, org_id, wallet_id, asset=USDT)
    record = make.opened(await ledger.open(make.opening(org_id), MOVES))
    for stray_id in (new_id(), foreign_id, usdt_id):
        journals = {0: [Posting(account_id, -ONE), Posting(stray_id, ONE)]}
        with pytest.raises(Broken, match="stray"):
            await ledger.open(make.opening(org_id, Status.OPEN, journals=journals), MOVES)
        with pytest.raises(Broken, match="stray"):
            await ledger.advance(make.move(record, Status.GONE, journals=journals), MOVES)
    assert await make.balance(database, account_id) == (9, 0)
    assert await make.balance(database, foreign_id) == (9, 0)
    assert await ledger.get(org_id, PAYMENT, record.id) == record


async def test_due_records_come_in_order_each_by_its_organisation_s_time(
    database: Database, ledger: Ledger
) -> None:
    one, other = await make.make_org(database), await make.make_org(database)
    at = make.CLOCK.stamp()
    due: dict[tuple[UUID, int], UUID] = {}
    for org_id in (one, other):
        for seconds in (30, 10, 20):
            asked = make.opening(org_id, due_in=timedelta(seconds=seconds), at=at + seconds * US)
            due[org_id, seconds] = make.opened(await ledger.open(asked, MOVES)).id
        await ledger.open(make.opening(org_id), MOVES)

    async def ids(limit: int, **after_s: int) -> list[UUID]:
        clocks: dict[UUID, datetime] = {
            {"one": one, "other": other}[name]: at + timedelta(seconds=seconds, milliseconds=1)
            for name, seconds in after_s.items()
        }
        return [record.id for record in await ledger.due(clocks, limit=limit)]

    assert await ids(9, one=9) == []
    assert await ids(9, one=20, other=10) == [due[one, 10], due[other, 10], due[one, 20]] or (
        await ids(9, one=20, other=10) == [due[other, 10], due[one, 10], due[one, 20]]
    )
    assert await ids(2, one=99) == [due[one, 10], due[one, 20]]


async def test_a_move_waits_for_whoever_holds_its_record_even_if_it_posts_nothing(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    record = make.opened(await ledger.open(make.opening(org_id), MOVES))
    held, let_go = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async def work(tx: Any) -> None:
            await store.lock(tx, transfers=[(org_id, record.id)], accounts=())
            held.set()
            await let_go.wait()

        await database.transact(work)

    holder = asyncio.create_task(hold())
    await held.wait()
    mover = asyncio.create_task(ledger.advance(make.move(record, Status.GONE), MOVES))
    await asyncio.wait([mover], timeout=0.2)
    assert not mover.done()
    let_go.set()
    await holder
    assert make.moved(await mover).status == Status.GONE


async def test_what_is_put_off_is_as_it_was_but_due_later(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    asked = make.opening(org_id, due_in=timedelta())
    read = make.opened(await ledger.open(asked, MOVES))
    assert read.due_at is not None
    later = read.due_at + timedelta(hours=1)
    assert await ledger.postpone(read, later, {"tries": 1})
    assert await ledger.get(org_id, PAYMENT, read.id) == replace(
        read, due_at=later, facts={"tries": 1}
    )
    # Who read it before, or hears of the commit only now, changes nothing.
    assert not await ledger.postpone(read, later + US, {"tries": 2})
    now = await ledger.get(org_id, PAYMENT, read.id)
    # It is not moved by that, so whoever moves it from what was read before still may.
    make.moved(await ledger.advance(make.move(read, Status.GONE), MOVES))
    assert not await ledger.postpone(now, later + US)
    gone = await ledger.get(org_id, PAYMENT, read.id)
    assert (gone.status, gone.due_at, gone.facts["tries"]) == (Status.GONE, None, 1)
    assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=org_id)).is_clean


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ({}, {}, None),
        ({"a": None}, {}, None),
        ({"a": {"b": [1]}}, {"a": {"b": [1]}}, None),
        ({"a": {"b": [1]}}, {"a": {"b": [2]}}, "a.b"),
        ({"a": {"b": 1}}, {"a": None}, "a"),
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, "a"),
    ],
)
def test_the_first_difference_is_named_by_its_path(
    before: dict[str, Any], after: dict[str, Any], field: str | None
) -> None:
    assert first_difference(before, after) == field
