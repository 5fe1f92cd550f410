"""Ledger service: results, refusals, and unchanged state after a refusal."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.ledger import store
from landbridge.ledger.audit import audit
from landbridge.ledger.errors import RequestIdTaken, TransactionNotFound
from landbridge.ledger.model import CommitOutcome, DueCheck, HouseRole, Posting, Transfer
from landbridge.ledger.replays import first_difference
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from tests import make
from tests.make import PAYMENT, TRANSITIONS, USDC, USDT, Status

ONE = Money(1, USDC)
US = timedelta(microseconds=1)


@pytest.fixture
async def org_id(database: Database) -> UUID:
    return await make.make_org(database)


async def test_create_and_advance_return_what_get_reads(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    request = make.opening(
        org_id, Status.OPEN, units=3, account_id=account_id, due_in=timedelta(minutes=1)
    )
    record = make.opened(await ledger.create(request, TRANSITIONS))
    assert await ledger.get(org_id, PAYMENT, request.id) == record
    record = make.moved(
        await ledger.advance(make.move(record, Status.HELD, facts={"a": {"b": 1}}), TRANSITIONS)
    )
    assert await ledger.get(org_id, PAYMENT, request.id) == record
    assert (record.status, record.version, record.due_at) == (Status.HELD, 2, None)
    assert await make.balance(database, account_id) == (2, 3)
    record = make.moved(
        await ledger.advance(make.move(record, Status.SETTLED, facts={"c": None}), TRANSITIONS)
    )
    assert await ledger.get(org_id, PAYMENT, request.id) == record
    assert record.facts == {"a": {"b": 1}, "c": None}
    assert await make.balance(database, account_id) == (2, 0)
    assert (await audit(database, make.MOVES_BY_KIND, {}, org_id=org_id)).is_clean


async def test_path_writes_a_change_per_status_and_settles_the_last(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=5)
    path = (Status.OPEN, Status.HELD, Status.SETTLED)
    journals = {
        1: make.postings(Status.HELD, account_id, ONE),
        2: make.postings(Status.SETTLED, account_id, ONE),
    }
    request = make.opening(org_id, *path, account_id=account_id, journals=journals)
    record = make.opened(await ledger.create(request, TRANSITIONS))
    assert (record.status, record.version) == (Status.SETTLED, 3)
    rows = await database.rows(
        "select seq, change_type, status_before, status_after, is_settled from changes"
        " where object_id = $1"
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


async def test_repeated_request_returns_the_record_and_moves_no_money(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=1)
    request = make.opening(org_id, Status.HELD, account_id=account_id)
    # Concurrently, and again when the wallet is empty.
    outcome = await asyncio.gather(
        *(ledger.create(replace(request, id=new_id()), TRANSITIONS) for _ in range(50))
    )
    outcome.append(await ledger.create(replace(request, id=new_id()), TRANSITIONS))
    records = [make.opened(each) for each in outcome]
    assert all(record == records[0] for record in records)
    assert sum(not each.is_replay for each in outcome if isinstance(each, CreatedTransfer)) == 1
    assert await make.balance(database, account_id) == (0, 1)


async def test_replay_returns_the_current_record(ledger: Ledger, org_id: UUID) -> None:
    request = make.opening(org_id)
    record = make.opened(await ledger.create(request, TRANSITIONS))
    record = make.moved(await ledger.advance(make.move(record, Status.GONE), TRANSITIONS))
    assert await ledger.create(request, TRANSITIONS) == CreatedTransfer(record, is_replay=True)


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
    request = make.opening(org_id, request={"amount": "1", "to": {"user": "a"}})
    await ledger.create(request, TRANSITIONS)
    with pytest.raises(RequestIdTaken, match=field) as refused:
        await ledger.create(replace(request, id=new_id(), request=other), TRANSITIONS)
    assert refused.value.field == field


async def test_a_request_id_used_for_another_kind_is_refused(ledger: Ledger, org_id: UUID) -> None:
    request = make.opening(org_id)
    await ledger.create(request, TRANSITIONS)
    with pytest.raises(RequestIdTaken, match=PAYMENT) as refused:
        await ledger.create(replace(request, kind="OTHER"), TRANSITIONS)
    assert refused.value.field == "requestId"


async def test_request_id_is_scoped_to_the_organisation(database: Database, ledger: Ledger) -> None:
    request_id = new_id()
    for _ in range(2):
        org_id = await make.make_org(database)
        outcome = await ledger.create(make.opening(org_id, request_id=request_id), TRANSITIONS)
        assert isinstance(outcome, CreatedTransfer)
        assert not outcome.is_replay


async def test_insufficient_balance_creates_nothing_and_frees_the_request_id(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    wallet_id = await make.make_wallet(database, org_id, units=2)
    account_id = await make.account_of(database, org_id, wallet_id)
    request = make.opening(org_id, Status.HELD, units=3, account_id=account_id)
    assert await ledger.create(request, TRANSITIONS) is CommitOutcome.INSUFFICIENT
    assert await make.balance(database, account_id) == (2, 0)
    assert await ledger.find_replay(org_id, request.request_id, PAYMENT, request.request) is None
    await make.fund(database, org_id, wallet_id, units=1)
    make.opened(await ledger.create(request, TRANSITIONS))
    assert await make.balance(database, account_id) == (0, 3)


async def test_insufficient_balance_leaves_the_record_unchanged(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id)
    request = make.opening(org_id, Status.OPEN, account_id=account_id)
    record = make.opened(await ledger.create(request, TRANSITIONS))
    assert (
        await ledger.advance(make.move(record, Status.HELD), TRANSITIONS)
        is CommitOutcome.INSUFFICIENT
    )
    assert await ledger.get(org_id, PAYMENT, record.id) == record


@pytest.mark.parametrize(
    ("timing", "late_by", "expected"),
    [
        (DueCheck.IN_TIME, -US, None),
        (DueCheck.IN_TIME, 0 * US, CommitOutcome.LATE),
        (DueCheck.IN_TIME, US, CommitOutcome.LATE),
        (DueCheck.IN_TIME, None, None),
        (DueCheck.OVERDUE, -US, CommitOutcome.EARLY),
        (DueCheck.OVERDUE, 0 * US, None),
        (DueCheck.OVERDUE, US, None),
        (DueCheck.OVERDUE, None, CommitOutcome.EARLY),
        (DueCheck.ANY, -US, None),
        (DueCheck.ANY, US, None),
    ],
)
async def test_deadline_is_checked_to_the_microsecond(
    ledger: Ledger,
    org_id: UUID,
    timing: DueCheck,
    late_by: timedelta | None,  # None: never due
    expected: CommitOutcome | None,
) -> None:
    due_in = timedelta(seconds=30)
    request = make.opening(org_id, due_in=None if late_by is None else due_in)
    record = make.opened(await ledger.create(request, TRANSITIONS))
    move = make.move(
        record, Status.GONE, timing=timing, at=request.at + due_in + (late_by or 0 * US)
    )
    outcome = await ledger.advance(move, TRANSITIONS)
    assert outcome == expected if expected else make.moved(outcome).status == Status.GONE


async def test_concurrent_advances_of_a_record_have_one_winner(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=9)
    request = make.opening(org_id, Status.HELD, account_id=account_id)
    record = make.opened(await ledger.create(request, TRANSITIONS))
    other = Ledger(database)
    outcome = await asyncio.gather(
        *(
            each.advance(make.move(record, status), TRANSITIONS)
            for each in (ledger, other)
            for status in (Status.SETTLED, Status.RETURNED) * 10
        )
    )
    won = [each for each in outcome if isinstance(each, Transfer)]
    assert len(won) == 1
    assert outcome.count(CommitOutcome.STALE) == 39
    assert await ledger.get(org_id, PAYMENT, record.id) == won[0]
    left = 9 if won[0].status == Status.RETURNED else 8
    assert await make.balance(database, account_id) == (left, 0)


async def test_record_of_another_organisation_is_not_found(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    record = make.opened(await ledger.create(make.opening(org_id), TRANSITIONS))
    outsider = await make.make_org(database)
    stolen = replace(record, org_id=outsider)
    assert await ledger.advance(make.move(stolen, Status.GONE), TRANSITIONS) is CommitOutcome.STALE
    for missing in ((outsider, PAYMENT, record.id), (org_id, "X", record.id)):
        with pytest.raises(TransactionNotFound):
            await ledger.get(*missing)


def bad_journals(account_id: UUID) -> list[dict[int, list[Posting]]]:
    other = Money(1, USDT)
    return [
        {0: [Posting(account_id, ONE)]},
        {0: [Posting(account_id, -ONE), Posting(HouseRole.FEES, other)]},
        {0: [Posting(account_id, -ONE, held_units=2)]},
        {0: []},
        {1: make.held(account_id, ONE)},
        {-1: make.held(account_id, ONE)},
        {0: [Posting(account_id, ONE - ONE)]},
        {0: [Posting(HouseRole.FEES, -ONE, held_units=1)]},
    ]


@pytest.mark.parametrize("which", range(8))
async def test_invalid_journal_raises_before_anything_is_written(
    ledger: Ledger, org_id: UUID, which: int
) -> None:
    journals = bad_journals(new_id())[which]
    with pytest.raises(InvariantBroken):
        await ledger.create(make.opening(org_id, Status.OPEN, journals=journals), TRANSITIONS)
    record = make.opened(await ledger.create(make.opening(org_id), TRANSITIONS))
    with pytest.raises(InvariantBroken):
        await ledger.advance(make.move(record, Status.GONE, journals=journals), TRANSITIONS)


@pytest.mark.parametrize(
    "path", [(), (Status.SETTLED,), (Status.OPEN, Status.SETTLED), (Status.OPEN, "NOWHERE")]
)
async def test_forbidden_path_raises(ledger: Ledger, org_id: UUID, path: tuple[str, ...]) -> None:
    with pytest.raises(InvariantBroken, match="may not become"):
        await ledger.create(replace(make.opening(org_id), path=path), TRANSITIONS)
    record = make.opened(await ledger.create(make.opening(org_id), TRANSITIONS))
    with pytest.raises(InvariantBroken, match="may not become"):
        await ledger.advance(replace(make.move(record, Status.GONE), path=path), TRANSITIONS)
    unknown = replace(record, status="NOWHERE")
    with pytest.raises(InvariantBroken, match="no status"):
        await ledger.advance(make.move(unknown, Status.GONE), TRANSITIONS)


async def test_unknown_account_raises_and_moves_nothing(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    account_id = await make.make_account(database, org_id, units=9)
    foreign_id = await make.make_account(database, await make.make_org(database), units=9)
    wallet_id = await make.make_wallet(database, org_id)
    usdt_id = await make.account_of(database, org_id, wallet_id, asset=USDT)
    record = make.opened(await ledger.create(make.opening(org_id), TRANSITIONS))
    for stray_id in (new_id(), foreign_id, usdt_id):
        journals = {0: [Posting(account_id, -ONE), Posting(stray_id, ONE)]}
        with pytest.raises(InvariantBroken, match="stray"):
            await ledger.create(make.opening(org_id, Status.OPEN, journals=journals), TRANSITIONS)
        with pytest.raises(InvariantBroken, match="stray"):
            await ledger.advance(make.move(record, Status.GONE, journals=journals), TRANSITIONS)
    assert await make.balance(database, account_id) == (9, 0)
    assert await make.balance(database, foreign_id) == (9, 0)
    assert await ledger.get(org_id, PAYMENT, record.id) == record


async def test_due_records_are_ordered_by_their_organisations_clocks(
    database: Database, ledger: Ledger
) -> None:
    one, other = await make.make_org(database), await make.make_org(database)
    at = make.CLOCK.stamp()
    due: dict[tuple[UUID, int], UUID] = {}
    for org_id in (one, other):
        for seconds in (30, 10, 20):
            request = make.opening(org_id, due_in=timedelta(seconds=seconds), at=at + seconds * US)
            due[org_id, seconds] = make.opened(await ledger.create(request, TRANSITIONS)).id
        await ledger.create(make.opening(org_id), TRANSITIONS)

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


async def test_advance_without_postings_waits_for_the_record_lock(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    record = make.opened(await ledger.create(make.opening(org_id), TRANSITIONS))
    held, let_go = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async def work(tx: Any) -> None:
            await store.lock_records(tx, [(org_id, record.id)])
            held.set()
            await let_go.wait()

        await database.transact(work)

    holder = asyncio.create_task(hold())
    await held.wait()
    mover = asyncio.create_task(ledger.advance(make.move(record, Status.GONE), TRANSITIONS))
    await asyncio.wait([mover], timeout=0.2)
    assert not mover.done()
    let_go.set()
    await holder
    assert make.moved(await mover).status == Status.GONE


async def test_postponed_record_only_changes_its_due_time(
    database: Database, ledger: Ledger, org_id: UUID
) -> None:
    request = make.opening(org_id, due_in=timedelta())
    read = make.opened(await ledger.create(request, TRANSITIONS))
    assert read.due_at is not None
    later = read.due_at + timedelta(hours=1)
    assert await ledger.postpone(read, later, {"attempts": 1})
    assert await ledger.get(org_id, PAYMENT, read.id) == replace(
        read, due_at=later, facts={"attempts": 1}
    )
    # A stale read, or a late acknowledgement of the commit, changes nothing.
    assert not await ledger.postpone(read, later + US, {"attempts": 2})
    now = await ledger.get(org_id, PAYMENT, read.id)
    # The version is unchanged, so an advance from the earlier read still succeeds.
    make.moved(await ledger.advance(make.move(read, Status.GONE), TRANSITIONS))
    assert not await ledger.postpone(now, later + US)
    missing = await ledger.get(org_id, PAYMENT, read.id)
    assert (missing.status, missing.due_at, missing.facts["attempts"]) == (Status.GONE, None, 1)
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
def test_first_difference_is_named_by_its_path(
    before: dict[str, Any], after: dict[str, Any], field: str | None
) -> None:
    assert first_difference(before, after) == field
