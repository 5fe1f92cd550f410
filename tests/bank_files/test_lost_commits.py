"""A commit that nobody heard of is tried again: no line, deposit or decision happens twice."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.bank_files.line_model import LineStatus, Resolution
from landbridge.bank_files.model import Status
from landbridge.db.pool import Database
from landbridge.receipts.model import Status as ReceiptStatus
from landbridge.web.caller import Caller
from tests.db.test_lost_commits import Forgetful
from tests.receipts.play import NoTaker, make_held, steps_of
from tests.tenants import Tenant

from .incoming import back, credit, debit, line_reviews_of, lines, read, receipts, statement
from .made import Bank, by_sepa, connect_bank, make_bank


@pytest.fixture
async def bank(database: Database, dsn: str, tmp_path: Path) -> AsyncIterator[Bank]:
    """A bank whose worker does everything twice."""
    made = await make_bank(database, tmp_path)
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    yield connect_bank(forgetful, made.org_id, made.clock, tmp_path)
    await forgetful.close()


async def told(database: Database, org_id: UUID, kind: str) -> Counter[str]:
    rows = await database.rows(
        "select what from changes where org_id = $1 and kind = $2", org_id, kind
    )
    return Counter(row["what"] for row in rows)


async def test_each_line_is_applied_once(bank: Bank, database: Database) -> None:
    payments = [by_sepa(bank.org_id) for _ in range(2)]
    for each in payments:
        await bank.rails.pay(each)
    await bank.write(is_early=True)
    settled, returned = (each.key for each in payments)
    bare = credit(bank_reference=None)
    (answer,) = await read(
        bank, a=statement(debit(settled), debit(returned), back(returned), bare, credit(5))
    )
    assert (answer.line_count, answer.known_count) == (5, 0)
    found = [(await bank.find(each)).status for each in (settled, returned)]
    assert found == [Status.SETTLED, Status.FAILED]
    assert len(await receipts(bank)) == 2
    assert {each.status for each in await lines(bank)} == {LineStatus.MATCHED}
    ends = await told(database, bank.org_id, "BANK.PAYMENT")
    assert (ends["settled"], ends["failed"]) == (1, 1)
    assert await told(database, bank.org_id, "RECEIPT") == {"receive": 2}


async def test_a_line_is_held_and_resolved_once(bank: Bank, database: Database) -> None:
    await read(bank, a=statement(debit(UUID(int=7))), b=b"bad")
    caller = Caller(bank.org_id, UUID(int=1), timedelta(), can_review=True)
    reviews = line_reviews_of(bank)
    for each in await lines(bank, LineStatus.UNMATCHED):
        resolved = await reviews.resolve(caller, each.id, Resolution.HANDLED, comment="x")
        assert resolved.status is LineStatus.RESOLVED
    assert await told(database, bank.org_id, "BANK.LINE") == {"hold": 2, "resolve": 2}


async def test_a_deposit_is_held_and_sent_back_once(org: Tenant, dsn: str) -> None:
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    house = org.house
    twice = type(house.receipts)(forgetful, house.vault)
    reviews = type(house.deposit_reviews)(
        *(twice, house.deposit_reviews.matcher, house.rails, house.clock)
    )
    receipt = await make_held(org)
    caller = replace(org.caller, can_review=True)
    sent = await reviews.send_back(caller, receipt.id, comment="x")
    assert (sent.status, sent.version) == (ReceiptStatus.RETURNING, 3)
    await steps_of(org, NoTaker()).run_all({org.org_id: timedelta()})
    assert await told(house.database, org.org_id, "RECEIPT") == {
        "receive": 1,
        "hold": 1,
        "return": 1,
        "returned": 1,
    }
    await forgetful.close()
