"""Payments end once, are found by what banks call them, and are told without a name."""

import asyncio
from pathlib import Path

import pytest

from landbridge.bank_files.model import MOVES, Status
from landbridge.bank_files.payments import told_id
from landbridge.db.pool import Database

from .made import AT, Bank, by_ach, by_sepa, make_bank


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def test_what_is_queued_can_not_be_settled(bank: Bank) -> None:
    asked = by_sepa(bank.org_id)
    await bank.rails.pay(asked)
    assert not await bank.settle(asked.key)
    assert (await bank.find(asked.key)).status is Status.QUEUED


@pytest.mark.parametrize("first", ["settle", "fail"])
@pytest.mark.parametrize("then", ["settle", "fail"])
async def test_what_has_ended_never_moves(bank: Bank, first: str, then: str) -> None:
    asked = by_sepa(bank.org_id)
    await bank.rails.pay(asked)
    await bank.write(is_early=True)
    verbs = {"settle": bank.settle, "fail": bank.fail}
    assert await verbs[first](asked.key)
    ended = await bank.find(asked.key)
    assert not await verbs[then](asked.key)
    assert await bank.find(asked.key) == ended
    assert MOVES.is_terminal(ended.status)


async def test_of_many_that_end_it_one_does(bank: Bank) -> None:
    asked = by_sepa(bank.org_id)
    await bank.rails.pay(asked)
    await bank.write(is_early=True)
    ends = [end(asked.key) for end in (bank.settle, bank.fail) * 5]
    assert sum(await asyncio.gather(*ends)) == 1


async def test_it_is_found_by_what_banks_call_it(bank: Bank) -> None:
    asked = by_sepa(bank.org_id)
    await bank.rails.pay(asked)
    (file,) = await bank.write(is_early=True)
    find = bank.payments.by_end_to_end
    for text, currency, is_found in (
        (asked.key.hex, "eur", True),
        (f" {asked.key.hex.upper()} ", "eur", True),
        (asked.key.hex, "usd", False),
        (str(asked.key), "eur", False),
        ("NOTPROVIDED", "eur", False),
        ("é" * 32, "eur", False),
    ):
        found = await bank.database.single(
            lambda tx, text=text, currency=currency: find(tx, bank.org_id, currency, text)
        )
        assert (found is not None) == is_found
    named = await bank.database.single(
        lambda tx: bank.payments.by_message(tx, bank.org_id, file.message_id)
    )
    assert [each.key for each in named] == [asked.key]


async def test_each_move_is_told_without_a_name(bank: Bank) -> None:
    asked = by_ach(bank.org_id)
    await bank.rails.pay(asked)
    await bank.write(is_early=True)
    await bank.settle(asked.key)
    rows = await bank.database.rows(
        "select seq, what, facts::text from changes where org_id = $1 and object_id = $2"
        " order by seq",
        bank.org_id,
        told_id(asked.key),
    )
    assert [(each["seq"], each["what"]) for each in rows] == [(1, "queued"), (2, "settled")]
    assert all("Ada" not in each["facts"] for each in rows)
    assert all(str(asked.key) in each["facts"] for each in rows)


async def test_no_name_and_no_number_stand_in_clear(bank: Bank, database: Database) -> None:
    asked = by_ach(bank.org_id, texts={"achReference": "SECRETREF"}, at=AT)
    await bank.rails.pay(asked)
    await bank.write(is_early=True)
    for sql in (
        "select b::text as row from bank_payments b where org_id = $1",
        "select b::text as row from bank_files b where org_id = $1",
        "select b::text as row from funding_accounts b where org_id = $1",
        "select b::text as row from changes b where org_id = $1",
    ):
        text = " ".join(each["row"] for each in await database.rows(sql, bank.org_id))
        assert text
        # Names are whole, for the bytes of three letters are in a sealed file now and then.
        secrets = ("Ada Example", "ADA EXAMPLE", "000123456789", "SECRETREF", "000987654321")
        for secret in (*secrets, "Example Pay"):
            assert secret not in text
            assert secret.encode().hex() not in text
