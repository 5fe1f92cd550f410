"""ACH returns, workers that crash while reading, and the sandbox bank."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.payments.bank_files import inbound_file_store, statement_line_store
from landbridge.payments.bank_files.bank_simulator import (
    BankOutcome,
    SandboxBank,
    SimulatedCredit,
)
from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.payments.bank_files.statement_line_model import (
    InboundFileKind,
    StatementLine,
    StatementLineKind,
    StatementLineStatus,
)
from landbridge.payments.bank_files.transports.folder import FolderTransport
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.model import Mode
from landbridge.providers.nacha.messages import NachaBatch, NachaEntry, NachaFile, SecCode
from landbridge.providers.nacha.reading import read as read_nacha
from landbridge.providers.nacha.returns import build_return
from landbridge.providers.nacha.writing import write as write_nacha
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import RailPaymentState
from landbridge.providers.simulation.errors import SandboxOnly
from tests.matrices import part_of
from tests.payments.bank_files.builders import AT, Bank, by_ach, by_sepa, make_bank
from tests.payments.bank_files.inbound_files import (
    credit,
    debit,
    incoming_payments,
    lines,
    put,
    read,
    reading_of,
    statement,
)
from tests.providers.nacha.builders import build_correction

DAY = timedelta(days=1)
NOW = timedelta()


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def entry_of(bank: Bank, **changes: Any) -> tuple[UUID, NachaBatch, NachaEntry]:
    """Return an ACH payment in a delivered file: its key, batch and entry."""
    payment = by_ach(bank.org_id, **changes)
    await bank.rails.pay(payment)
    (file,) = await bank.write(is_early=True)
    (batch,) = read_nacha(bank.out()[file.name]).batches
    return payment.key, batch, batch.entries[0]


def answer(batch: NachaBatch, *entries: NachaEntry, sec_code: SecCode | None = None) -> bytes:
    """Build a bank response with these entries."""
    changed = NachaBatch(
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


def returned(entry: NachaEntry, code: str = "R03", number: int = 1) -> NachaEntry:
    trace = f"09100001{number:07d}"
    return build_return(entry, to_routing_number="021000021", trace_number=trace, code=code)


async def test_a_return_fails_its_payment(bank: Bank) -> None:
    key, batch, entry = await entry_of(bank)
    (file,) = await read(bank, a=answer(batch, returned(entry)))
    assert (file.format, file.line_count) == (InboundFileKind.NACHA, 1)
    found = await bank.find(key)
    assert (found.status, found.reason) == (
        BankPaymentStatus.FAILED,
        "the bank returned it: R03, no such account",
    )
    # The same return in another file, and as a credit on the statement.
    await read(bank, b=answer(batch, returned(entry)).replace(b"\n", b"\r\n"))
    trace = found.trace_number
    back = credit(10_000, "usd", end_to_end_id=trace, return_code="R03", remittance=None)
    await read(bank, c=statement(back, currency="usd"))
    assert await lines(bank, StatementLineStatus.UNMATCHED) == []
    assert await incoming_payments(bank) == []


async def test_a_return_after_the_return_window_needs_review(bank: Bank) -> None:
    key, batch, entry = await entry_of(bank)
    bank.clock.at += 30 * DAY
    await read(bank)
    paid = await bank.rails.find_status(bank.org_id, key, bank.clock.at)
    assert paid is not None
    assert paid.state is RailPaymentState.SETTLED
    await read(bank, a=answer(batch, returned(entry)))
    assert (await bank.find(key)).status is BankPaymentStatus.SETTLED
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert (line.kind, line.payment_key) == (StatementLineKind.RETURN, key)
    assert line.reason == "the payment was returned after settlement"


async def test_a_notification_of_change_needs_review(bank: Bank) -> None:
    key, batch, entry = await entry_of(bank)
    change = build_correction(
        entry,
        to_routing_number="021000021",
        trace_number="091000010000001",
        code="C01",
        corrected="000987",
    )
    await read(bank, a=answer(batch, change, sec_code=SecCode.COR))
    assert (await bank.find(key)).status is BankPaymentStatus.WRITTEN
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert line.reason == "the bank requests a correction: C01, the account number"
    assert line.texts is not None
    assert (line.texts.corrected, line.texts.trace_number) == ("000987", entry.trace_number)


async def test_a_return_of_an_unknown_payment_moves_nothing(bank: Bank) -> None:
    key, batch, entry = await entry_of(bank)
    strange = NachaEntry(
        transaction_code=entry.transaction_code,
        routing_number=entry.routing_number,
        account_number=entry.account_number,
        cents=entry.cents,
        individual_id=entry.individual_id,
        name=entry.name,
        trace_number="021000029999999",
    )
    await read(bank, a=answer(batch, returned(strange)))
    assert (await bank.find(key)).status is BankPaymentStatus.WRITTEN
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert line.reason == "no ACH payment of ours has this trace number"


class Died(Exception):
    """Simulated crash of the process."""


def dies(after: int) -> Callable[..., Any]:
    """Crash from this call on."""
    calls = [0]

    def killed(work: Callable[..., Any]) -> Callable[..., Any]:
        async def once(*args: Any, **options: Any) -> Any:
            calls[0] += 1
            if calls[0] > after:
                raise Died
            return await work(*args, **options)

        return once

    return killed


@pytest.mark.parametrize(
    "moment", part_of(["begun", "half", "lines", "taken", "applied", "half applied"], 0, 2)
)
async def test_after_a_crash_the_next_worker_does_the_rest(
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
                patch.setattr(statement_line_store, "add", dies(0)(statement_line_store.add))
            case "half":
                patch.setattr(statement_line_store, "add", dies(1)(statement_line_store.add))
            case "lines":
                patch.setattr(
                    inbound_file_store, "set_ingested", dies(0)(inbound_file_store.set_ingested)
                )
            case "taken":
                patch.setattr(FolderTransport, "move", dies(1)(FolderTransport.move))
                patch.setattr(
                    statement_line_store, "list_new", dies(0)(statement_line_store.list_new)
                )
            case "applied":
                patch.setattr(FolderTransport, "move", dies(1)(FolderTransport.move))
            case _:
                patch.setattr(statement_line_store, "move", dies(30)(statement_line_store.move))
        with suppress(Died):
            await reading_of(bank).run({bank.org_id: NOW})
        settled = [
            (await bank.find(each.key)).status is BankPaymentStatus.SETTLED for each in payments
        ]
        assert sum(settled) == {"applied": 60, "half applied": 30}.get(moment, 0)
    for _ in range(2):
        await reading_of(bank).run({bank.org_id: NOW})
    assert {(await bank.find(each.key)).status for each in payments} == {BankPaymentStatus.SETTLED}
    assert sorted(each.money.units for each in await incoming_payments(bank)) == [
        77,
        10_000,
        10_000,
    ]
    found = await lines(bank)
    assert len(found) == 63
    assert {each.status for each in found} == {StatementLineStatus.MATCHED}
    assert list((bank.folder / "in").glob("a")) == []


def playing(bank: Bank, mode: Mode = Mode.SANDBOX) -> SandboxBank:
    return SandboxBank(mode, bank.database, bank.accounts, bank.clock)


async def unmatched(bank: Bank) -> list[StatementLine]:
    return await lines(bank, StatementLineStatus.UNMATCHED)


@pytest.mark.parametrize(
    ("outcome", "sepa", "ach"),
    [
        (BankOutcome.SETTLE, BankPaymentStatus.SETTLED, BankPaymentStatus.WRITTEN),
        (BankOutcome.REJECT, BankPaymentStatus.FAILED, BankPaymentStatus.FAILED),
        (BankOutcome.RETURN, BankPaymentStatus.FAILED, BankPaymentStatus.FAILED),
    ],
)
async def test_the_sandbox_bank_responds_to_each_file_once(
    bank: Bank, outcome: BankOutcome, sepa: BankPaymentStatus, ach: BankPaymentStatus
) -> None:
    by = [by_sepa(bank.org_id), by_sepa(bank.org_id, rail="sepaInstant"), by_ach(bank.org_id)]
    for each in by:
        await bank.rails.pay(each)
    await bank.write(is_early=True)
    answers = await playing(bank).answer(bank.org_id, outcome, NOW)
    # The sum of an ACH file is in a statement, beside the file of returns.
    assert len(answers) == (3 if outcome is BankOutcome.SETTLE else 4)
    (ach_name,) = _ach(bank)
    late = [f"answer-{ach_name}", f"returned-{ach_name}.xml"]
    assert await playing(bank).answer(bank.org_id, BankOutcome.RETURN, NOW) == (
        late if outcome is BankOutcome.SETTLE else []
    )
    assert await playing(bank).answer(bank.org_id, BankOutcome.RETURN, NOW) == []
    _forget_ach(bank, outcome)
    await read(bank)
    assert [(await bank.find(each.key)).status for each in by] == [sepa, sepa, ach]
    assert await unmatched(bank) == []


def _ach(bank: Bank) -> list[str]:
    return [name for name in bank.out() if name.endswith(".ach")]


def _forget_ach(bank: Bank, outcome: BankOutcome) -> None:
    """Remove the reports of the return, which is too late for this test."""
    if outcome is BankOutcome.SETTLE:
        for name in _ach(bank):
            (bank.folder / "in" / f"answer-{name}").unlink()
            (bank.folder / "in" / f"returned-{name}.xml").unlink()


async def test_the_sandbox_bank_simulates_deposits(bank: Bank) -> None:
    for units in (1, 2):
        sent = SimulatedCredit(
            money=Money(units, FIAT["usd"]), reference="LB1", number="40010000000001", sender="Ada"
        )
        await playing(bank).deposit(bank.org_id, sent, NOW)
    await read(bank)
    assert sorted(each.money.units for each in await incoming_payments(bank)) == [1, 2]
    assert {each.account_number for each in await incoming_payments(bank)} == {"40010000000001"}
    assert await unmatched(bank) == []


async def test_the_sandbox_bank_is_unavailable_in_production(bank: Bank) -> None:
    with pytest.raises(SandboxOnly):
        await playing(bank, Mode.PRODUCTION).answer(bank.org_id, BankOutcome.SETTLE, NOW)
