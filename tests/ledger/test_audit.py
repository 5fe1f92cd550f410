"""The audit, proven by planting every kind of corruption and seeing it named."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

import pytest

from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.ledger import audit_store
from landbridge.ledger.audit import FINDINGS_MAX, audit, proofs, table
from landbridge.ledger.house import roll_up
from landbridge.ledger.model import Posting, Role
from landbridge.ledger.service import Ledger
from tests import make
from tests.conftest import new_database
from tests.ledger.corruptions import CORRUPTIONS, JOURNALS, RECORDS
from tests.ledger.test_house import settle
from tests.make import MOVES, MOVES_BY_KIND, USDC, USDT, Status

# The last guards must go first, or PostgreSQL would not let the damage in.
DROP_GUARDS = [
    "alter table accounts drop constraint accounts_available_check",
    "alter table accounts drop constraint accounts_held_check",
    "alter table entries drop constraint entries_account_id_role_check",
    "alter table entries drop constraint entries_available_held_check",
    "alter table changes drop constraint changes_pkey",
    "alter table changes drop constraint changes_seq_check",
]


@dataclass
class Books:
    """An organisation with one of everything; `payment` was opened, held and settled."""

    org_id: UUID
    account_id: UUID
    payment_id: UUID


async def keep_books(database: Database) -> Books:
    ledger = Ledger(database)
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=100)
    account_id = await make.account_of(database, org_id, wallet_id)
    other_id = await make.account_of(database, org_id, wallet_id, asset=USDT)
    swap = [
        Posting(account_id, Money(-10, USDC)),
        Posting(Role.LIQUIDITY, Money(9, USDC)),
        Posting(Role.FEES, Money(1, USDC)),
        Posting(Role.LIQUIDITY, Money(-9, USDT)),
        Posting(other_id, Money(9, USDT)),
    ]
    await ledger.open(make.opening(org_id, Status.OPEN, journals={0: swap}), MOVES)
    await settle(database)
    await roll_up(database, [org_id])
    asked = make.opening(org_id, account_id=account_id, units=7)
    record = make.opened(await ledger.open(asked, MOVES))
    record = make.moved(await ledger.advance(make.move(record, Status.HELD), MOVES))
    record = make.moved(await ledger.advance(make.move(record, Status.SETTLED), MOVES))
    await settle(database)
    return Books(org_id, account_id, record.id)


@pytest.fixture(scope="module")
async def unguarded(server_dsn: str) -> AsyncIterator[Database]:
    """A database of this module's own, without its last guards."""
    async with new_database(server_dsn) as dsn:
        database = await Database.connect(dsn, name="tests", size_max=4)
        for statement in DROP_GUARDS:
            await database.rows(statement)
        yield database
        await database.close()


@pytest.mark.parametrize("what", CORRUPTIONS)
async def test_the_audit_names(unguarded: Database, what: str) -> None:
    corrupt, checks, whose, sentence = CORRUPTIONS[what]
    books = await keep_books(unguarded)
    assert (await audit(unguarded, MOVES_BY_KIND, {}, org_id=books.org_id)).is_clean
    await unguarded.rows(corrupt, books.org_id, books.payment_id, books.account_id)
    audited = await audit(unguarded, MOVES_BY_KIND, {}, org_id=books.org_id)
    assert {check.name for check in audited.checks if check.wrong} == checks, table(audited)
    key = {
        "payment": str(books.payment_id),
        "account": str(books.account_id),
        "org": str(books.org_id),
    }.get(whose, whose)
    told = [each for each in audited.findings if each.key.split("/")[0] == key]
    assert any(sentence in each.sentence for each in told), table(audited)
    assert all(each.org_id == books.org_id for each in audited.findings)
    # Seen in the whole, too, as it was in this organisation's part.
    assert not (await audit(unguarded, MOVES_BY_KIND, {})).is_clean


async def test_a_clean_audit_says_what_it_looked_at(own_database: Database) -> None:
    books = await keep_books(own_database)
    # Other packages tell of objects that are no records; those have no say here.
    await own_database.rows(
        "insert into changes (org_id, object_id, seq, kind, what, actor, at, rests, tx)"
        " values ($1, $1, 1, 'USER', 'create', 'test', now(), true, pg_current_xact_id())",
        books.org_id,
    )
    audited = await audit(own_database, MOVES_BY_KIND, {})
    assert audited.is_clean
    assert audited.findings == []
    looked_at = {(check.looked_at, check.rows) for check in audited.checks}
    assert looked_at == {
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


async def test_findings_are_bounded_and_counted_truly(unguarded: Database) -> None:
    books = await keep_books(unguarded)
    ledger = Ledger(unguarded)
    for _ in range(FINDINGS_MAX + 5):
        await ledger.open(make.opening(books.org_id), MOVES)
    await unguarded.rows(
        "update transfers set updated_at = updated_at + interval '1 h' where org_id = $1",
        books.org_id,
    )
    audited = await audit(unguarded, MOVES_BY_KIND, {}, org_id=books.org_id)
    assert len(audited.findings) == FINDINGS_MAX
    assert [check.wrong for check in audited.checks if check.wrong] == [FINDINGS_MAX + 8]
    assert f"{RECORDS}: {audited.findings[0].key} (organisation {books.org_id})" in table(audited)


@pytest.mark.parametrize("is_whole", [True, False])
async def test_no_proof_compares_each_row_with_each(
    own_database: Database, *, is_whole: bool
) -> None:
    """Nobody has analyzed these tables, so the planner knows nothing of how long they get."""
    org_id = None if is_whole else new_id()

    async def explain(tx: Tx) -> list[tuple[str, str]]:
        await audit_store.begin(tx)
        return [
            (name, row["QUERY PLAN"].strip())
            for name, _, statement, args in proofs(MOVES_BY_KIND)
            for row in await tx.fetch(f"explain {statement}", org_id, FINDINGS_MAX, *args)
        ]

    lines = await own_database.transact(explain)
    assert any("Join" in line for _, line in lines)
    # A change with its own facts; a correction with the changes that it names; an organisation's
    # changes with its one watermark.
    linear = {"every fact of a record is what was told", "every correction reverses a journal"}
    linear |= set() if is_whole else {"house accounts are rolled up right"}
    assert {name for name, line in lines if "Nested Loop" in line} == linear


async def test_the_audit_sees_one_moment_of_a_live_system(database: Database) -> None:
    ledger, org_id = Ledger(database), await make.make_org(database)
    accounts = [await make.make_account(database, org_id, units=100_000) for _ in range(4)]
    is_done = False

    async def pay(account_id: UUID) -> None:
        while not is_done:
            record = make.opened(
                await ledger.open(make.opening(org_id, Status.HELD, account_id=account_id), MOVES)
            )
            await ledger.advance(make.move(record, Status.SETTLED), MOVES)

    payers = [pay(each) for each in accounts]

    async def look() -> None:
        nonlocal is_done
        for _ in range(15):
            audited = await audit(database, MOVES_BY_KIND, {}, org_id=org_id)
            assert audited.is_clean, table(audited)
            await roll_up(database, [org_id])
        is_done = True

    await asyncio.gather(look(), *payers)
