"""ACH returns, workers that die while they read, and the sandbox's bank."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.bank_files import answer_store, line_store
from landbridge.bank_files.answering import Outcome, SandboxBank, Sent
from landbridge.bank_files.line_model import Line, LineKind, LineStatus, Told
from landbridge.bank_files.model import Status
from landbridge.bank_files.nacha.messages import Batch, Entry, NachaFile, SecCode
from landbridge.bank_files.nacha.reading import read as read_nacha
from landbridge.bank_files.nacha.returns import correction_of, return_of
from landbridge.bank_files.nacha.writing import write as write_nacha
from landbridge.bank_files.places.folder import FolderPlace
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.orgs.model import Mode
from landbridge.rails.currencies import FIAT
from landbridge.rails.port import PaidState
from landbridge.simulation.errors import SandboxOnly

from .incoming import credit, debit, lines, put, read, reading_of, receipts, statement
from .made import AT, Bank, by_ach, by_sepa, make_bank

DAY = timedelta(days=1)
NOW = timedelta()


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def entry_of(bank: Bank, **changes: Any) -> tuple[UUID, Batch, Entry]:
    """An ACH payment in a file at the bank: its key, batch and entry."""
    payment = by_ach(bank.org_id, **changes)
    await bank.rails.pay(payment)
    (file,) = await bank.write(is_early=True)
    (batch,) = read_nacha(bank.out()[file.name]).batches
    return payment.key, batch, batch.entries[0]


def answer(batch: Batch, *entries: Entry, sec_code: SecCode | None = None) -> bytes:
    """A file in which the bank answers with these entries."""
    changed = Batch(
        company_name=batch.company_name,
        company_id=batch.company_id,
        sec_code=sec_code or batch.sec_code,
        description=batch.description,
        effective_on=None,
        odfi="09100001",
        number=1,
        entries=entries,
    )
    return write_nacha(
        NachaFile(
            "1234567890", "021000021", "EXAMPLE PAYMENTS", "EXAMPLE BANK", AT, "A", (changed,)
        )
    )


def returned(entry: Entry, code: str = "R03", number: int = 1) -> Entry:
    trace = f"09100001{number:07d}"
    return return_of(entry, to_routing_number="021000021", trace_number=trace, code=code)


async def test_a_return_fails_its_payment(bank: Bank) -> None:
    key, batch, entry = await entry_of(bank)
    (told,) = await read(bank, a=answer(batch, returned(entry)))
    assert (told.format, told.line_count) == (Told.NACHA, 1)
    found = await bank.find(key)
    assert (found.status, found.reason) == (
        Status.FAILED,
        "the bank returned it: R03, no such account",
    )
    # The same in another file, and as money on the statement.
    await read(bank, b=answer(batch, returned(entry)).replace(b"\n", b"\r\n"))
    trace = found.trace_number
    back = credit(10_000, "usd", end_to_end_id=trace, return_code="R03", remittance=None)
    await read(bank, c=statement(back, currency="usd"))
    assert await lines(bank, LineStatus.UNMATCHED) == []
    assert await receipts(bank) == []


async def test_a_return_after_the_time_for_returns_waits_for_a_person(bank: Bank) -> None:
    key, batch, entry = await entry_of(bank)
    bank.clock.at += 30 * DAY
    await read(bank)
    paid = await bank.rails.look(bank.org_id, key, bank.clock.at)
    assert paid is not None
    assert paid.state is PaidState.SETTLED
    await read(bank, a=answer(batch, returned(entry)))
    assert (await bank.find(key)).status is Status.SETTLED
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert (line.kind, line.payment_key) == (LineKind.RETURN, key)
    assert line.reason == "the payment came back after it was settled"


async def test_a_notification_of_change_is_for_a_person(bank: Bank) -> None:
    key, batch, entry = await entry_of(bank)
    change = correction_of(
        entry,
        to_routing_number="021000021",
        trace_number="091000010000001",
        code="C01",
        corrected="000987",
    )
    await read(bank, a=answer(batch, change, sec_code=SecCode.COR))
    assert (await bank.find(key)).status is Status.WRITTEN
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert line.reason == "the bank asks to change: C01, the account number"
    assert line.words is not None
    assert (line.words.corrected, line.words.trace_number) == ("000987", entry.trace_number)


async def test_a_return_of_what_is_not_ours_moves_nothing(bank: Bank) -> None:
    key, batch, entry = await entry_of(bank)
    strange = Entry(
        transaction_code=entry.transaction_code,
        routing_number=entry.routing_number,
        account_number=entry.account_number,
        cents=entry.cents,
        individual_id=entry.individual_id,
        name=entry.name,
        trace_number="021000029999999",
    )
    await read(bank, a=answer(batch, returned(strange)))
    assert (await bank.find(key)).status is Status.WRITTEN
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert line.reason == "no ACH payment of ours has this trace number"


class Died(Exception):
    """The process was killed."""


def dies(after: int) -> Callable[..., Any]:
    """Nothing any more from this call on."""
    calls = [0]

    def killed(work: Callable[..., Any]) -> Callable[..., Any]:
        async def once(*args: Any, **options: Any) -> Any:
            calls[0] += 1
            if calls[0] > after:
                raise Died
            return await work(*args, **options)

        return once

    return killed


@pytest.mark.parametrize("moment", ["begun", "half", "lines", "taken", "applied", "half applied"])
async def test_a_worker_that_dies_is_followed_by_one_that_does_the_rest(
    bank: Bank, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    payments = [by_sepa(bank.org_id, units=each) for each in range(1, 61)]
    for each in payments:
        await bank.rails.pay(each)
    await bank.write(is_early=True)
    debits = [debit(each.key, each.money.units) for each in payments]
    bare = credit(bank_reference=None)
    put(bank, "a", statement(*debits, bare, bare, credit(77)))
    with monkeypatch.context() as patch:
        match moment:
            case "begun":
                patch.setattr(line_store, "add", dies(0)(line_store.add))
            case "half":
                patch.setattr(line_store, "add", dies(1)(line_store.add))
            case "lines":
                patch.setattr(answer_store, "taken", dies(0)(answer_store.taken))
            case "taken":
                patch.setattr(FolderPlace, "move", dies(1)(FolderPlace.move))
                patch.setattr(line_store, "new", dies(0)(line_store.new))
            case "applied":
                patch.setattr(FolderPlace, "move", dies(1)(FolderPlace.move))
            case _:
                patch.setattr(line_store, "move", dies(30)(line_store.move))
        with suppress(Died):
            await reading_of(bank).run({bank.org_id: NOW})
        settled = [(await bank.find(each.key)).status is Status.SETTLED for each in payments]
        assert sum(settled) == {"applied": 60, "half applied": 30}.get(moment, 0)
    for _ in range(2):
        await reading_of(bank).run({bank.org_id: NOW})
    assert {(await bank.find(each.key)).status for each in payments} == {Status.SETTLED}
    assert sorted(each.money.units for each in await receipts(bank)) == [77, 10_000, 10_000]
    found = await lines(bank)
    assert len(found) == 63
    assert {each.status for each in found} == {LineStatus.MATCHED}
    assert list((bank.folder / "in").glob("a")) == []


def playing(bank: Bank, mode: Mode = Mode.SANDBOX) -> SandboxBank:
    return SandboxBank(mode, bank.database, bank.accounts, bank.clock)


async def unmatched(bank: Bank) -> list[Line]:
    return await lines(bank, LineStatus.UNMATCHED)


@pytest.mark.parametrize(
    ("outcome", "sepa", "ach"),
    [
        (Outcome.SETTLE, Status.SETTLED, Status.WRITTEN),
        (Outcome.REJECT, Status.FAILED, Status.FAILED),
        (Outcome.RETURN, Status.FAILED, Status.FAILED),
    ],
)
async def test_the_sandboxs_bank_answers_each_file_once(
    bank: Bank, outcome: Outcome, sepa: Status, ach: Status
) -> None:
    by = [by_sepa(bank.org_id), by_sepa(bank.org_id, rail="sepaInstant"), by_ach(bank.org_id)]
    for each in by:
        await bank.rails.pay(each)
    await bank.write(is_early=True)
    answers = await playing(bank).answer(bank.org_id, outcome, NOW)
    assert len(answers) == (2 if outcome is Outcome.SETTLE else 3)
    assert await playing(bank).answer(bank.org_id, Outcome.RETURN, NOW) == (
        [] if outcome is not Outcome.SETTLE else [f"answer-{name}" for name in _ach(bank)]
    )
    _forget_ach(bank, outcome)
    await read(bank)
    assert [(await bank.find(each.key)).status for each in by] == [sepa, sepa, ach]
    assert await unmatched(bank) == []


def _ach(bank: Bank) -> list[str]:
    return [name for name in bank.out() if name.endswith(".ach")]


def _forget_ach(bank: Bank, outcome: Outcome) -> None:
    """Of what was settled nothing was said, and a second thought came too late for this test."""
    if outcome is Outcome.SETTLE:
        for name in _ach(bank):
            (bank.folder / "in" / f"answer-{name}").unlink()


async def test_the_sandboxs_bank_lets_money_arrive(bank: Bank) -> None:
    for units in (1, 2):
        sent = Sent(
            money=Money(units, FIAT["usd"]), reference="LB1", number="40010000000001", sender="Ada"
        )
        await playing(bank).deposit(bank.org_id, sent, NOW)
    await read(bank)
    assert sorted(each.money.units for each in await receipts(bank)) == [1, 2]
    assert {each.account_number for each in await receipts(bank)} == {"40010000000001"}
    assert await unmatched(bank) == []


async def test_there_is_no_such_bank_in_production(bank: Bank) -> None:
    with pytest.raises(SandboxOnly):
        await playing(bank, Mode.PRODUCTION).answer(bank.org_id, Outcome.SETTLE, NOW)
