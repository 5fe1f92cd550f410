"""A commit without confirmation is retried: no line, deposit or decision is stored twice."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.payments.bank_files.statement_line_model import (
    LineResolutionKind,
    StatementLineStatus,
)
from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller
from tests.payments.bank_files.builders import Bank, by_sepa, connect_bank, make_bank
from tests.payments.bank_files.inbound_files import (
    back,
    credit,
    debit,
    incoming_payments,
    line_reviews_of,
    lines,
    read,
    statement,
)
from tests.payments.incoming_payments.incoming_payment_setup import NoTaker, make_held, steps_of
from tests.platform.db.test_lost_commits import Forgetful
from tests.tenants import Tenant


@pytest.fixture
async def bank(database: Database, dsn: str, tmp_path: Path) -> AsyncIterator[Bank]:
    """Bank whose worker repeats every transaction."""
    created = await make_bank(database, tmp_path)
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    yield connect_bank(forgetful, created.org_id, created.clock, tmp_path)
    await forgetful.close()


async def count_changes(database: Database, org_id: UUID, kind: str) -> Counter[str]:
    rows = await database.rows(
        "select change_type from changes where org_id = $1 and kind = $2", org_id, kind
    )
    return Counter(row["change_type"] for row in rows)


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
    assert found == [BankPaymentStatus.SETTLED, BankPaymentStatus.FAILED]
    assert len(await incoming_payments(bank)) == 2
    assert {each.status for each in await lines(bank)} == {StatementLineStatus.MATCHED}
    ends = await count_changes(database, bank.org_id, "BANK.PAYMENT")
    assert (ends["settled"], ends["failed"]) == (1, 1)
    assert await count_changes(database, bank.org_id, "INCOMING_PAYMENT") == {"receive": 2}


async def test_a_line_is_held_and_resolved_once(bank: Bank, database: Database) -> None:
    await read(bank, a=statement(debit(UUID(int=7))), b=b"bad")
    caller = Caller(bank.org_id, UUID(int=1), timedelta(), can_review=True)
    reviews = line_reviews_of(bank)
    for each in await lines(bank, StatementLineStatus.UNMATCHED):
        resolved = await reviews.resolve(caller, each.id, LineResolutionKind.HANDLED, comment="x")
        assert resolved.status is StatementLineStatus.RESOLVED
    assert await count_changes(database, bank.org_id, "BANK.LINE") == {"hold": 2, "resolve": 2}


async def test_a_deposit_is_held_and_returned_once(org: Tenant, dsn: str) -> None:
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    container = org.container
    twice = type(container.incoming_payments)(forgetful, container.vault)
    reviews = replace(
        container.incoming_payment_reviews, incoming_payments=twice, database=forgetful
    )
    incoming_payment = await make_held(org)
    caller = replace(org.caller, can_review=True)
    sent = await reviews.send_back(caller, incoming_payment.id, comment="x")
    assert (sent.status, sent.version) == (IncomingPaymentStatus.RETURNING, 3)
    await steps_of(org, NoTaker()).run_all({org.org_id: timedelta()})
    assert await count_changes(container.database, org.org_id, "INCOMING_PAYMENT") == {
        "receive": 1,
        "hold": 1,
        "return": 1,
        "returned": 1,
    }
    await forgetful.close()
