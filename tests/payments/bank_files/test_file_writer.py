"""Files are numbered, written once and delivered once, also after a crash."""

import asyncio
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest

from landbridge.payments.bank_files import file_writer
from landbridge.payments.bank_files.model import BankFile, BankPaymentStatus
from landbridge.payments.bank_files.transports.port import FileTransport, TransportFolder
from landbridge.platform.core import end_tasks
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.pool import Database
from landbridge.providers.iso20022 import pain001
from landbridge.providers.nacha.dates import effective_on, returns_end_at
from landbridge.providers.nacha.reading import read as read_nacha
from landbridge.providers.rails.port import RailPaymentState
from tests.payments.bank_files.builders import (
    AT,
    Bank,
    by_ach,
    by_sepa,
    by_swift,
    by_wire,
    connect_bank,
    make_bank,
)
from tests.payments.bank_files.inbound_files import reading_of
from tests.platform.db.test_lost_commits import Forgetful

HOUR = timedelta(hours=1)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def test_queued_payments_are_written_half_an_hour_before_their_cut_off(bank: Bank) -> None:
    paid = [await bank.rails.pay(by_ach(bank.org_id)) for _ in range(3)]
    assert await bank.write() == []
    # 4 p.m. in New York, less half an hour.
    bank.clock.at = datetime.fromisoformat("2026-03-04T20:30:00+00:00")
    (file,) = await bank.write()
    assert (file.number, file.count, file.units) == (1, 3, 30_000)
    assert file.name.startswith("000001-usd-ach-")
    content = read_nacha(bank.out()[file.name])
    assert content.credit_cents == 30_000
    traces = [each.trace_number for batch in content.batches for each in batch.entries]
    assert traces == [each.tracking.trace_number for each in paid]
    assert await bank.write() == []


async def test_an_instant_payment_is_written_immediately(bank: Bank) -> None:
    payment = by_sepa(bank.org_id, rail="sepaInstant")
    await bank.rails.pay(payment)
    (file,) = await bank.write()
    read = pain001.read(bank.out()[file.name])
    assert [each.end_to_end_id for each in read.transfers] == [payment.key.hex]
    assert read.message_id == file.message_id


async def test_each_rail_has_its_own_file_and_numbers_have_no_gaps(bank: Bank) -> None:
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


async def test_the_control_report_matches_the_file(bank: Bank) -> None:
    await bank.rails.pay(by_ach(bank.org_id, units=12_345))
    (file,) = await bank.write(is_early=True)
    report, content = bank.reports()[file.name], bank.out()[file.name]
    assert report["sum"] == "123.45"
    assert (report["count"], report["number"], report["creditCents"]) == (1, 1, 12_345)
    assert report["sha256"] == sha256(content).hexdigest()
    assert b"Ada" not in str(report).encode()


@pytest.mark.parametrize("moment", ["claimed", "kept", "put", "reported"])
async def test_after_a_crash_the_same_file_is_written(
    bank: Bank, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    payments = [by_ach(bank.org_id), by_sepa(bank.org_id)]
    for each in payments:
        await bank.rails.pay(each)
    with monkeypatch.context() as broken:
        _die(broken, moment)
        assert await bank.write(is_early=True) == []
    sent_files = bank.out()
    bank.clock.at += file_writer.LEASE + HOUR
    later = connect_bank(bank.database, bank.org_id, bank.clock, bank.folder)
    files = await later.write(is_early=True)
    assert len(files) == 2
    assert {each.number for each in files} == {1}
    assert bank.out() | sent_files == bank.out()
    assert set(bank.reports()) == set(bank.out())
    assert await later.write(is_early=True) == []
    for each in payments:
        assert (await bank.find(each.key)).status is BankPaymentStatus.WRITTEN


async def test_a_fetched_file_is_not_delivered_again(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bank.rails.pay(by_ach(bank.org_id))
    with monkeypatch.context() as broken:
        _die(broken, "reported")
        await bank.write(is_early=True)
    for each in (bank.folder / "out").iterdir():
        each.unlink()
    bank.clock.at += file_writer.LEASE + HOUR
    (file,) = await bank.write()
    assert file.number == 1
    assert bank.out() == {}


async def test_rebuilding_a_file_gives_the_same_bytes(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bank.rails.pay(by_wire(bank.org_id))
    created: list[bytes] = []

    async def die(_place: FileTransport, _file: BankFile, content: bytes, _currency: str) -> None:
        created.append(content)
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr(file_writer, "deliver", die)
        await bank.write(is_early=True)
    bank.clock.at += file_writer.LEASE + HOUR
    (file,) = await bank.write()
    assert [bank.out()[file.name]] == created


async def test_concurrent_workers_write_one_file(bank: Bank) -> None:
    keys = [uuid4() for _ in range(20)]
    await asyncio.gather(*(bank.rails.pay(by_ach(bank.org_id, key=each)) for each in keys))
    workers = [connect_bank(bank.database, bank.org_id, bank.clock, bank.folder) for _ in range(6)]
    written = await asyncio.gather(*(each.write(is_early=True) for each in workers))
    files = [file for each in written for file in each]
    assert sum(each.count for each in files) == len(keys)
    assert sorted(each.number for each in files) == list(range(1, len(files) + 1))
    assert _in_files(bank) == sorted(each.hex[:15].upper() for each in keys)


async def test_under_concurrency_every_payment_is_in_one_file(bank: Bank) -> None:
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


async def test_an_unreachable_transport_is_retried(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bank.rails.pay(by_ach(bank.org_id))

    async def away(*_: object) -> None:
        raise Unavailable("the bank's server is away")

    with monkeypatch.context() as broken:
        broken.setattr(file_writer, "deliver", away)
        assert await bank.write(is_early=True) == []
    assert await bank.write() == []
    bank.clock.at += 2 * HOUR
    assert len(await bank.write()) == 1


async def test_a_lost_commit_repeats_nothing(bank: Bank, dsn: str) -> None:
    forgetful = await Forgetful.connect(dsn, name="tests", size_max=2)
    doubtful = connect_bank(forgetful, bank.org_id, bank.clock, bank.folder)
    bank.clock.at += HOUR
    settings = (await doubtful.accounts.list_all([bank.org_id]))[0].settings
    account = await doubtful.accounts.set(
        bank.org_id, settings, actor="test", at=bank.clock.stamp()
    )
    assert account.version == 2
    payment = by_ach(bank.org_id)
    await doubtful.rails.pay(payment)
    # The second claim finds nothing due.
    await doubtful.write(is_early=True)
    (report,) = bank.reports().values()
    assert (report["number"], report["count"]) == (1, 1)
    assert await bank.write(is_early=True) == []
    bank.clock.at = AT + timedelta(days=30)
    await reading_of(doubtful).run({bank.org_id: timedelta()})
    found = await doubtful.rails.find_status(bank.org_id, payment.key, bank.clock.at)
    assert found is not None
    assert found.state is RailPaymentState.SETTLED
    await forgetful.close()


async def test_payee_data_is_only_in_the_file_once_written(bank: Bank) -> None:
    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    assert (await bank.find(payment.key)).sealed_order is not None
    (file,) = await bank.write(is_early=True)
    assert (await bank.find(payment.key)).sealed_order is None
    assert b"ADA EXAMPLE" in (await bank.writer.content(file) or b"")


async def test_content_is_deleted_after_its_retention(bank: Bank) -> None:
    await bank.rails.pay(by_ach(bank.org_id))
    (file,) = await bank.write(is_early=True)
    retention = timedelta(days=30)
    await bank.writer.sweep({bank.org_id: AT + retention - HOUR}, retention)
    assert await bank.writer.content(file) is not None
    await bank.writer.sweep({bank.org_id: AT + retention + HOUR}, retention)
    assert await bank.writer.content(file) is None


async def test_payments_beyond_a_files_limit_form_further_files(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_writer, "PAYMENTS_MAX", 4)
    for _ in range(10):
        await bank.rails.pay(by_ach(bank.org_id))
    files = await bank.write(is_early=True)
    assert sorted(each.count for each in files) == [2, 4, 4]
    assert sorted(each.number for each in files) == [1, 2, 3]


def _in_files(bank: Bank) -> list[str]:
    """Return the ids of all ACH entries that the bank gets."""
    return sorted(
        entry.individual_id
        for content in bank.out().values()
        for batch in read_nacha(content).batches
        for entry in batch.entries
    )


def _die(broken: pytest.MonkeyPatch, moment: str) -> None:
    """Crash the worker right after a step."""

    def die(*_: object, **__: object) -> None:
        raise RuntimeError("the worker died")

    async def die_later(*_: object, **__: object) -> None:
        die()

    async def put_and_die(transport: FileTransport, file: BankFile, content: bytes, _: str) -> None:
        await transport.write(TransportFolder.OUT, file.name, content)
        die()

    match moment:
        case "claimed":
            broken.setattr(file_writer, "assemble", die)
        case "kept":
            broken.setattr(file_writer, "deliver", die_later)
        case "put":
            broken.setattr(file_writer, "deliver", put_and_die)
        case _:
            broken.setattr(file_writer.BankFileWriter, "_note_delivered", die_later)


async def test_a_slow_bank_does_not_delay_the_files_of_others(
    bank: Bank, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_writer, "_POLL_S", 0.05)
    other = await make_bank(bank.database, tmp_path_factory.mktemp("other"))
    answer, calls = asyncio.Event(), 0
    inner = file_writer.deliver

    async def deliver(place: FileTransport, file: BankFile, content: bytes, currency: str) -> None:
        nonlocal calls
        if file.org_id == bank.org_id:
            calls += 1
            await answer.wait()
        await inner(place, file, content, currency)

    monkeypatch.setattr(file_writer, "deliver", deliver)
    await bank.rails.pay(by_wire(bank.org_id))
    bank.clock.at = other.clock.at = bank.clock.at + timedelta(days=3)
    offsets = {bank.org_id: timedelta(), other.org_id: timedelta()}
    async with asyncio.timeout(20):
        await bank.writer.poll(offsets)
        await other.rails.pay(by_wire(other.org_id))
        bank.clock.at = other.clock.at = bank.clock.at + timedelta(days=3)
        while not other.out():
            await bank.writer.poll(offsets)
        # Not even after its lease is the same file delivered twice at a time by one worker.
        assert (calls, bank.out()) == (1, {})
        answer.set()
        await bank.writer.close()
    assert len(bank.out()) == 1


async def test_a_delivery_that_ends_after_the_cut_off_is_of_the_next_day(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = file_writer.deliver

    async def deliver(place: FileTransport, file: BankFile, content: bytes, currency: str) -> None:
        await inner(place, file, content, currency)
        bank.clock.at += timedelta(minutes=10)

    monkeypatch.setattr(file_writer, "deliver", deliver)
    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    # 3:55 p.m. in New York: the cut-off is at 4.
    bank.clock.at = datetime.fromisoformat("2026-03-04T20:55:00+00:00")
    (file,) = await bank.write()
    assert file.delivered_at is not None
    assert file.delivered_at >= bank.clock.at
    expected = returns_end_at(effective_on(bank.clock.at))
    assert (await bank.find(payment.key)).closes_at == expected


async def test_a_delivery_that_is_cut_off_is_released(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_writer, "_POLL_S", 0.05)
    monkeypatch.setattr(end_tasks, "_WAIT_S", 0.05)

    async def deliver(*_of: object) -> None:
        await asyncio.sleep(60)

    with monkeypatch.context() as slow:
        slow.setattr(file_writer, "deliver", deliver)
        await bank.rails.pay(by_wire(bank.org_id))
        bank.clock.at += timedelta(days=3)
        async with asyncio.timeout(20):
            await bank.writer.poll({bank.org_id: timedelta()})
            await bank.writer.close()
    bank.clock.at += timedelta(minutes=2)
    assert len(await bank.write()) == 1
