"""Payments end once, are found by bank references, and appear in changes without names."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from uuid import UUID

import pytest

from landbridge.ledger.model import Transfer
from landbridge.payments.bank_files.decided_payments import DecidedPayments
from landbridge.payments.bank_files.funding_account import FolderSettings
from landbridge.payments.bank_files.model import TRANSITIONS, BankPaymentStatus
from landbridge.payments.bank_files.payments import change_object_id
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database
from tests.payments.bank_files.builders import AT, EUR, Bank, by_ach, by_sepa, funding, make_bank


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def decide(bank: Bank, key: UUID, requested_at: datetime, *, is_paid: bool) -> None:
    """Carry out a decision of people about the record of this payment."""
    record = cast("Transfer", SimpleNamespace(kind="OFFRAMP", org_id=bank.org_id))
    decided = DecidedPayments(bank.payments, {"OFFRAMP": lambda _: key})
    at = bank.clock.now()
    await bank.database.transact(
        lambda tx: decided.end_in(
            tx, record, is_paid=is_paid, requested_at=requested_at, actor="test", at=at
        )
    )


async def test_a_queued_payment_can_not_be_settled(bank: Bank) -> None:
    payment = by_sepa(bank.org_id)
    await bank.rails.pay(payment)
    assert not await bank.settle(payment.key)
    assert (await bank.find(payment.key)).status is BankPaymentStatus.QUEUED


@pytest.mark.parametrize("first", ["settle", "fail"])
@pytest.mark.parametrize("then", ["settle", "fail"])
async def test_a_final_payment_never_moves(bank: Bank, first: str, then: str) -> None:
    payment = by_sepa(bank.org_id)
    await bank.rails.pay(payment)
    await bank.write(is_early=True)
    verbs = {"settle": bank.settle, "fail": bank.fail}
    assert await verbs[first](payment.key)
    ended = await bank.find(payment.key)
    assert not await verbs[then](payment.key)
    assert await bank.find(payment.key) == ended
    assert TRANSITIONS.is_terminal(ended.status)


@pytest.mark.parametrize("is_paid", [True, False])
async def test_a_decision_that_contradicts_the_end_of_a_payment_is_refused(
    bank: Bank, *, is_paid: bool
) -> None:
    """The bank's statement is applied between the last question and the decision."""
    payment = by_sepa(bank.org_id)
    await bank.rails.pay(payment)
    await bank.write(is_early=True)
    assert await (bank.fail if is_paid else bank.settle)(payment.key)
    with pytest.raises(ResourceConflict, match="meanwhile"):
        await decide(bank, payment.key, bank.clock.now(), is_paid=is_paid)
    await decide(bank, payment.key, bank.clock.now(), is_paid=not is_paid)


@pytest.mark.parametrize("is_paid", [True, False])
async def test_a_payment_in_a_file_on_its_way_is_not_decided_on(
    bank: Bank, *, is_paid: bool
) -> None:
    """The bank does not know the payment yet, and carries it out once it has the file."""
    nowhere = FolderSettings(path=f"/dev/null/{bank.org_id}")
    lost, at = funding(EUR, bank.folder, transport=nowhere), bank.clock.stamp()
    await bank.accounts.set(bank.org_id, lost, actor="test", at=at)
    payment = by_sepa(bank.org_id)
    await bank.rails.pay(payment)
    await bank.write(is_early=True)
    bank.clock.at += timedelta(hours=1)
    requested_at = bank.clock.now()
    bank.clock.at += timedelta(hours=1)
    with pytest.raises(ResourceConflict, match="on its way to the bank"):
        await decide(bank, payment.key, requested_at, is_paid=is_paid)
    here, at = funding(EUR, bank.folder), bank.clock.stamp()
    await bank.accounts.set(bank.org_id, here, actor="test", at=at)
    assert len(await bank.write()) == 1
    with pytest.raises(ResourceConflict, match="on its way to the bank"):
        await decide(bank, payment.key, requested_at, is_paid=is_paid)
    bank.clock.at += timedelta(hours=1)
    await decide(bank, payment.key, bank.clock.now(), is_paid=is_paid)


async def test_concurrent_calls_end_a_payment_once(bank: Bank) -> None:
    payment = by_sepa(bank.org_id)
    await bank.rails.pay(payment)
    await bank.write(is_early=True)
    ends = [end(payment.key) for end in (bank.settle, bank.fail) * 5]
    assert sum(await asyncio.gather(*ends)) == 1


async def test_a_payment_is_found_by_bank_references(bank: Bank) -> None:
    payment = by_sepa(bank.org_id)
    await bank.rails.pay(payment)
    (file,) = await bank.write(is_early=True)
    find = bank.payments.find_by_end_to_end
    for text, currency, is_found in (
        (payment.key.hex, "eur", True),
        (f" {payment.key.hex.upper()} ", "eur", True),
        (payment.key.hex, "usd", False),
        (str(payment.key), "eur", False),
        ("NOTPROVIDED", "eur", False),
        ("é" * 32, "eur", False),
    ):
        found = await bank.database.single(
            lambda tx, text=text, currency=currency: find(tx, bank.org_id, currency, text)
        )
        assert (found is not None) == is_found
    named = await bank.database.single(
        lambda tx: bank.payments.list_by_message(tx, bank.org_id, file.message_id)
    )
    assert [each.key for each in named] == [payment.key]


async def test_each_change_is_recorded_without_names(bank: Bank) -> None:
    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    await bank.write(is_early=True)
    await bank.settle(payment.key)
    rows = await bank.database.rows(
        "select seq, change_type, facts::text from changes where org_id = $1 and object_id = $2"
        " order by seq",
        bank.org_id,
        change_object_id(payment.key),
    )
    assert [(each["seq"], each["change_type"]) for each in rows] == [(1, "queued"), (2, "settled")]
    assert all("Ada" not in each["facts"] for each in rows)
    assert all(str(payment.key) in each["facts"] for each in rows)


async def test_names_and_numbers_are_encrypted(bank: Bank, database: Database) -> None:
    payment = by_ach(bank.org_id, texts={"achReference": "SECRETREF"}, at=AT)
    await bank.rails.pay(payment)
    await bank.write(is_early=True)
    for sql in (
        "select b::text as row from bank_payments b where org_id = $1",
        "select b::text as row from bank_outbound_files b where org_id = $1",
        "select b::text as row from funding_accounts b where org_id = $1",
        "select b::text as row from changes b where org_id = $1",
    ):
        text = " ".join(each["row"] for each in await database.rows(sql, bank.org_id))
        assert text
        # Full names, because three letters may occur in an encrypted file by chance.
        secrets = ("Ada Example", "ADA EXAMPLE", "000123456789", "SECRETREF", "000987654321")
        for secret in (*secrets, "Example Pay"):
            assert secret not in text
            assert secret.encode().hex() not in text
