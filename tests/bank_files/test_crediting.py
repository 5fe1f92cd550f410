"""Credits of a statement as deposits: by when they arrived, and how they can go back."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from landbridge.bank_files.iso20022 import camt053
from landbridge.bank_files.iso20022.messages import ClearingMember, OtherParty
from landbridge.db.pool import Database

from .incoming import ON, credit, read, receipts, statement
from .made import AT, Bank, make_bank

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
async def test_a_deposit_arrived_by_the_end_of_its_day_at_the_bank(
    bank: Bank, currency: str, ends_at: datetime
) -> None:
    bank.clock.at = AT + timedelta(days=2)
    await read(bank, a=statement(credit(currency=currency), currency=currency, day=ON))
    (receipt,) = await receipts(bank)
    assert receipt.arrived_at == ends_at
    assert receipt.received_at >= bank.clock.at


async def test_a_deposit_that_is_read_on_its_day_arrived_then(bank: Bank) -> None:
    await read(bank, a=statement(credit(), day=ON))
    (receipt,) = await receipts(bank)
    assert AT <= receipt.arrived_at <= receipt.received_at


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("PMNT/RCDT/DMCT", "091000019"),
        ("PMNT/RCDT/ACDT", "091000019"),
        ("PMNT/RCDT/XBCT", "EXAMUS33"),
    ],
)
async def test_the_senders_bank_is_kept_as_the_way_back_needs_it(
    bank: Bank, code: str, number: str
) -> None:
    sender = OtherParty(name="Ada", account="1", bic="EXAMUS33", clearing_member=MEMBER)
    told = credit(currency="usd", other_party=sender, code=code)
    raw = statement(told, currency="usd")
    (read_again,) = camt053.read(raw)
    assert read_again.entries[0].transactions[0].other_party == sender
    await read(bank, a=raw)
    (receipt,) = await receipts(bank)
    assert receipt.sender is not None
    assert receipt.sender.routing_number == number
