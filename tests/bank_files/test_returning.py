"""Payments without a record that come back after they were settled, and keys that are withheld."""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from landbridge.bank_files.line_model import LineStatus, Resolution
from landbridge.bank_files.model import MOVES, Status
from landbridge.bank_files.withholding import Withholding
from landbridge.core.errors import Rejected
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.rails.currencies import FIAT
from landbridge.rails.port import PaidState, Payment
from landbridge.receipts.model import MOVES as RECEIPT_MOVES
from landbridge.receipts.model import Status as ReceiptStatus
from landbridge.web.caller import Caller

from .incoming import ach_return, line_reviews_of, lines, read, status
from .made import AT, Bank, by_ach, by_wire, make_bank

MONEY = Money(10_000, FIAT["usd"])


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


def test_a_settled_payment_and_a_returned_deposit_are_reopened_and_stay_ends() -> None:
    assert MOVES.is_terminal(Status.SETTLED)
    assert MOVES.is_path(Status.SETTLED, (Status.FAILED,))
    assert not MOVES.is_path(Status.FAILED, (Status.SETTLED,))
    assert RECEIPT_MOVES.is_terminal(ReceiptStatus.RETURNED)
    assert RECEIPT_MOVES.is_path(ReceiptStatus.RETURNED, (ReceiptStatus.RETURNING,))


async def test_a_prenote_that_comes_back_late_fails_what_waits_for_it(
    database: Database, tmp_path: Path
) -> None:
    bank = await make_bank(database, tmp_path, is_prenoted=True)
    waits = by_ach(bank.org_id)
    await bank.rails.pay(waits)
    await bank.write(is_early=True)
    (row,) = await database.rows(
        "select key from bank_payments where org_id = $1 and is_prenote", bank.org_id
    )
    assert await bank.settle(row["key"])
    await read(bank, late=ach_return(bank, row["key"]))
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert line.reason == "the payment came back after it was settled"
    caller = Caller(bank.org_id, UUID(int=1), timedelta(), can_review=True)
    resolved = await line_reviews_of(bank).resolve(caller, line.id, Resolution.RETURN, comment="x")
    assert (resolved.transfer_id, resolved.receipt_id) == (None, None)
    why = "the bank returned it: R03, no such account"
    assert await status(bank, row["key"]) == (Status.FAILED, why)
    assert await status(bank, waits.key) == (Status.FAILED, why)
    with pytest.raises(Rejected, match="R03"):
        await bank.rails.pay(by_ach(bank.org_id))


async def withhold(bank: Bank, key: UUID, *, receipt_id: UUID) -> bool:
    withholding = Withholding(bank.accounts, bank.payments)
    return await bank.database.transact(
        lambda tx: withholding.withhold_in(
            *(tx, bank.org_id, key), receipt_id=receipt_id, money=MONEY, actor="test", at=AT
        )
    )


def going_back(bank: Bank) -> Payment:
    """A payment that returns a deposit."""
    receipt = uuid4()
    return by_wire(bank.org_id, record_id=receipt, returns=receipt)


async def test_a_key_that_was_withheld_is_never_paid(bank: Bank) -> None:
    payment = going_back(bank)
    assert await withhold(bank, payment.key, receipt_id=payment.record_id)
    assert await withhold(bank, payment.key, receipt_id=payment.record_id)
    found = await bank.rails.pay(payment)
    assert found.state is PaidState.FAILED
    assert found.reason == "the bank took back the deposit that this would have returned"
    assert await bank.write(is_early=True) == []
    rows = await bank.database.rows(
        "select what from changes where org_id = $1 and kind = 'BANK.PAYMENT'", bank.org_id
    )
    assert [row["what"] for row in rows] == ["failed"]


async def test_what_is_queued_is_withheld_and_what_was_sent_is_not(bank: Bank) -> None:
    queued, sent, settled = (going_back(bank) for _ in range(3))
    for each in (sent, settled):
        await bank.rails.pay(each)
    await bank.write(is_early=True)
    assert await bank.settle(settled.key)
    await bank.rails.pay(queued)
    told = [
        await withhold(bank, each.key, receipt_id=each.record_id)
        for each in (queued, sent, settled)
    ]
    assert told == [True, False, False]
    assert await bank.write(is_early=True) == []
    assert (await bank.find(sent.key)).status is Status.WRITTEN


async def test_a_key_is_paid_or_withheld_and_never_both(bank: Bank) -> None:
    payments = [going_back(bank) for _ in range(8)]
    await asyncio.gather(
        *(bank.rails.pay(each) for each in payments),
        *(withhold(bank, each.key, receipt_id=each.record_id) for each in payments),
    )
    assert {(await bank.find(each.key)).status for each in payments} == {Status.FAILED}
    assert await bank.write(is_early=True) == []


async def test_without_an_account_nothing_is_withheld(bank: Bank) -> None:
    money = Money(10_000, FIAT["mxn"])
    withholding = Withholding(bank.accounts, bank.payments)
    assert not await bank.database.transact(
        lambda tx: withholding.withhold_in(
            *(tx, bank.org_id, uuid4()), receipt_id=uuid4(), money=money, actor="test", at=AT
        )
    )
