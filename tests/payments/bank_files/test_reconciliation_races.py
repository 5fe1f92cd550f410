"""Two workers apply lines of one payment, or of one file, concurrently: no line is lost."""

import asyncio
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.app.container import sealer
from landbridge.payments.bank_files import inbound_file_store
from landbridge.payments.bank_files.file_contents import decode_content
from landbridge.payments.bank_files.ingestion import Ingestion
from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.providers.iso20022.messages import StatementEntry, Transaction
from tests.payments.bank_files.builders import Bank, by_ach, by_sepa, make_bank
from tests.payments.bank_files.inbound_files import (
    ON,
    ach_return,
    back,
    credit,
    debit,
    entry,
    incoming_payments,
    own,
    read,
    reading_of,
    sent,
    statement,
    status,
    transaction,
    waiting,
)
from tests.tenants import SETTINGS
from tests.waiting import holding, waits_for
from tests.waiting import waiting as waiting_for

# Sessions of this database that wait for one of these locks.
_WAITING = """
select pid from pg_stat_activity
where datname = current_database() and pg_blocking_pids(pid) && $1::integer[]
"""
_PATIENCE_S = 30
_BOTH = 2
DAY = timedelta(days=1)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def take(
    bank: Bank, booked: Transaction | StatementEntry, *, number: int, currency: str, day: date = ON
) -> UUID:
    """Return the id of a statement with this unapplied line."""
    raw = statement(booked, name=f"T{number}", number=number, currency=currency, day=day)
    account = await own(bank, currency)
    ingestion = Ingestion(bank.database, Vault(sealer(SETTINGS)), bank.clock)
    content, digest = decode_content(raw, (account,)), sha256(raw).digest()
    return (await ingestion.ingest(account, content, f"T{number}", digest, timedelta())).id


async def apply_at_once(
    bank: Bank,
    first: Transaction | StatementEntry,
    second: Transaction | StatementEntry,
    *,
    currency: str = "usd",
) -> None:
    """Let two workers apply a line each, overlapping in time.

    One starts before the statement with the first line is fully ingested, like a long one.
    """
    database, offsets = bank.database, {bank.org_id: timedelta()}
    late = await take(bank, first, number=8, currency=currency)
    await take(bank, second, number=9, currency=currency)
    await database.rows(
        "update bank_inbound_files set ingested_at = null where org_id = $1 and id = $2",
        bank.org_id,
        late,
    )

    async def work(tx: Tx) -> list[asyncio.Task[int]]:
        holder = await tx.fetchval("select pg_backend_pid()")
        # Lines may be read and locked, but not changed.
        await tx.execute("lock table statement_lines in share mode")
        one = asyncio.create_task(reading_of(bank).applying.run(offsets))
        mover = await waits_for(database, holder)
        at = bank.clock.stamp()
        await database.single(lambda tx: inbound_file_store.set_ingested(tx, bank.org_id, late, at))
        other = asyncio.create_task(reading_of(bank).applying.run(offsets))
        async with asyncio.timeout(_PATIENCE_S):
            while await _count_waiting(database, holder, mover) < _BOTH:  # noqa: ASYNC110  no bell
                await asyncio.sleep(0.01)
        return [one, other]

    for each in await database.transact(work):
        await each


async def test_a_second_booking_of_an_ach_payment_needs_review(bank: Bank) -> None:
    (key,) = await sent(bank, by_ach(bank.org_id))
    twice = [debit(key, currency="usd", bank_reference=each) for each in "AB"]
    await apply_at_once(bank, *twice)
    assert await status(bank, key) == (BankPaymentStatus.WRITTEN, None)
    assert await waiting(bank) == ["the bank already booked the payment"]


async def test_a_second_return_of_a_payment_needs_review(bank: Bank) -> None:
    (key,) = await sent(bank, by_ach(bank.org_id))
    await read(bank, returned=ach_return(bank, key))
    await read(bank, a=statement(debit(key, currency="usd"), currency="usd"))
    before = await waiting(bank)
    twice = [back(key, currency="usd", bank_reference=each) for each in "AB"]
    await apply_at_once(bank, *twice)
    assert (await status(bank, key))[0] is BankPaymentStatus.FAILED
    assert (await waiting(bank))[len(before) :] == ["the payment was already returned"]


async def test_a_second_booking_of_an_ach_file_needs_review(bank: Bank) -> None:
    await sent(bank, by_ach(bank.org_id), by_ach(bank.org_id, units=5))
    await apply_at_once(bank, *(_sum(10_005, "usd", each) for each in "AB"))
    assert await waiting(bank) == ["no payment of ours has this reference"]


async def test_one_of_two_bookings_of_a_reversed_file_settles_it(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    (file,) = await bank.writer.files(await own(bank), 1)
    booked = {"message_id": file.message_id}
    undone = transaction(10_005, "eur", is_credit=True, bank_reference="R", **booked)
    await read(bank, a=statement(entry(undone, is_reversal=True)))
    twice = [_sum(10_005, "eur", each, **booked) for each in "AB"]
    await apply_at_once(bank, *twice, currency="eur")
    assert [await status(bank, each) for each in keys] == [(BankPaymentStatus.SETTLED, None)] * 2
    assert await waiting(bank) == ["the bank took back its booking of a file"]


async def _count_waiting(database: Database, *pids: int) -> int:
    return len(await database.rows(_WAITING, list(pids)))


def _sum(units: int, currency: str, reference: str, **changes: str) -> StatementEntry:
    """Build a bulk debit of a file."""
    booked = transaction(units, currency, is_credit=False, bank_reference=reference, **changes)
    return entry(booked)


async def test_money_of_two_days_in_files_read_at_once_is_credited_once(bank: Bank) -> None:
    """Two workers take a file each: a bank has booked the same money on two days."""
    money = credit(bank_reference="REF1")
    async with holding(bank.database, "lock table statement_lines in share mode"):
        taking = [
            asyncio.create_task(take(bank, money, number=each, currency="eur", day=ON + each * DAY))
            for each in range(2)
        ]
        await waiting_for(bank.database, 2)
    await asyncio.gather(*taking)
    await reading_of(bank).applying.run({bank.org_id: timedelta()})
    assert len(await incoming_payments(bank)) == 1
    sentence = "another statement has a line like this, with its references, on another day"
    assert await waiting(bank) == [sentence]
