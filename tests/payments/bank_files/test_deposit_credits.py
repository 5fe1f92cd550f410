"""Statement credits as deposits: arrival times, and how they can be returned."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.iso20022 import camt053
from landbridge.providers.iso20022.messages import ClearingMember, OtherParty
from tests.payments.bank_files.builders import AT, Bank, make_bank
from tests.payments.bank_files.inbound_files import ON, credit, incoming_payments, read, statement

MEMBER = ClearingMember("USABA", "091000019")


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


@pytest.mark.parametrize(
    ("currency", "ends_at"),
    [
        ("usd", datetime(2026, 3, 5, 5, tzinfo=UTC)),
        ("eur", datetime(2026, 3, 4, 23, tzinfo=UTC)),
    ],
)
async def test_a_deposit_arrives_by_the_end_of_the_banks_day(
    bank: Bank, currency: str, ends_at: datetime
) -> None:
    bank.clock.at = AT + timedelta(days=2)
    await read(bank, a=statement(credit(currency=currency), currency=currency, day=ON))
    (incoming_payment,) = await incoming_payments(bank)
    assert incoming_payment.arrived_at == ends_at
    assert incoming_payment.received_at >= bank.clock.at


async def test_a_deposit_read_on_its_booking_day_arrives_then(bank: Bank) -> None:
    await read(bank, a=statement(credit(), day=ON))
    (incoming_payment,) = await incoming_payments(bank)
    assert AT <= incoming_payment.arrived_at <= incoming_payment.received_at


@pytest.mark.parametrize("day", [date.max, date.min])
async def test_any_booking_day_makes_a_deposit(bank: Bank, day: date) -> None:
    await read(bank, a=statement(credit(), day=day))
    (incoming_payment,) = await incoming_payments(bank)
    assert incoming_payment.arrived_at <= incoming_payment.received_at


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("PMNT/RCDT/DMCT", "091000019"),
        ("PMNT/RCDT/ACDT", "091000019"),
        ("PMNT/RCDT/XBCT", "EXAMUS33"),
    ],
)
async def test_the_senders_bank_is_stored_as_a_return_needs_it(
    bank: Bank, code: str, number: str
) -> None:
    sender = OtherParty(name="Ada", account="1", bic="EXAMUS33", clearing_member=MEMBER)
    deposit = credit(currency="usd", other_party=sender, code=code)
    raw = statement(deposit, currency="usd")
    (read_again,) = camt053.read(raw)
    assert read_again.entries[0].transactions[0].other_party == sender
    await read(bank, a=raw)
    (incoming_payment,) = await incoming_payments(bank)
    assert incoming_payment.sender is not None
    assert incoming_payment.sender.routing_number == number
