"""Whatever lies in an inbox: each file is read once and kept, and none stands in another's way."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from landbridge.bank_files.funding import (
    FolderPlace,
    SftpPlace,
    deposit_number,
    number_in,
    read_toml,
)
from landbridge.bank_files.line_model import LineStatus
from landbridge.bank_files.model import Status
from landbridge.bank_files.places import folder as folders
from landbridge.bank_files.reading import FILES_MAX
from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import new_id
from landbridge.db.pool import Database
from tests.make import make_org

from .incoming import USD_NUMBER, credit, debit, lines, put, read, reading_of, receipts, statement
from .made import EUR, USD, Bank, by_ach, by_sepa, connect_bank, funding, make_bank

GONE = SftpPlace(host="127.0.0.1", port=1, user="u", host_key="ssh-ed25519 AAAA", password="p")


# What a folder reads a file with.
READ = "_read"


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


def contents(bank: Bank, path: str) -> list[bytes]:
    return sorted(each.read_bytes() for each in (bank.folder / path).glob("*") if each.is_file())


async def test_files_of_one_name_are_all_read_and_all_kept(bank: Bank) -> None:
    first = statement(credit(1))
    second = statement(credit(2), name="S2", number=2, opening=1_000_001)
    for content in (first, second):
        await read(bank, **{"statement.xml": content})
    assert contents(bank, "in/done") == sorted([first, second])
    for content in (b"no", b"nor this"):
        await read(bank, **{"statement.xml": content})
    assert contents(bank, "in/refused") == [b"no", b"nor this"]
    assert len(await receipts(bank)) == 2


async def test_one_that_comes_while_another_of_its_name_is_read_is_read_later(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = statement(credit(1))
    second = statement(credit(2), name="S2", number=2, opening=1_000_001)
    inner: Callable[[Path], bytes | None] = getattr(folders, READ)

    def slow(path: Path) -> bytes | None:
        found = inner(path)
        put(bank, "statement.xml", second)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(folders, READ, slow)
        await read(bank, **{"statement.xml": first})
    await read(bank)
    assert contents(bank, "in/done") == sorted([first, second])
    assert len(await receipts(bank)) == 2


async def test_one_that_was_in_somebodys_hands_who_died_is_read(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(path: Path) -> bytes | None:
        raise ZeroDivisionError(path)

    with monkeypatch.context() as patched:
        patched.setattr(folders, READ, die)
        assert await read(bank, a=statement(credit())) == []
    await read(bank)
    assert len(await receipts(bank)) == 1
    assert (contents(bank, "in"), len(contents(bank, "in/done"))) == ([], 1)


@pytest.mark.parametrize("name", [b"a\\b.xml", b"\xff.xml", b"a\nb", b"x" * 255])
async def test_a_bad_name_is_as_good_as_any(bank: Bank, name: bytes) -> None:
    put(bank, os.fsdecode(name), statement(credit()))
    await read(bank, z=statement(credit(5), name="S2", number=2, opening=1_010_000))
    assert len(await receipts(bank)) == 2
    assert (contents(bank, "in"), len(contents(bank, "in/done"))) == ([], 2)


async def test_a_second_file_that_is_too_large_is_told_of_too(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "SIZE_MAX", 10)
    for content in (b"x" * 20, b"y" * 30):
        await read(bank, big=content)
    told = [each.words and each.words.file_name for each in await lines(bank)]
    assert told == ["big", "big"]


async def test_one_that_fails_stops_no_other(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    inner: Callable[[Path], bytes | None] = getattr(folders, READ)

    def failing(path: Path) -> bytes | None:
        if path.name.endswith("-a"):
            raise ZeroDivisionError
        if path.name.endswith("-b"):
            raise PermissionError
        return inner(path)

    monkeypatch.setattr(folders, READ, failing)
    (answer,) = await read(bank, a=b"", b=b"", c=statement(credit()))
    assert answer.name == "c"
    assert (await read_at(bank))["usd"] is None


async def break_account(bank: Bank, currency: str) -> None:
    """What was sealed of it can't be opened any more."""
    await bank.database.rows(
        "update funding_accounts set sealed_details = $3 where org_id = $1 and currency = $2"
        " returning 1",
        *(bank.org_id, currency, b"broken"),
    )


async def test_an_account_that_is_broken_stops_no_other(bank: Bank) -> None:
    payments = [by_sepa(bank.org_id), by_ach(bank.org_id)]
    for each in payments:
        await bank.rails.pay(each)
    await break_account(bank, "eur")
    (file,) = await bank.write(is_early=True)
    assert file.rail == "ach"
    await read(bank, a=statement(credit(3, "usd"), currency="usd"))
    assert len(await receipts(bank)) == 1
    fresh = connect_bank(bank.database, bank.org_id, bank.clock, bank.folder)
    with pytest.raises(Exception):  # noqa: B017, PT011  whatever it is: no payment is refused by it
        await fresh.accounts.find(bank.org_id, "eur")


async def test_a_server_that_is_away_stops_no_other(bank: Bank) -> None:
    told = funding(USD, bank.folder, place=GONE)
    await bank.accounts.set(bank.org_id, told, actor="test", at=bank.clock.stamp())
    payments = [by_ach(bank.org_id), by_sepa(bank.org_id)]
    for each in payments:
        await bank.rails.pay(each)
    (file,) = await bank.write(is_early=True)
    assert file.rail == "sepa"
    await read(bank, a=statement(debit(payments[1].key)))
    assert (await bank.find(payments[1].key)).status is Status.SETTLED
    found = await read_at(bank)
    assert (found["usd"], found["eur"] is None) == (None, False)


async def test_a_place_has_files_of_one_organisation(bank: Bank, database: Database) -> None:
    other = await make_org(database)
    for changes in ({}, {"folders": {"out": "elsewhere"}}, {"path": f"{bank.folder}/x/../"}):
        place = msgspec.structs.replace(FolderPlace(path=str(bank.folder)), **changes)
        told = funding(USD, bank.folder, place=place)
        with pytest.raises(FieldInvalid) as refused:
            await bank.accounts.set(other, told, actor="test", at=bank.clock.stamp())
        assert refused.value.field == "place"
    told = funding(USD, bank.folder / "other")
    await bank.accounts.set(other, told, actor="test", at=bank.clock.stamp())


async def test_a_file_counts_for_accounts_of_its_place_alone(bank: Bank) -> None:
    told = funding(USD, bank.folder / "usd")
    await bank.accounts.set(bank.org_id, told, actor="test", at=bank.clock.stamp())
    await read(bank, a=statement(credit(3, "usd"), currency="usd", account=USD_NUMBER))
    assert await receipts(bank) == []
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert line.reason == "the statement is of an account that has no files at this place"


# More files than are taken in one look.
MANY = FILES_MAX + 1


async def read_at(bank: Bank) -> dict[str, object]:
    return {each.currency: each.read_at for each in await bank.accounts.of([bank.org_id])}


async def test_it_is_known_until_when_everything_was_read(bank: Bank) -> None:
    assert await read_at(bank) == {"eur": None, "usd": None}
    await read(bank)
    at = bank.clock.now()
    assert await read_at(bank) == {"eur": at, "usd": at}
    bank.clock.at += timedelta(days=1)
    await read(bank, a=statement(credit()))
    assert await read_at(bank) == dict.fromkeys(("eur", "usd"), bank.clock.now())


async def test_what_could_not_be_applied_yet_is_not_read_through(bank: Bank) -> None:
    many = {f"s{each:03}": statement(credit(each), name=f"S{each}") for each in range(1, MANY + 1)}
    await read(bank, **many)
    assert (await read_at(bank))["eur"] is None
    await bank.database.rows(
        "update bank_lines set status = 'NEW', sealed_words = null where org_id = $1 returning 1",
        bank.org_id,
    )
    await read(bank)
    assert (await read_at(bank))["eur"] is None


@dataclass
class Asked:
    """Which folders were looked into."""

    paths: list[str] = field(default_factory=list[str])

    def names(self, path: Path) -> Sequence[str]:
        self.paths.append(path.parent.name)
        return []


async def test_each_place_is_looked_at_as_often_as_it_shall_be(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked()
    monkeypatch.setattr(folders, "_names", asked.names)
    for text, path, seconds in ((USD, "usd", 1), (EUR, "eur", 3600)):
        place = FolderPlace(path=str(bank.folder / path), poll_seconds=seconds)
        told = funding(text, bank.folder, place=place)
        await bank.accounts.set(bank.org_id, told, actor="test", at=bank.clock.stamp())
    reading, offsets = reading_of(bank), {bank.org_id: timedelta()}
    began_s = time.monotonic()
    await reading.poll(offsets)
    assert sorted(asked.paths) == ["eur", "usd"]
    async with asyncio.timeout(60):
        while len(asked.paths) == 2:
            await asyncio.sleep(0.05)
            await reading.poll(offsets)
    # However often it was polled meanwhile.
    assert time.monotonic() - began_s >= 1
    assert asked.paths[2:] == ["usd"]
    await reading.run(offsets)
    assert sorted(asked.paths[3:]) == ["eur", "usd"]


@pytest.mark.parametrize(
    ("old", "new", "field_"),
    [
        ('bank_name = "Beispielbank"', f'{{0}}\ninitiator_id = "{"X" * 36}"', "initiator_id"),
        ("Example Payments GmbH", "埃达", "holder.name"),
        ("Example Payments GmbH", "X" * 71, "holder.name"),
        ("Beispielstr. 2", "X" * 71, "holder.street"),
        ('country = "DE"\n\n[place]', 'country = "FR"\n\n[place]', "numbers.digits"),
    ],
)
async def test_what_no_file_could_say_is_refused_when_it_is_set(
    bank: Bank, old: str, new: str, field_: str
) -> None:
    assert old in EUR
    text = EUR.replace(old, new.format(old))

    async def put_account() -> None:
        told = funding(text, bank.folder)
        await bank.accounts.set(bank.org_id, told, actor="test", at=bank.clock.stamp())

    with pytest.raises(FieldInvalid) as refused:
        await put_account()
    assert refused.value.field == field_


def test_a_deposit_is_never_on_the_accounts_own_number() -> None:
    told = read_toml(EUR)
    assert told.numbers is not None
    seed = new_id()
    own = number_in(told.numbers, seed)
    assert deposit_number(told, seed) == own
    other = deposit_number(msgspec.structs.replace(told, iban=own), seed)
    assert other not in {None, own}
