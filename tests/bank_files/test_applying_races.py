"""Two workers apply lines of one payment, or of one file, at the same moment: none is lost."""

import asyncio
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.bank_files import answer_store
from landbridge.bank_files.contents import content_of
from landbridge.bank_files.iso20022.messages import Entry, Transaction
from landbridge.bank_files.model import Status
from landbridge.bank_files.taking import Taking
from landbridge.db.pool import Database, Tx
from landbridge.privacy.service import Vault
from landbridge.wiring import sealer
from tests.tenants import SETTINGS
from tests.waiting import waits_for

from .incoming import (
    ach_return,
    back,
    debit,
    entry,
    own,
    read,
    reading_of,
    sent,
    statement,
    status,
    transaction,
    waiting,
)
from .made import Bank, by_ach, by_sepa, make_bank

# Everybody in this database who waits for one of these.
_WAITING = """
select pid from pg_stat_activity
where datname = current_database() and pg_blocking_pids(pid) && $1::integer[]
"""
_PATIENCE_S = 30
_BOTH = 2


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def take(bank: Bank, told: Transaction | Entry, *, number: int, currency: str) -> UUID:
    """The id of a statement with this line, which nobody has applied."""
    raw = statement(told, name=f"T{number}", number=number, currency=currency)
    account = await own(bank, currency)
    taking = Taking(bank.database, Vault(sealer(SETTINGS)), bank.clock)
    content, digest = content_of(raw, (account,)), sha256(raw).digest()
    return (await taking.take(account, content, f"T{number}", digest, timedelta())).id


async def apply_at_once(
    bank: Bank, first: Transaction | Entry, second: Transaction | Entry, *, currency: str = "usd"
) -> None:
    """Two workers apply a line each, and neither ends before both have looked.

    One begins while the statement with the first line is not wholly taken, as of a long one.
    """
    database, offsets = bank.database, {bank.org_id: timedelta()}
    late = await take(bank, first, number=8, currency=currency)
    await take(bank, second, number=9, currency=currency)
    await database.rows(
        "update bank_answers set taken_at = null where org_id = $1 and id = $2", bank.org_id, late
    )

    async def work(tx: Tx) -> list[asyncio.Task[int]]:
        holder = await tx.fetchval("select pg_backend_pid()")
        # Lines may be looked at and held, and none is moved.
        await tx.execute("lock table bank_lines in share mode")
        one = asyncio.create_task(reading_of(bank).applying.run(offsets))
        mover = await waits_for(database, holder)
        at = bank.clock.stamp()
        await database.single(lambda tx: answer_store.taken(tx, bank.org_id, late, at))
        other = asyncio.create_task(reading_of(bank).applying.run(offsets))
        async with asyncio.timeout(_PATIENCE_S):
            while await _count_waiting(database, holder, mover) < _BOTH:  # noqa: ASYNC110  no bell
                await asyncio.sleep(0.01)
        return [one, other]

    for each in await database.transact(work):
        await each


async def test_of_two_bookings_of_an_ach_payment_one_is_for_a_person(bank: Bank) -> None:
    (key,) = await sent(bank, by_ach(bank.org_id))
    twice = [debit(key, currency="usd", bank_reference=each) for each in "AB"]
    await apply_at_once(bank, *twice)
    assert await status(bank, key) == (Status.WRITTEN, None)
    assert await waiting(bank) == ["the bank booked the payment before"]


async def test_of_two_credits_that_give_a_payment_back_one_is_for_a_person(bank: Bank) -> None:
    (key,) = await sent(bank, by_ach(bank.org_id))
    await read(bank, returned=ach_return(bank, key))
    await read(bank, a=statement(debit(key, currency="usd"), currency="usd"))
    before = await waiting(bank)
    twice = [back(key, currency="usd", bank_reference=each) for each in "AB"]
    await apply_at_once(bank, *twice)
    assert (await status(bank, key))[0] is Status.FAILED
    assert (await waiting(bank))[len(before) :] == ["the payment came back before"]


async def test_of_two_bookings_of_an_ach_file_one_is_for_a_person(bank: Bank) -> None:
    await sent(bank, by_ach(bank.org_id), by_ach(bank.org_id, units=5))
    await apply_at_once(bank, *(_sum(10_005, "usd", each) for each in "AB"))
    assert await waiting(bank) == ["no payment of ours has this reference"]


async def test_of_two_bookings_of_a_file_that_was_taken_back_one_settles_it(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    (file,) = await bank.writer.files(await own(bank), 1)
    told = {"message_id": file.message_id}
    undone = transaction(10_005, "eur", is_credit=True, bank_reference="R", **told)
    await read(bank, a=statement(entry(undone, is_reversal=True)))
    twice = [_sum(10_005, "eur", each, **told) for each in "AB"]
    await apply_at_once(bank, *twice, currency="eur")
    assert [await status(bank, each) for each in keys] == [(Status.SETTLED, None)] * 2
    assert await waiting(bank) == ["the bank took back its booking of a file"]


async def _count_waiting(database: Database, *pids: int) -> int:
    return len(await database.rows(_WAITING, list(pids)))


def _sum(units: int, currency: str, reference: str, **changes: str) -> Entry:
    """A file that is booked in one sum."""
    told = transaction(units, currency, is_credit=False, bank_reference=reference, **changes)
    return entry(told)
