"""Lines that may be known already, and files that are read again."""

from pathlib import Path

import pytest

from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.platform.db.pool import Database
from tests.payments.bank_files.builders import USD, Bank, by_sepa, funding, make_bank
from tests.payments.bank_files.inbound_files import (
    USD_NUMBER,
    back,
    credit,
    debit,
    incoming_payments,
    joined,
    read,
    sent,
    statement,
    status,
    waiting,
)

SETTLED = (BankPaymentStatus.SETTLED, None)
WRITTEN = (BankPaymentStatus.WRITTEN, None)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


@pytest.mark.parametrize("is_one_file", [True, False])
async def test_an_equal_line_with_a_reference_on_another_page_needs_review(
    bank: Bank, *, is_one_file: bool
) -> None:
    pages = [statement(credit(bank_reference="A"), page=each) for each in (1, 2)]
    if is_one_file:
        pages = [joined(*pages)]
    for number, each in enumerate(pages):
        await read(bank, **{f"page{number}": each})
    # Reading a page again adds nothing.
    await read(bank, again=pages[-1] + b"\n")
    assert len(await incoming_payments(bank)) == 1
    assert await waiting(bank) == [
        "another page of the statement has a line like this, with its references"
    ]


async def test_an_equal_line_in_another_statement_of_the_file_needs_review(bank: Bank) -> None:
    bare = credit(bank_reference=None)
    later = statement(bare, name="S2", number=2, opening=1_010_000)
    await read(bank, a=joined(statement(bare), later))
    assert len(await incoming_payments(bank)) == 1
    assert await waiting(bank) == [
        "another statement or page has a line like this, and the bank gave neither a reference"
    ]


# Direct debits


async def test_a_direct_debit_with_the_reference_of_a_payment_moves_nothing(bank: Bank) -> None:
    collected, returned = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    reported = (
        debit(collected, code="PMNT/RDDT/ESDD"),
        back(returned, code="PMNT/RDDT/UPDD"),
    )
    await read(bank, a=statement(*reported))
    assert [await status(bank, each) for each in (collected, returned)] == [WRITTEN] * 2
    assert await waiting(bank) == ["a direct debit, or its return: no payment of ours"] * 2
    await read(bank, b=statement(debit(collected), name="S2", number=2))
    assert await status(bank, collected) == SETTLED


# Files that are read again


async def test_a_file_with_a_known_and_an_unknown_account_counts_again(bank: Bank) -> None:
    elsewhere = funding(USD, bank.folder / "usd")
    await bank.accounts.set(bank.org_id, elsewhere, actor="test", at=bank.clock.stamp())
    dollars = statement(credit(3, "usd"), currency="usd", account=USD_NUMBER)
    raw = joined(statement(credit()), dollars)
    await read(bank, a=raw)
    assert len(await incoming_payments(bank)) == 1
    here = funding(USD, bank.folder)
    await bank.accounts.set(bank.org_id, here, actor="test", at=bank.clock.stamp())
    for _ in range(2):
        (file,) = await read(bank, a=raw)
        assert (file.line_count, file.known_count) == (2, 0)
        assert {each.money.units for each in await incoming_payments(bank)} == {3, 10_000}
    assert len(await incoming_payments(bank)) == 2
