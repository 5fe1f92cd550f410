"""Ledger audit: every kind of planted corruption must be reported."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

import pytest

from landbridge.ledger import audit_store
from landbridge.ledger.audit import FINDINGS_MAX, audit, checks_to_run, table
from landbridge.ledger.house_accounts import roll_up
from landbridge.ledger.model import HouseRole, Posting
from landbridge.ledger.service import Ledger
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.change_log import placed
from tests.conftest import new_database
from tests.ledger.corruptions import CORRUPTIONS, JOURNALS, RECORDS, ROLL_UPS
from tests.long import few_of
from tests.make import MOVES_BY_KIND, TRANSITIONS, USDC, USDT, Status

# The database's own constraints are dropped first, or it would refuse the corruption.
DROP_GUARDS = [
    "drop index change_batches_place_key",
    "alter table accounts drop constraint accounts_available_check",
    "alter table accounts drop constraint accounts_held_check",
    "alter table entries drop constraint entries_account_id_role_check",
    "alter table entries drop constraint entries_available_held_check",
    "alter table changes drop constraint changes_pkey",
    "alter table changes drop constraint changes_seq_check",
]


@dataclass
class LedgerFixture:
    """Organisation with one of everything; `payment` was created, held and settled."""

    org_id: UUID
    account_id: UUID
    payment_id: UUID


async def make_ledger(database: Database) -> LedgerFixture:
    ledger = Ledger(database)
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=100)
    account_id = await make.account_of(database, org_id, wallet_id)
    other_id = await make.account_of(database, org_id, wallet_id, asset=USDT)
    swap = [
        Posting(account_id, Money(-10, USDC)),
        Posting(HouseRole.LIQUIDITY, Money(9, USDC)),
        Posting(HouseRole.FEES, Money(1, USDC)),
        Posting(HouseRole.LIQUIDITY, Money(-9, USDT)),
        Posting(other_id, Money(9, USDT)),
    ]
    await ledger.create(make.opening(org_id, Status.OPEN, journals={0: swap}), TRANSITIONS)
    await placed(database)
    await roll_up(database, [org_id])
    request = make.opening(org_id, account_id=account_id, units=7)
    record = make.opened(await ledger.create(request, TRANSITIONS))
    record = make.moved(await ledger.advance(make.move(record, Status.HELD), TRANSITIONS))
    record = make.moved(await ledger.advance(make.move(record, Status.SETTLED), TRANSITIONS))
    await placed(database)
    return LedgerFixture(org_id, account_id, record.id)


@pytest.fixture(scope="module")
async def unguarded(server_dsn: str) -> AsyncIterator[Database]:
    """Database of this module, without its last constraints."""
    async with new_database(server_dsn) as dsn:
        database = await Database.connect(dsn, name="tests", size_max=4)
        for statement in DROP_GUARDS:
            await database.rows(statement)
        yield database
        await database.close()


@pytest.mark.parametrize("name", CORRUPTIONS)
async def test_audit_reports_each_corruption(unguarded: Database, name: str) -> None:
    corrupt, checks, subject, sentence = CORRUPTIONS[name]
    books = await make_ledger(unguarded)
    assert (await audit(unguarded, MOVES_BY_KIND, {}, org_id=books.org_id)).is_clean
    await unguarded.rows(corrupt, books.org_id, books.payment_id, books.account_id)
    audited = await audit(unguarded, MOVES_BY_KIND, {}, org_id=books.org_id)
    assert {check.name for check in audited.checks if check.wrong} == checks, table(audited)
    key = {
        "payment": str(books.payment_id),
        "account": str(books.account_id),
        "org": str(books.org_id),
    }.get(subject, subject)
    reported = [each for each in audited.findings if each.key.split("/")[0] == key]
    assert any(sentence in each.sentence for each in reported), table(audited)
    assert all(each.org_id == books.org_id for each in audited.findings)


async def test_audit_of_all_organisations_reports_a_corruption(own_database: Database) -> None:
    for statement in DROP_GUARDS:
        await own_database.rows(statement)
    corrupt = CORRUPTIONS["an entry one unit larger"][0]
    books = await make_ledger(own_database)
    assert (await audit(own_database, MOVES_BY_KIND, {})).is_clean
    await own_database.rows(corrupt, books.org_id, books.payment_id, books.account_id)
    assert not (await audit(own_database, MOVES_BY_KIND, {})).is_clean


async def test_clean_audit_reports_checked_rows(own_database: Database) -> None:
    books = await make_ledger(own_database)
    # Changes of other packages' objects are not records; the audit ignores them.
    await own_database.rows(
        "with batch as (insert into change_batches (org_id, number)"
        " values ($1, nextval('change_batch_numbers')) returning number)"
        " insert into changes (org_id, object_id, seq, kind, change_type, actor, occurred_at,"
        " is_settled, batch)"
        " select $1, $1, 1, 'USER', 'create', 'test', now(), true, number from batch",
        books.org_id,
    )
    audited = await audit(own_database, MOVES_BY_KIND, {})
    assert audited.is_clean
    assert audited.findings == []
    table_name = {(check.table_name, check.rows) for check in audited.checks}
    assert table_name == {
        ("entries", 10),
        ("accounts", 2),
        ("house_accounts", 4),
        ("transfers", 3),
        ("changes", 6),
    }
    assert table(audited).splitlines()[1].split() == [
        *JOURNALS.split(),
        *("10", "entries", "0"),
    ]
    assert (await audit(own_database, MOVES_BY_KIND, {}, org_id=new_id())).checks[0].rows == 0


@pytest.mark.long
async def test_findings_are_bounded_but_counted_exactly(unguarded: Database) -> None:
    books = await make_ledger(unguarded)
    ledger = Ledger(unguarded)
    for _ in range(FINDINGS_MAX + 5):
        await ledger.create(make.opening(books.org_id), TRANSITIONS)
    await unguarded.rows(
        "update transfers set updated_at = updated_at + interval '1 h' where org_id = $1",
        books.org_id,
    )
    audited = await audit(unguarded, MOVES_BY_KIND, {}, org_id=books.org_id)
    assert len(audited.findings) == FINDINGS_MAX
    assert [check.wrong for check in audited.checks if check.wrong] == [FINDINGS_MAX + 8]
    assert f"{RECORDS}: {audited.findings[0].key} (organisation {books.org_id})" in table(audited)


@pytest.mark.parametrize("is_whole", [True, False])
async def test_no_check_uses_a_nested_loop(own_database: Database, *, is_whole: bool) -> None:
    """The tables of a new database were never analyzed, so the planner does not know their size."""
    org_id = None if is_whole else new_id()

    async def explain(tx: Tx) -> list[tuple[str, str]]:
        await audit_store.begin(tx)
        return [
            (name, row["QUERY PLAN"].strip())
            for name, _, statement, args in checks_to_run(MOVES_BY_KIND)
            for row in await tx.fetch(f"explain {statement}", org_id, FINDINGS_MAX, *args)
        ]

    lines = await own_database.transact(explain)
    assert any("Join" in line for _, line in lines)
    # Rows that belong together: a change and its facts, a correction and its changes, a watermark.
    linear = {"every fact matches the changes", "every correction reverses a journal"}
    linear |= set() if is_whole else {ROLL_UPS}
    assert {name for name, line in lines if "Nested Loop" in line} == linear


@pytest.mark.parametrize("rounds", few_of([4, 15]))
async def test_audit_reads_one_snapshot_of_a_live_system(database: Database, rounds: int) -> None:
    ledger, org_id = Ledger(database), await make.make_org(database)
    accounts = [await make.make_account(database, org_id, units=100_000) for _ in range(4)]
    is_done = False

    async def pay(account_id: UUID) -> None:
        while not is_done:
            record = make.opened(
                await ledger.create(
                    make.opening(org_id, Status.HELD, account_id=account_id), TRANSITIONS
                )
            )
            await ledger.advance(make.move(record, Status.SETTLED), TRANSITIONS)

    payers = [pay(each) for each in accounts]

    async def look() -> None:
        nonlocal is_done
        for _ in range(rounds):
            audited = await audit(database, MOVES_BY_KIND, {}, org_id=org_id)
            assert audited.is_clean, table(audited)
            await roll_up(database, [org_id])
        is_done = True

    await asyncio.gather(look(), *payers)
