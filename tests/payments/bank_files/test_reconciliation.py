"""Effect of statement lines on payments, and the lines that need a manual review."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.payments.bank_files.file_writer import BankFileWriter
from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.payments.bank_files.statement_line_model import (
    StatementLineKind,
    StatementLineStatus,
)
from landbridge.platform.db.pool import Database
from landbridge.providers.iso20022.messages import OtherParty, StatementEntry, TransactionStatus
from landbridge.providers.nacha.reading import read as read_nacha
from landbridge.providers.nacha.returns import build_return
from landbridge.providers.nacha.writing import write as write_nacha
from tests.matrices import part_of
from tests.payments.bank_files.builders import Bank, by_ach, by_sepa, by_swift, make_bank
from tests.payments.bank_files.inbound_files import (
    ON,
    back,
    credit,
    debit,
    entry,
    incoming_payments,
    lines,
    own,
    read,
    report,
    reversal,
    sent,
    statement,
    status,
    transaction,
    waiting,
)

REVERSED = "the bank reversed its booking of the payment, but did not mark it as returned"
SETTLED = (BankPaymentStatus.SETTLED, None)
WRITTEN = (BankPaymentStatus.WRITTEN, None)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def message_id(bank: Bank) -> str:
    """Return the name of the last delivered file."""
    (file,) = await bank.writer.files(await own(bank), 1)
    return file.message_id


async def rejected(bank: Bank, key: UUID) -> None:
    reported = TransactionStatus(end_to_end_id=key.hex, status="RJCT", reason_codes=("AC01",))
    await read(bank, rejected=report(reported))


# Fingerprints


@pytest.mark.parametrize(
    "reference", part_of(["NONREF", "NOTPROVIDED", "Notavailable", "N/A", "000", "-"], 0, 3)
)
async def test_a_placeholder_reference_is_none(bank: Bank, reference: str) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    first = credit(bank_reference=reference, remittance="LB1111", end_to_end_id=reference)
    second = credit(bank_reference=reference, remittance="LB2222")
    await read(bank, a=statement(first))
    reported = statement(second, debit(key, bank_reference=reference), number=2, opening=1_010_000)
    await read(bank, b=reported.replace(b">S1<", b">S2<"))
    assert {each.reference for each in await incoming_payments(bank)} == {"LB1111", "LB2222"}
    assert all(each.bank_reference.startswith("line/") for each in await incoming_payments(bank))
    assert (await status(bank, key), await waiting(bank)) == (SETTLED, [])


async def test_an_entrys_position_in_its_statement_is_no_reference(bank: Bank) -> None:
    for number, (opening, text) in enumerate([(1_000_000, "LB1111"), (1_010_000, "LB2222")], 1):
        bare = credit(bank_reference=None, remittance=text)
        reported = statement(bare, name=f"S{number}", number=number, opening=opening)
        await read(bank, **{text: reported.replace(b"<Ntry>", b"<Ntry><NtryRef>1</NtryRef>")})
    assert {each.reference for each in await incoming_payments(bank)} == {"LB1111", "LB2222"}
    assert await waiting(bank) == []


async def test_money_that_is_booked_again_on_another_day_needs_review(bank: Bank) -> None:
    """A bank that corrects a day, or an intraday statement that ends at midnight."""
    money = credit(bank_reference="REF1")
    await read(bank, a=statement(money))
    for days in (1, -3):
        day = ON + timedelta(days=days)
        other = statement(money, name=f"on {day}", number=2, opening=1_010_000, day=day)
        await read(bank, **{str(day): other})
    assert len(await incoming_payments(bank)) == 1
    sentence = "another statement has a line like this, with its references, on another day"
    assert await waiting(bank) == [sentence] * 2


@pytest.mark.parametrize("change", [{"bank_reference": "REF2"}, {"end_to_end_id": "B"}])
async def test_other_money_of_another_day_is_credited(bank: Bank, change: dict[str, Any]) -> None:
    first = credit(bank_reference="REF1", end_to_end_id="A")
    await read(bank, a=statement(first))
    day, other = ON + timedelta(days=1), replace(first, **change)
    await read(bank, b=statement(other, name="S2", number=2, opening=1_010_000, day=day))
    assert len(await incoming_payments(bank)) == 2
    assert await waiting(bank) == []


async def test_payments_with_one_bank_reference_are_distinguished_by_ours(bank: Bank) -> None:
    first, second = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    await read(bank, a=statement(debit(first, bank_reference="BATCH")))
    late = statement(debit(second, bank_reference="BATCH"), name="S2", number=2, opening=990_000)
    await read(bank, b=late)
    assert [await status(bank, each) for each in (first, second)] == [SETTLED] * 2


async def test_an_equal_line_on_another_page_needs_review(bank: Bank) -> None:
    bare = credit(bank_reference=None)
    await read(bank, a=statement(bare, page=1))
    await read(bank, b=statement(bare, page=2))
    # Reading the same page again adds nothing.
    await read(bank, c=statement(bare, page=2) + b"\n")
    assert len(await incoming_payments(bank)) == 1
    assert await waiting(bank) == [
        "another statement or page has a line like this, and the bank gave neither a reference"
    ]


# Reversals


async def test_a_debit_that_is_reversed_and_booked_again_settles(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    reported = (debit(key, bank_reference="A"), reversal(key), debit(key, bank_reference="C"))
    await read(bank, a=statement(*reported))
    assert (await status(bank, key), await waiting(bank)) == (SETTLED, [REVERSED])


async def test_a_reversed_debit_needs_review(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key, bank_reference="A"), reversal(key)))
    assert (await status(bank, key), await waiting(bank)) == (WRITTEN, [REVERSED])
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert (line.payment_key, line.is_back) == (key, True)
    again = debit(key, bank_reference="C")
    await read(bank, b=statement(again, name="S2", number=2))
    assert (await status(bank, key), await waiting(bank)) == (SETTLED, [REVERSED])
    once_more = debit(key, bank_reference="D")
    await read(bank, c=statement(once_more, name="S3", number=3, opening=990_000))
    assert await waiting(bank) == [REVERSED, "the bank already booked the payment"]


async def test_a_reversal_after_settlement_moves_nothing(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key, bank_reference="A")))
    late = (reversal(key), debit(key, bank_reference="C"))
    await read(bank, b=statement(*late, name="S2", number=2, opening=990_000))
    assert (await status(bank, key), await waiting(bank)) == (SETTLED, [REVERSED])
    assert await incoming_payments(bank) == []


async def test_a_reversed_return_needs_review(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    undone = entry(debit(key, bank_reference="C"), is_reversal=True)
    await read(bank, a=statement(debit(key, bank_reference="A"), back(key), undone))
    assert (await status(bank, key))[0] is BankPaymentStatus.FAILED
    assert await waiting(bank) == ["the bank reversed an incoming payment"]


# Credits that name a payment


async def test_a_credit_that_is_not_marked_as_a_return_moves_nothing(bank: Bank) -> None:
    """For example a payout to an account of our own: its references are passed to the payee."""
    first, second = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    named = (credit(end_to_end_id=first.hex), credit(end_to_end_id=second.hex))
    await read(bank, a=statement(debit(first), *named))
    assert [await status(bank, each) for each in (first, second)] == [SETTLED, WRITTEN]
    reason = "a credit references the payment but is not marked as a return"
    assert (await waiting(bank), await incoming_payments(bank)) == ([reason] * 2, [])


@pytest.mark.parametrize("code", ["PMNT/ICDT/RRTN", "PMNT/ICDT/RPCR"])
async def test_the_transaction_code_marks_a_return(bank: Bank, code: str) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key), back(key, return_code=None, code=code)))
    reason = "the bank returned it: MS03, the bank gave no reason"
    assert await status(bank, key) == (BankPaymentStatus.FAILED, reason)
    assert await waiting(bank) == []


async def test_an_unbooked_payment_is_not_returned(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await rejected(bank, key)
    await read(bank, a=statement(back(key)))
    assert await waiting(bank) == ["the bank returned a payment that it had not booked"]
    assert await incoming_payments(bank) == []


async def test_the_banks_free_text_reason_is_not_shown(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    reported = statement(back(key)).replace(b"<Cd>AC04</Cd>", b"<Prtry>SCHMIDT</Prtry>")
    await read(bank, a=reported)
    reason = "the bank returned it: NARR, a reason in words, which is with the bank"
    assert await status(bank, key) == (BankPaymentStatus.FAILED, reason)


# Bulk debits of files


async def whole(bank: Bank, units: int, reference: str = "SUM") -> StatementEntry:
    references = {"message_id": await message_id(bank), "bank_reference": reference}
    return entry(transaction(units, "eur", is_credit=False, **references))


async def test_a_file_is_booked_once(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    twice = (await whole(bank, 10_005, "A"), await whole(bank, 10_005, "B"))
    await read(bank, a=statement(*twice))
    assert [await status(bank, each) for each in keys] == [SETTLED] * 2
    assert await waiting(bank) == ["the bank already booked the file"]
    await read(bank, b=statement(debit(keys[1], 5), name="S2", number=2, opening=979_990))
    assert (await waiting(bank))[1:] == ["the bank already booked the payment"]


async def test_a_payment_booked_alone_is_not_booked_with_its_file(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    await read(bank, a=statement(debit(keys[0])))
    for name, units in (("b", 10_005), ("c", 5)):
        reported = await whole(bank, units, name)
        await read(bank, **{name: statement(reported, name=name, opening=990_000)})
    assert [await status(bank, each) for each in keys] == [SETTLED, WRITTEN]
    reason = "the bank booked a file with payments that already ended"
    assert [each for each in await waiting(bank) if each and "file" in each] == [reason] * 2


async def test_a_bulk_debit_excludes_rejected_payments(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    await rejected(bank, keys[1])
    await read(bank, a=statement(await whole(bank, 10_005)))
    assert await status(bank, keys[0]) == WRITTEN
    assert await waiting(bank) == ["the bank booked a file with payments that already ended"]
    await read(bank, b=statement(await whole(bank, 10_000, "B"), name="S2", opening=989_995))
    assert await status(bank, keys[0]) == SETTLED
    assert (await status(bank, keys[1]))[0] is BankPaymentStatus.FAILED


async def test_a_reversed_file_settles_when_it_is_booked_again(
    bank: Bank,
) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    reported = {"message_id": await message_id(bank), "bank_reference": "B"}
    undone = entry(transaction(10_005, "eur", is_credit=True, **reported), is_reversal=True)
    await read(bank, a=statement(await whole(bank, 10_005), undone))
    assert [await status(bank, each) for each in keys] == [WRITTEN] * 2
    await read(bank, b=statement(await whole(bank, 10_005, "C"), name="S2", number=2))
    assert [await status(bank, each) for each in keys] == [SETTLED] * 2
    assert await waiting(bank) == ["the bank took back its booking of a file"]


async def test_a_bulk_debit_with_another_total_moves_nothing(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    await read(bank, a=statement(await whole(bank, 10_004)))
    assert [await status(bank, each) for each in keys] == [WRITTEN] * 2
    assert await waiting(bank) == ["the amount does not match the referenced file"]


# ACH


async def returned(bank: Bank, **changes: str) -> UUID:
    """Return an ACH payment whose return has these fields; return its key."""
    (key,) = await sent(bank, by_ach(bank.org_id))
    (raw,) = bank.out().values()
    file = read_nacha(raw)
    (batch,) = file.batches
    (paid,) = batch.entries
    reported = build_return(
        replace(paid, **changes),
        to_routing_number="021000021",
        trace_number="091000010000001",
        code="R03",
    )
    answer = replace(file, batches=(replace(batch, entries=(reported,)),))
    await read(bank, returned=write_nacha(answer))
    return key


async def test_an_ach_return_must_match_by_trace_number_and_individual_id(bank: Bank) -> None:
    key = await returned(bank, individual_id="PAYROLL-77", name="SOMEBODY ELSE")
    assert (await status(bank, key), await waiting(bank)) == (
        WRITTEN,
        ["the return's trace number belongs to a payment with another individual ID"],
    )


async def test_an_individual_id_in_capitals_matches(bank: Bank) -> None:
    key = await returned(bank)
    reason = "the bank returned it: R03, no such account"
    assert (await status(bank, key), await waiting(bank)) == (
        (BankPaymentStatus.FAILED, reason),
        [],
    )


async def test_a_payers_number_equal_to_a_trace_number_moves_nothing(bank: Bank) -> None:
    (key,) = await sent(bank, by_ach(bank.org_id))
    trace = (await bank.find(key)).trace_number
    await read(bank, a=statement(credit(10_000, "usd", end_to_end_id=trace), currency="usd"))
    assert await status(bank, key) == WRITTEN
    assert len(await waiting(bank)) == 1


async def test_a_debit_never_settles_ach(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a debit that is booked before the file was recorded as delivered."""

    async def die(*_: object) -> None:
        raise RuntimeError

    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    with monkeypatch.context() as patched:
        patched.setattr(BankFileWriter, "_note_delivered", die)
        await bank.write(is_early=True)
    assert (await bank.find(payment.key)).closes_at is None
    await read(bank, a=statement(debit(payment.key, currency="usd"), currency="usd"))
    assert (await status(bank, payment.key), await waiting(bank)) == (WRITTEN, [])


# Charges


async def test_charges_are_listed_beside_their_payment(bank: Bank) -> None:
    (key,) = await sent(bank, by_swift(bank.org_id, texts={"swiftCharges": "our"}))
    paid = debit(key, 10_250, "usd", other_party=OtherParty(name="Ada"))
    amount = b'<Amt Ccy="USD">102.50</Amt>'
    raw = statement(paid, currency="usd")
    start = raw.index(amount, raw.index(b"<TxDtls>"))
    end = raw.index(b"</CdtDbtInd>", start) + len(b"</CdtDbtInd>")
    details = (
        amount
        + b"<CdtDbtInd>DBIT</CdtDbtInd>"
        + b'<AmtDtls><TxAmt><Amt Ccy="USD">100.00</Amt></TxAmt></AmtDtls>'
        + b'<Chrgs><Rcrd><Amt Ccy="USD">2.50</Amt></Rcrd></Chrgs>'
    )
    (answer,) = await read(bank, a=raw[:start] + details + raw[end:])
    assert await status(bank, key) == SETTLED
    assert (answer.line_count, answer.debit_units) == (2, 10_250)
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert (line.kind, line.money and line.money.units) == (StatementLineKind.DEBIT, 250)
    assert line.reason == "the bank's charges for a payment"
