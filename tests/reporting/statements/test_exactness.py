"""Statements tie to the ledger, whatever happens before or while one is read."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.statements.model import (
    AccountStatement,
    Statement,
    StatementDetail,
    StatementFormat,
    StatementRequest,
    StatementRow,
)
from tests.change_log import placed
from tests.make import Status
from tests.reporting.statements.ledger_entries import (
    account_of,
    deposit_many,
    moved,
    pay,
    pay_out,
    receive,
)
from tests.tenants import Tenant, fund, held, make_transfer, make_user, run_due

START = datetime(2026, 1, 1, tzinfo=UTC)
LONG_AGO, FAR_AHEAD = datetime(2020, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def request_params(
    user: str,
    *,
    after: datetime = LONG_AGO,
    before: datetime = FAR_AHEAD,
    detail: StatementDetail = StatementDetail.STEPS,
) -> StatementRequest:
    return StatementRequest(
        format=StatementFormat.CSV,
        detail=detail,
        user_id=UUID(user),
        wallet_id=None,
        currency="usdc",
        after=after,
        before=before,
        zone=ZoneInfo("UTC"),
    )


async def _read(
    org: Tenant, statement: Statement, part: AccountStatement, *, page_size: int = 2_000
) -> list[StatementRow]:
    pages = org.container.statements.lines(statement, part, page_size=page_size)
    return [line async for page in pages for line in page]


def _change(line: StatementRow) -> int:
    return (line.received.units if line.received else 0) - (line.spent.units if line.spent else 0)


class Deed(NamedTuple):
    """Something that happens to an account: `units` come in, or are held and then do `end`."""

    units: int
    minutes: tuple[int, int]
    end: Status | None


_DEEDS = st.lists(
    st.builds(
        Deed,
        units=st.integers(1, 10**15),
        minutes=st.tuples(st.integers(0, 60), st.integers(0, 30)),
        end=st.sampled_from([None, None, Status.SETTLED, Status.RETURNED]),
    ),
    max_size=14,
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    deeds=_DEEDS,
    bounds=st.tuples(st.integers(-5, 65), st.integers(1, 70)),
    page_size=st.integers(1, 5),
)
async def test_a_statement_equals_the_ledger_entries(
    org: Tenant, deeds: list[Deed], bounds: tuple[int, int], page_size: int
) -> None:
    user = await make_user(org)
    account = await account_of(org, user)
    # Enough that no payment is refused.
    await receive(org, account, 14 * 10**15, START)
    for deed in deeds:
        at = START + timedelta(minutes=deed.minutes[0])
        if deed.end is None:
            await receive(org, account, deed.units, at)
        else:
            moments = [at, at + timedelta(minutes=deed.minutes[1])]
            await pay(org, account, deed.units, moments, deed.end)
    after = START + timedelta(minutes=bounds[0])
    before = after + timedelta(minutes=bounds[1])
    statement = await org.container.statements.open(
        org.caller, request_params(user, after=after, before=before)
    )
    books = await moved(org, account)
    inside = [each for each in books if after <= each[0] < before]
    opening = sum(units for at, _, _, units in books if at < after)
    if not inside and not opening:
        assert not statement.parts
        return
    (part,) = statement.parts
    lines = await _read(org, statement, part, page_size=page_size)
    assert [(each.at, each.record_id, _change(each)) for each in lines] == [
        (at, record, units) for at, record, _, units in inside
    ]
    assert part.opening.units == opening
    assert part.lines == len(lines)
    assert (part.opening + part.received - part.spent) == part.closing
    balances = [opening]
    for each in lines:
        balances.append(balances[-1] + _change(each))
        assert each.balance.units == balances[-1]
    assert part.closing.units == balances[-1]


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    payments=st.lists(
        st.tuples(st.integers(1, 10**6), st.integers(0, 50), st.none() | st.integers(0, 30)),
        max_size=8,
    ),
    bounds=st.tuples(st.integers(-5, 65), st.integers(1, 70)),
    page_size=st.integers(1, 5),
)
async def test_a_payments_steps_are_one_line(
    org: Tenant,
    payments: list[tuple[int, int, int | None]],
    bounds: tuple[int, int],
    page_size: int,
) -> None:
    user = await make_user(org)
    account = await account_of(org, user)
    await receive(org, account, 10**7, START)
    for units, minute, pause in payments:
        at = START + timedelta(minutes=minute)
        returned_at = None if pause is None else at + timedelta(minutes=pause)
        await pay_out(org, account, units, at, returned_at=returned_at)
    after = START + timedelta(minutes=bounds[0])
    before = after + timedelta(minutes=bounds[1])
    request = request_params(user, after=after, before=before, detail=StatementDetail.PAYMENTS)
    statement = await org.container.statements.open(org.caller, request)
    inside = [each for each in await moved(org, account) if after <= each[0] < before]
    expected: dict[UUID, tuple[datetime, int, int]] = {}
    for at, record, _, units in inside:
        _, received, spent = expected.get(record, (at, 0, 0))
        expected[record] = (at, received + max(units, 0), spent + max(-units, 0))
    if not statement.parts:
        assert not expected
        return
    (part,) = statement.parts
    lines = await _read(org, statement, part, page_size=page_size)
    assert {
        each.record_id: (
            *(each.at, each.received.units if each.received else 0),
            each.spent.units if each.spent else 0,
        )
        for each in lines
    } == expected
    assert part.lines == len(lines) == len(expected)
    assert [each.at for each in lines] == sorted(each.at for each in lines)
    # The totals are those of the movements.
    assert part.received.units == sum(each for _, each, _ in expected.values())
    assert part.spent.units == sum(each for _, _, each in expected.values())
    assert (lines[-1].balance if lines else part.opening) == part.closing


async def test_statements_tie_to_a_real_balance_while_money_moves(
    org: Tenant,
) -> None:
    ada, bob = await make_user(org, funds="1000"), await make_user(org)
    is_over = False

    async def trade() -> None:
        for _ in range(12):
            await make_transfer(org, ada, bob, "1")
            await fund(org, ada, "2")

    async def work() -> None:
        while not is_over:
            await run_due(org)

    async def look() -> int:
        lines_read = 0
        while not is_over:
            statement = await org.container.statements.open(org.caller, request_params(ada))
            (part,) = statement.parts
            # Read slowly: `lines` raises Broken where it does not end with the closing balance.
            lines = await _read(org, statement, part, page_size=3)
            assert len(lines) == part.lines >= lines_read
            lines_read = part.lines
        return lines_read

    working, looking = asyncio.create_task(work()), asyncio.create_task(look())
    await asyncio.gather(*(trade() for _ in range(4)))
    is_over = True
    await working
    await looking
    await run_due(org)
    statement = await org.container.statements.open(org.caller, request_params(ada))
    (part,) = statement.parts
    assert str(part.closing) == await held(org, ada) == "1048"
    assert len(await _read(org, statement, part)) == 1 + 48 + 48


_BEGIN_LATE = """
insert into transfers (
    org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, created_at, updated_at
)
values (
    $1, $2, 'TEST.PAYMENT', $3, $2, '{}', 'FUNDED', 1, 'usdc:POLYGON', 7, 'usdc:POLYGON', 7, '{}',
    $4, $4
)
"""
_TELL_LATE = """
with batch as (
    insert into change_batches (org_id, number)
    values ($1, nextval('change_batch_numbers'))
    returning number
)
insert into changes
    (org_id, object_id, seq, kind, change_type, status_before, status_after, actor, occurred_at,
        is_settled, batch)
select $1, $2, 1, 'TEST.PAYMENT', 'open', null, 'FUNDED', 'test', $3, true, number
from batch
"""
_POST_LATE = """
insert into entries (org_id, transfer_id, seq, line, account_id, role, asset, available, held,
    occurred_at)
values ($1, $2, 1, 1, $3, null, 'usdc:POLYGON', 7, 0, $4),
    ($1, $2, 1, 2, null, 'outside', 'usdc:POLYGON', -7, 0, $4)
"""
_PAY_LATE = "update accounts set available = available + 7 where org_id = $1 and id = $2"


async def _write_late(tx: Tx, org: Tenant, account: UUID, user: str) -> None:
    record, at = new_id(), START + timedelta(seconds=1)
    await tx.execute(_BEGIN_LATE, org.org_id, record, UUID(user), at)
    await tx.execute(_TELL_LATE, org.org_id, record, at)
    await tx.execute(_POST_LATE, org.org_id, record, account, at)
    await tx.execute(_PAY_LATE, org.org_id, account)


@pytest.mark.parametrize("is_placed", [False, True], ids=["without a place", "with a place"])
async def test_later_commits_are_not_in_the_statement(
    org: Tenant, database: Database, dsn: str, *, is_placed: bool
) -> None:
    user = await make_user(org)
    account = await account_of(org, user)
    await deposit_many(org, user, 5, START)
    late = await Database.connect(dsn, name="late", size_max=1)
    has_begun, may_write, has_written, may_commit = (asyncio.Event() for _ in range(4))

    async def write(tx: Tx) -> None:
        has_begun.set()
        await may_write.wait()
        await _write_late(tx, org, account, user)
        has_written.set()
        await may_commit.wait()

    writing = asyncio.create_task(late.transact(write))
    await has_begun.wait()
    # Committed meanwhile, by a transaction that started later: in the statement.
    await deposit_many(org, user, 5, START + timedelta(minutes=1))
    may_write.set()
    await has_written.wait()
    # Of the journals in the statement, some have a place; the late one gets one afterwards.
    if is_placed:
        await placed(database)
    statement = await org.container.statements.open(org.caller, request_params(user))
    (part,) = statement.parts
    assert part.closing.units == 10
    pages = aiter(org.container.statements.lines(statement, part, page_size=1))
    lines = list(await anext(pages))
    may_commit.set()
    await writing
    await deposit_many(org, user, 5, START + timedelta(minutes=2))
    await placed(database)
    lines += [line async for page in pages for line in page]
    assert [each.balance.units for each in lines] == list(range(1, 11))
    later = await org.container.statements.open(org.caller, request_params(user))
    assert later.parts[0].closing.units == 22
    assert len(await _read(org, later, later.parts[0])) == 16
    await late.close()


async def test_no_connection_is_held_for_a_slow_client(org: Tenant, dsn: str) -> None:
    user = await make_user(org)
    await deposit_many(org, user, 3, START)
    narrow = await Database.connect(dsn, name="narrow", size_max=1)
    statements = replace(org.container.statements, database=narrow)
    statement = await statements.open(org.caller, request_params(user))
    pages = aiter(statements.lines(statement, statement.parts[0], page_size=1))
    await anext(pages)
    # The only connection is free.
    async with asyncio.timeout(60):
        assert await narrow.rows("select 1 as one")
    assert len([page async for page in pages]) == 2
    await narrow.close()


async def test_a_statement_that_does_not_tie_is_aborted(org: Tenant, database: Database) -> None:
    user = await make_user(org)
    account = await account_of(org, user)
    await deposit_many(org, user, 3, START)
    statement = await org.container.statements.open(org.caller, request_params(user))
    # Only a bug or sabotage does this.
    await database.rows(
        "update entries set available = 2 where org_id = $1 and account_id = $2"
        " and occurred_at = $3",
        org.org_id,
        account,
        START + timedelta(seconds=2),
    )
    with pytest.raises(InvariantBroken):
        await _read(org, statement, statement.parts[0])
