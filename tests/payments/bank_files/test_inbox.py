"""Inbox: each file is read once and archived, and no file blocks another."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from landbridge.payments.bank_files import inbox
from landbridge.payments.bank_files.funding_account import (
    FolderSettings,
    SftpSettings,
    deposit_number,
    derive_number,
    parse_toml,
)
from landbridge.payments.bank_files.inbox import FILES_MAX
from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.payments.bank_files.statement_line_model import StatementLineStatus
from landbridge.payments.bank_files.transports import folder as folders
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.providers.iso20022.messages import TransactionStatus
from tests.payments.bank_files.builders import (
    EUR,
    USD,
    Bank,
    by_ach,
    by_sepa,
    connect_bank,
    funding,
    make_bank,
)
from tests.payments.bank_files.inbound_files import (
    USD_NUMBER,
    credit,
    debit,
    incoming_payments,
    lines,
    own,
    put,
    read,
    reading_of,
    report,
    sent,
    statement,
    waiting,
)

GONE = SftpSettings(host="127.0.0.1", port=1, user="u", host_key="ssh-ed25519 AAAA", password="p")


# Function by which a folder reads a file.
READ = "_read"
# That by which it lists them.
NAMES = "_names"


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


def contents(bank: Bank, path: str) -> list[bytes]:
    return sorted(each.read_bytes() for each in (bank.folder / path).glob("*") if each.is_file())


async def test_files_with_the_same_name_are_all_read_and_archived(bank: Bank) -> None:
    first = statement(credit(1))
    second = statement(credit(2), name="S2", number=2, opening=1_000_001)
    for content in (first, second):
        await read(bank, **{"statement.xml": content})
    assert contents(bank, "in/done") == sorted([first, second])
    for content in (b"no", b"nor this"):
        await read(bank, **{"statement.xml": content})
    assert contents(bank, "in/refused") == [b"no", b"nor this"]
    assert len(await incoming_payments(bank)) == 2


async def test_a_file_that_arrives_under_a_name_being_read_is_read_later(
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
    assert len(await incoming_payments(bank)) == 2


async def test_a_file_claimed_by_a_crashed_worker_is_read(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(path: Path) -> bytes | None:
        raise ZeroDivisionError(path)

    with monkeypatch.context() as patched:
        patched.setattr(folders, READ, die)
        assert await read(bank, a=statement(credit())) == []
    await read(bank)
    assert len(await incoming_payments(bank)) == 1
    assert (contents(bank, "in"), len(contents(bank, "in/done"))) == ([], 1)


@pytest.mark.parametrize("name", [b"a\\b.xml", b"\xff.xml", b"a\nb", b"x" * 255])
async def test_a_malformed_name_is_accepted(bank: Bank, name: bytes) -> None:
    put(bank, os.fsdecode(name), statement(credit()))
    await read(bank, z=statement(credit(5), name="S2", number=2, opening=1_010_000))
    assert len(await incoming_payments(bank)) == 2
    assert (contents(bank, "in"), len(contents(bank, "in/done"))) == ([], 2)


async def test_each_oversized_file_is_reported(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "SIZE_MAX", 10)
    for content in (b"x" * 20, b"y" * 30):
        await read(bank, big=content)
    names = [each.texts and each.texts.file_name for each in await lines(bank)]
    assert names == ["big", "big"]


async def test_a_failing_file_stops_no_other(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
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
    """Make an account impossible to decrypt."""
    await bank.database.rows(
        "update funding_accounts set sealed_details = $3 where org_id = $1 and currency = $2"
        " returning 1",
        *(bank.org_id, currency, b"broken"),
    )


async def test_a_broken_account_stops_no_other(bank: Bank) -> None:
    payments = [by_sepa(bank.org_id), by_ach(bank.org_id)]
    for each in payments:
        await bank.rails.pay(each)
    await break_account(bank, "eur")
    (file,) = await bank.write(is_early=True)
    assert file.rail == "ach"
    await read(bank, a=statement(credit(3, "usd"), currency="usd"))
    assert len(await incoming_payments(bank)) == 1
    fresh = connect_bank(bank.database, bank.org_id, bank.clock, bank.folder)
    with pytest.raises(Exception):  # noqa: B017, PT011  whatever it is: no payment is refused by it
        await fresh.accounts.find(bank.org_id, "eur")


async def test_an_unreachable_server_stops_no_other(bank: Bank) -> None:
    settings = funding(USD, bank.folder, transport=GONE)
    await bank.accounts.set(bank.org_id, settings, actor="test", at=bank.clock.stamp())
    payments = [by_ach(bank.org_id), by_sepa(bank.org_id)]
    for each in payments:
        await bank.rails.pay(each)
    (file,) = await bank.write(is_early=True)
    assert file.rail == "sepa"
    await read(bank, a=statement(debit(payments[1].key)))
    assert (await bank.find(payments[1].key)).status is BankPaymentStatus.SETTLED
    found = await read_at(bank)
    assert (found["usd"], found["eur"] is None) == (None, False)


async def test_a_file_counts_only_for_accounts_of_its_transport(bank: Bank) -> None:
    settings = funding(USD, bank.folder / "usd")
    await bank.accounts.set(bank.org_id, settings, actor="test", at=bank.clock.stamp())
    await read(bank, a=statement(credit(3, "usd"), currency="usd", account=USD_NUMBER))
    assert await incoming_payments(bank) == []
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert line.reason == "the statement is of an account that has no files in this folder"


async def test_a_file_counts_once_its_account_is_set(bank: Bank) -> None:
    elsewhere = funding(USD, bank.folder / "usd")
    await bank.accounts.set(bank.org_id, elsewhere, actor="test", at=bank.clock.stamp())
    raw = statement(credit(3, "usd"), currency="usd", account=USD_NUMBER)
    await read(bank, a=raw)
    here = funding(USD, bank.folder)
    await bank.accounts.set(bank.org_id, here, actor="test", at=bank.clock.stamp())
    for _ in range(2):
        (file,) = await read(bank, a=raw)
        assert (file.line_count, file.known_count, file.credit_units) == (1, 0, 3)
        assert len(await incoming_payments(bank)) == 1
    assert contents(bank, "in/done") == [raw] * 3


async def test_another_banks_report_moves_no_payment(bank: Bank) -> None:
    settings = funding(USD, bank.folder / "usd")
    await bank.accounts.set(bank.org_id, settings, actor="test", at=bank.clock.stamp())
    (key,) = await sent(bank, by_sepa(bank.org_id))
    (file,) = await bank.writer.files(await own(bank), 1)
    # A payee's bank learns the EndToEndId, and may be where the organisation has its dollars.
    known = TransactionStatus(end_to_end_id=key.hex, status="RJCT", reason_codes=("AC04",))
    elsewhere = replace(bank, folder=bank.folder / "usd")
    await read(elsewhere, a=report(known), b=report(original=file.message_id, group="RJCT"))
    assert (await bank.find(key)).status is BankPaymentStatus.WRITTEN
    assert await waiting(bank) == [
        "no payment of ours has the reported reference",
        "no file of ours has the reported reference",
    ]
    await read(bank, a=report(known))
    assert (await bank.find(key)).status is BankPaymentStatus.FAILED


# More files than one scan reads.
MANY = FILES_MAX + 1


async def read_at(bank: Bank) -> dict[str, object]:
    return {
        each.currency: each.statements_read_at
        for each in await bank.accounts.list_all([bank.org_id])
    }


async def test_statements_read_at_is_recorded(bank: Bank) -> None:
    assert await read_at(bank) == {"eur": None, "usd": None}
    await read(bank)
    at = bank.clock.now()
    assert await read_at(bank) == {"eur": at, "usd": at}
    bank.clock.at += timedelta(days=1)
    await read(bank, a=statement(credit()))
    assert await read_at(bank) == dict.fromkeys(("eur", "usd"), bank.clock.now())


async def test_unapplied_lines_delay_statements_read_at(bank: Bank) -> None:
    many = {f"s{each:03}": statement(credit(each), name=f"S{each}") for each in range(1, MANY + 1)}
    await read(bank, **many)
    assert (await read_at(bank))["eur"] is None
    await bank.database.rows(
        "update statement_lines set status = 'NEW', sealed_texts = null"
        " where org_id = $1 returning 1",
        bank.org_id,
    )
    await read(bank)
    assert (await read_at(bank))["eur"] is None


@dataclass
class FolderListings:
    """Records which folders were listed."""

    paths: list[str] = field(default_factory=list[str])

    def names(self, path: Path) -> Sequence[str]:
        self.paths.append(path.parent.name)
        return []


async def test_each_transport_is_polled_at_its_own_interval(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = FolderListings()
    monkeypatch.setattr(folders, "_names", listed.names)
    for text, path, seconds in ((USD, "usd", 1), (EUR, "eur", 3600)):
        folder_settings = FolderSettings(path=str(bank.folder / path), poll_seconds=seconds)
        settings = funding(text, bank.folder, transport=folder_settings)
        await bank.accounts.set(bank.org_id, settings, actor="test", at=bank.clock.stamp())
    reading, offsets = reading_of(bank), {bank.org_id: timedelta()}
    began_s = time.monotonic()
    await reading.poll(offsets)
    assert sorted(listed.paths) == ["eur", "usd"]
    async with asyncio.timeout(60):
        while len(listed.paths) == 2:
            await asyncio.sleep(0.05)
            await reading.poll(offsets)
    # Regardless of the number of polls.
    assert time.monotonic() - began_s >= 1
    assert listed.paths[2:] == ["usd"]
    await reading.run(offsets)
    assert sorted(listed.paths[3:]) == ["eur", "usd"]


@pytest.mark.parametrize(
    ("old", "new", "field_"),
    [
        ('bank_name = "Beispielbank"', f'{{0}}\ninitiator_id = "{"X" * 36}"', "initiator_id"),
        ("Example Payments GmbH", "埃达", "holder.name"),
        ("Example Payments GmbH", "X" * 71, "holder.name"),
        ("Beispielstr. 2", "X" * 71, "holder.street"),
        ('country = "DE"\n\n[transport]', 'country = "FR"\n\n[transport]', "numbers.digits"),
    ],
)
async def test_settings_that_no_file_can_carry_are_rejected(
    bank: Bank, old: str, new: str, field_: str
) -> None:
    assert old in EUR
    text = EUR.replace(old, new.format(old))

    async def put_account() -> None:
        settings = funding(text, bank.folder)
        await bank.accounts.set(bank.org_id, settings, actor="test", at=bank.clock.stamp())

    with pytest.raises(FieldInvalid) as refused:
        await put_account()
    assert refused.value.field == field_


def test_a_deposit_number_is_never_the_accounts_own() -> None:
    settings = parse_toml(EUR)
    assert settings.numbers is not None
    seed = new_id()
    own = derive_number(settings.numbers, seed)
    assert deposit_number(settings, seed) == own
    other = deposit_number(msgspec.structs.replace(settings, iban=own), seed)
    assert other not in {None, own}


async def test_a_slow_transport_does_not_delay_the_others(
    bank: Bank, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "_POLL_S", 0.05)
    other = await make_bank(bank.database, tmp_path_factory.mktemp("other"))
    answer, slow = threading.Event(), str(bank.folder)
    inner: Callable[[Path], Sequence[str]] = getattr(folders, NAMES)

    def names(path: Path) -> Sequence[str]:
        if str(path).startswith(slow):
            answer.wait(20)
        return inner(path)

    monkeypatch.setattr(folders, NAMES, names)
    put(bank, "statement.xml", statement(credit(1)))
    put(other, "statement.xml", statement(credit(1)))
    reading, offsets = reading_of(bank), {bank.org_id: timedelta(), other.org_id: timedelta()}
    async with asyncio.timeout(20):
        while not await incoming_payments(other):
            await reading.poll(offsets)
        # A transport is not scanned twice at a time.
        await reading.poll(offsets)
        assert not await incoming_payments(bank)
        answer.set()
        while not await incoming_payments(bank):
            await reading.poll(offsets)
        await reading.close()
    assert len(await incoming_payments(bank)) == len(await incoming_payments(other)) == 1
