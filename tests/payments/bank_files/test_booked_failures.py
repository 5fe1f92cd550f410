"""Returns of deposits that the bank refuses and books all the same."""

from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.payments.bank_files.statement_line_model import (
    LineResolutionKind,
    StatementLineStatus,
)
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller
from landbridge.providers.iso20022.messages import TransactionStatus
from landbridge.providers.rails.port import RailPayment
from tests.payments.bank_files.builders import Bank, by_sepa, make_bank
from tests.payments.bank_files.inbound_files import (
    debit,
    line_reviews_of,
    lines,
    read,
    report,
    statement,
    status,
    transaction,
)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


def returns_of_one_deposit(bank: Bank, count: int) -> list[RailPayment]:
    """Build payments that each return the same deposit."""
    deposit_id = uuid4()
    return [
        by_sepa(bank.org_id, record_id=deposit_id, returns=deposit_id, key=uuid4())
        for _ in range(count)
    ]


async def refuse(bank: Bank, *payments: RailPayment) -> None:
    """Put payments into a file that the bank refuses."""
    for each in payments:
        await bank.rails.pay(each)
    await bank.write(is_early=True)
    refused = [
        TransactionStatus(end_to_end_id=each.key.hex, status="RJCT", reason_codes=("AC01",))
        for each in payments
    ]
    await read(bank, a=report(*refused))
    for each in payments:
        assert (await status(bank, each.key))[0] is BankPaymentStatus.FAILED


async def resolve(bank: Bank) -> None:
    """Resolve the line in review."""
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    caller = Caller(bank.org_id, UUID(int=1), timedelta(), can_review=True)
    reviews = line_reviews_of(bank)
    await reviews.resolve(caller, line.id, LineResolutionKind.HANDLED, comment="x")


async def test_a_queued_return_waits_while_the_booking_of_another_is_in_review(bank: Bank) -> None:
    first, second = returns_of_one_deposit(bank, 2)
    (other,) = returns_of_one_deposit(bank, 1)
    await refuse(bank, first)
    await bank.rails.pay(second)
    await bank.rails.pay(other)
    await read(bank, b=statement(debit(first.key)))
    await bank.write(is_early=True)
    assert (await status(bank, second.key))[0] is BankPaymentStatus.QUEUED
    assert (await status(bank, other.key))[0] is BankPaymentStatus.WRITTEN
    with pytest.raises(Unavailable, match="its bank has booked the failed payment"):
        await bank.rails.pay(second)
    await resolve(bank)
    await bank.write(is_early=True)
    assert (await status(bank, second.key))[0] is BankPaymentStatus.WRITTEN


async def test_the_booking_of_a_refused_file_stops_the_next_returns(bank: Bank) -> None:
    (first, again), (second, _) = (returns_of_one_deposit(bank, 2) for _ in range(2))
    await refuse(bank, first, second)
    file_id = (await bank.find(first.key)).file_id
    assert file_id is not None
    bulk = transaction(20_000, "eur", is_credit=False, message_id=file_id.hex)
    await read(bank, b=statement(bulk))
    with pytest.raises(Unavailable, match="its bank has booked the failed payment"):
        await bank.rails.pay(again)
    await resolve(bank)
    await bank.rails.pay(again)
