"""Returned payments without a record, and withheld keys."""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.payments.bank_files.model import TRANSITIONS, BankPaymentStatus
from landbridge.payments.bank_files.statement_line_model import (
    LineResolutionKind,
    StatementLineStatus,
)
from landbridge.payments.bank_files.stop_payments import StopPayments
from landbridge.payments.incoming_payments.model import TRANSITIONS as RECEIPT_MOVES
from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from landbridge.payments.incoming_payments.returns import return_payment
from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import RailPayment, RailPaymentState
from tests.payments.bank_files.builders import AT, Bank, by_ach, by_wire, make_bank
from tests.payments.bank_files.inbound_files import ach_return, line_reviews_of, lines, read, status
from tests.payments.incoming_payments.incoming_payment_setup import make_credit
from tests.tenants import SETTINGS

MONEY = Money(10_000, FIAT["usd"])


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


def test_returned_settled_payments_stay_failed() -> None:
    assert TRANSITIONS.is_terminal(BankPaymentStatus.SETTLED)
    assert TRANSITIONS.is_path(BankPaymentStatus.SETTLED, (BankPaymentStatus.FAILED,))
    assert not TRANSITIONS.is_path(BankPaymentStatus.FAILED, (BankPaymentStatus.SETTLED,))
    assert RECEIPT_MOVES.is_terminal(IncomingPaymentStatus.RETURNED)
    assert RECEIPT_MOVES.is_path(IncomingPaymentStatus.RETURNED, (IncomingPaymentStatus.RETURNING,))


async def test_a_late_returned_prenote_fails_waiting_payments(
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
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert line.reason == "the payment was returned after settlement"
    caller = Caller(bank.org_id, UUID(int=1), timedelta(), can_review=True)
    resolved = await line_reviews_of(bank).resolve(
        caller, line.id, LineResolutionKind.RETURN, comment="x"
    )
    assert (resolved.transfer_id, resolved.incoming_payment_id) == (None, None)
    why = "the bank returned it: R03, no such account"
    assert await status(bank, row["key"]) == (BankPaymentStatus.FAILED, why)
    assert await status(bank, waits.key) == (BankPaymentStatus.FAILED, why)
    with pytest.raises(Rejected, match="R03"):
        await bank.rails.pay(by_ach(bank.org_id))


async def withhold(bank: Bank, key: UUID, *, incoming_payment_id: UUID) -> bool:
    withholding = StopPayments(bank.accounts, bank.payments)
    return await bank.database.transact(
        lambda tx: withholding.withhold_in(
            *(tx, bank.org_id, key),
            incoming_payment_id=incoming_payment_id,
            money=MONEY,
            actor="test",
            at=AT,
        )
    )


def going_back(bank: Bank) -> RailPayment:
    """Build a payment that returns a deposit."""
    incoming_payment = uuid4()
    return by_wire(bank.org_id, record_id=incoming_payment, returns=incoming_payment)


async def test_a_withheld_key_is_never_paid(bank: Bank) -> None:
    payment = going_back(bank)
    assert await withhold(bank, payment.key, incoming_payment_id=payment.record_id)
    assert await withhold(bank, payment.key, incoming_payment_id=payment.record_id)
    found = await bank.rails.pay(payment)
    assert found.state is RailPaymentState.FAILED
    assert found.reason == "the deposit was reversed, or returned by other means"
    assert await bank.write(is_early=True) == []
    rows = await bank.database.rows(
        "select change_type from changes where org_id = $1 and kind = 'BANK.PAYMENT'", bank.org_id
    )
    assert [row["change_type"] for row in rows] == ["failed"]


async def test_queued_payments_are_withheld_and_sent_ones_are_not(bank: Bank) -> None:
    queued, sent, settled = (going_back(bank) for _ in range(3))
    for each in (sent, settled):
        await bank.rails.pay(each)
    await bank.write(is_early=True)
    assert await bank.settle(settled.key)
    await bank.rails.pay(queued)
    withheld = [
        await withhold(bank, each.key, incoming_payment_id=each.record_id)
        for each in (queued, sent, settled)
    ]
    assert withheld == [True, False, False]
    assert await bank.write(is_early=True) == []
    assert (await bank.find(sent.key)).status is BankPaymentStatus.WRITTEN


async def test_a_deposit_settled_outside_is_not_also_paid_back(bank: Bank) -> None:
    settings = msgspec.structs.replace(SETTINGS, rails="files")
    container = wire(settings, bank.database, bank.clock)
    incoming_payments, reviews = container.incoming_payments, container.incoming_payment_reviews
    caller = Caller(bank.org_id, UUID(int=1), timedelta(), can_pay=True, can_review=True)
    found = await incoming_payments.receive(make_credit(bank.org_id, bank.clock))
    await incoming_payments.hold(found, bank.clock.stamp())
    returning = await reviews.send_back(caller, found.id, comment="unknown sender")
    settled = await reviews.settle_outside(caller, found.id, comment="paid in cash")
    assert settled.status is IncomingPaymentStatus.RETURNED
    # A worker that read the deposit before it was settled.
    order = return_payment(returning, key=found.id, at=AT)
    assert (await bank.rails.pay(order)).state is RailPaymentState.FAILED
    assert await bank.write(is_early=True) == []


async def test_a_key_is_paid_or_withheld_and_never_both(bank: Bank) -> None:
    payments = [going_back(bank) for _ in range(8)]
    await asyncio.gather(
        *(bank.rails.pay(each) for each in payments),
        *(withhold(bank, each.key, incoming_payment_id=each.record_id) for each in payments),
    )
    assert {(await bank.find(each.key)).status for each in payments} == {BankPaymentStatus.FAILED}
    assert await bank.write(is_early=True) == []


async def test_without_an_account_nothing_is_withheld(bank: Bank) -> None:
    money = Money(10_000, FIAT["mxn"])
    withholding = StopPayments(bank.accounts, bank.payments)
    assert not await bank.database.transact(
        lambda tx: withholding.withhold_in(
            *(tx, bank.org_id, uuid4()),
            incoming_payment_id=uuid4(),
            money=money,
            actor="test",
            at=AT,
        )
    )
