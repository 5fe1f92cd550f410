"""Files are numbered, written once, delivered once; whatever dies on the way."""

import asyncio
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest

from landbridge.bank_files import writing
from landbridge.bank_files.iso20022 import pain001
from landbridge.bank_files.model import BankFile, Status
from landbridge.bank_files.nacha.reading import read as read_nacha
from landbridge.bank_files.places.port import Folder, Place
from landbridge.core.errors import Unavailable
from landbridge.db.pool import Database
from landbridge.rails.port import PaidState
from tests.db.test_lost_commits import Forgetful

from .incoming import reading_of
from .made import AT, Bank, by_ach, by_sepa, by_swift, by_wire, connect_bank, make_bank

HOUR = timedelta(hours=1)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def test_what_is_queued_goes_half_an_hour_before_its_cut_off(bank: Bank) -> None:
    paid = [await bank.rails.pay(by_ach(bank.org_id)) for _ in range(3)]
    assert await bank.write() == []
    # Four in the afternoon in New York, less half an hour.
    bank.clock.at = datetime.fromisoformat("2026-03-04T20:30:00+00:00")
    (file,) = await bank.write()
    assert (file.number, file.count, file.units) == (1, 3, 30_000)
    assert file.name.startswith("000001-usd-ach-")
    told = read_nacha(bank.out()[file.name])
    assert told.credit_cents == 30_000
    traces = [each.trace_number for batch in told.batches for each in batch.entries]
    assert traces == [each.tracking.trace_number for each in paid]
    assert await bank.write() == []


async def test_an_instant_payment_goes_at_once(bank: Bank) -> None:
    payment = by_sepa(bank.org_id, rail="sepaInstant")
    await bank.rails.pay(payment)
    (file,) = await bank.write()
    read = pain001.read(bank.out()[file.name])
    assert [each.end_to_end_id for each in read.transfers] == [payment.key.hex]
    assert read.message_id == file.message_id


async def test_each_rail_has_a_file_of_its_own_and_numbers_have_no_gaps(bank: Bank) -> None:
    await bank.rails.pay(by_ach(bank.org_id))
    await bank.rails.pay(by_ach(bank.org_id, is_same_day=True))
    await bank.rails.pay(by_wire(bank.org_id))
    await bank.rails.pay(by_swift(bank.org_id))
    await bank.rails.pay(by_sepa(bank.org_id))
    files = await bank.write(is_early=True)
    assert sorted(each.number for each in files if "usd" in each.name) == [1, 2, 3, 4]
    assert [each.number for each in files if "eur" in each.name] == [1]
    assert {each.rail for each in files} == {"ach", "wire", "swift", "sepa"}
    assert all(each.delivered_at for each in files)


async def test_the_report_says_what_is_in_the_file(bank: Bank) -> None:
    await bank.rails.pay(by_ach(bank.org_id, units=12_345))
    (file,) = await bank.write(is_early=True)
    report, content = bank.reports()[file.name], bank.out()[file.name]
    assert report["sum"] == "123.45"
    assert (report["count"], report["number"], report["creditCents"]) == (1, 1, 12_345)
    assert report["sha256"] == sha256(content).hexdigest()
    assert b"Ada" not in str(report).encode()


@pytest.mark.parametrize("moment", ["claimed", "kept", "put", "reported"])
async def test_a_worker_that_dies_is_followed_by_the_same_file(
    bank: Bank, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    payments = [by_ach(bank.org_id), by_sepa(bank.org_id)]
    for each in payments:
        await bank.rails.pay(each)
    with monkeypatch.context() as broken:
        _die(broken, moment)
        assert await bank.write(is_early=True) == []
    seen = bank.out()
    bank.clock.at += writing.LEASE + HOUR
    later = connect_bank(bank.database, bank.org_id, bank.clock, bank.folder)
    files = await later.write(is_early=True)
    assert len(files) == 2
    assert {each.number for each in files} == {1}
    assert bank.out() | seen == bank.out()
    assert set(bank.reports()) == set(bank.out())
    assert await later.write(is_early=True) == []
    for each in payments:
        assert (await bank.find(each.key)).status is Status.WRITTEN


async def test_a_file_that_the_bank_has_fetched_is_not_given_again(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bank.rails.pay(by_ach(bank.org_id))
    with monkeypatch.context() as broken:
        _die(broken, "reported")
        await bank.write(is_early=True)
    for each in (bank.folder / "out").iterdir():
        each.unlink()
    bank.clock.at += writing.LEASE + HOUR
    (file,) = await bank.write()
    assert file.number == 1
    assert bank.out() == {}


async def test_bytes_are_the_same_whoever_assembles_them(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bank.rails.pay(by_wire(bank.org_id))
    made: list[bytes] = []

    async def die(_place: Place, _file: BankFile, content: bytes, _currency: str) -> None:
        made.append(content)
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr(writing, "deliver", die)
        await bank.write(is_early=True)
    bank.clock.at += writing.LEASE + HOUR
    (file,) = await bank.write()
    assert [bank.out()[file.name]] == made


async def test_workers_that_write_at_once_make_one_file(bank: Bank) -> None:
    keys = [uuid4() for _ in range(20)]
    await asyncio.gather(*(bank.rails.pay(by_ach(bank.org_id, key=each)) for each in keys))
    workers = [connect_bank(bank.database, bank.org_id, bank.clock, bank.folder) for _ in range(6)]
    written = await asyncio.gather(*(each.write(is_early=True) for each in workers))
    files = [file for each in written for file in each]
    assert sum(each.count for each in files) == len(keys)
    assert sorted(each.number for each in files) == list(range(1, len(files) + 1))
    assert _in_files(bank) == sorted(each.hex[:15].upper() for each in keys)


async def test_payers_and_writers_race_and_every_payment_is_in_one_file(bank: Bank) -> None:
    keys = [uuid4() for _ in range(30)]

    async def write_on() -> None:
        for _ in range(6):
            await bank.write(is_early=True)

    await asyncio.gather(
        *(bank.rails.pay(by_ach(bank.org_id, key=each)) for each in keys), write_on(), write_on()
    )
    await bank.write(is_early=True)
    assert _in_files(bank) == sorted(each.hex[:15].upper() for each in keys)
    numbers = sorted(each["number"] for each in bank.reports().values())
    assert numbers == list(range(1, len(numbers) + 1))


async def test_a_place_that_is_away_is_tried_again(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bank.rails.pay(by_ach(bank.org_id))

    async def away(*_: object) -> None:
        raise Unavailable("the bank's server is away")

    with monkeypatch.context() as broken:
        broken.setattr(writing, "deliver", away)
        assert await bank.write(is_early=True) == []
    assert await bank.write() == []
    bank.clock.at += 2 * HOUR
    assert len(await bank.write()) == 1


async def test_what_is_done_twice_is_done_once(bank: Bank, dsn: str) -> None:
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    doubtful = connect_bank(forgetful, bank.org_id, bank.clock, bank.folder)
    bank.clock.at += HOUR
    told = (await doubtful.accounts.of([bank.org_id]))[0].told
    account = await doubtful.accounts.set(bank.org_id, told, actor="test", at=bank.clock.stamp())
    assert account.version == 2
    payment = by_ach(bank.org_id)
    await doubtful.rails.pay(payment)
    # Claimed twice: the second time nothing is due any more.
    await doubtful.write(is_early=True)
    (report,) = bank.reports().values()
    assert (report["number"], report["count"]) == (1, 1)
    assert await bank.write(is_early=True) == []
    bank.clock.at = AT + timedelta(days=30)
    await reading_of(doubtful).run({bank.org_id: timedelta()})
    found = await doubtful.rails.look(bank.org_id, payment.key, bank.clock.at)
    assert found is not None
    assert found.state is PaidState.SETTLED
    await forgetful.close()


async def test_whom_it_pays_is_only_in_the_file_then(bank: Bank) -> None:
    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    assert (await bank.find(payment.key)).sealed_order is not None
    (file,) = await bank.write(is_early=True)
    assert (await bank.find(payment.key)).sealed_order is None
    assert b"ADA EXAMPLE" in (await bank.writer.content(file) or b"")


async def test_content_goes_when_it_was_kept_long_enough(bank: Bank) -> None:
    await bank.rails.pay(by_ach(bank.org_id))
    (file,) = await bank.write(is_early=True)
    kept = timedelta(days=30)
    await bank.writer.sweep({bank.org_id: AT + kept - HOUR}, kept)
    assert await bank.writer.content(file) is not None
    await bank.writer.sweep({bank.org_id: AT + kept + HOUR}, kept)
    assert await bank.writer.content(file) is None


async def test_a_file_with_more_than_a_file_holds_goes_in_several(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "PAYMENTS_MAX", 4)
    for _ in range(10):
        await bank.rails.pay(by_ach(bank.org_id))
    files = await bank.write(is_early=True)
    assert sorted(each.count for each in files) == [2, 4, 4]
    assert sorted(each.number for each in files) == [1, 2, 3]


def _in_files(bank: Bank) -> list[str]:
    """The ids of all ACH entries that the bank gets."""
    return sorted(
        entry.individual_id
        for content in bank.out().values()
        for batch in read_nacha(content).batches
        for entry in batch.entries
    )


def _die(broken: pytest.MonkeyPatch, moment: str) -> None:
    """Have the worker die right after a moment."""

    def die(*_: object, **__: object) -> None:
        raise RuntimeError("the worker died")

    async def die_later(*_: object, **__: object) -> None:
        die()

    async def put_and_die(place: Place, file: BankFile, content: bytes, _: str) -> None:
        await place.write(Folder.OUT, file.name, content)
        die()

    match moment:
        case "claimed":
            broken.setattr(writing, "assemble", die)
        case "kept":
            broken.setattr(writing, "deliver", die_later)
        case "put":
            broken.setattr(writing, "deliver", put_and_die)
        case _:
            broken.setattr(writing.Writer, "_note_delivered", die_later)
