"""What a line of a bank's means for a payment: what moves it, and what only a person may judge."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.bank_files.iso20022.messages import Entry, OtherParty, TransactionStatus
from landbridge.bank_files.line_model import LineKind, LineStatus
from landbridge.bank_files.model import Status
from landbridge.bank_files.nacha.reading import read as read_nacha
from landbridge.bank_files.nacha.returns import return_of
from landbridge.bank_files.nacha.writing import write as write_nacha
from landbridge.bank_files.writing import Writer
from landbridge.db.pool import Database

from .incoming import (
    back,
    credit,
    debit,
    entry,
    lines,
    own,
    read,
    receipts,
    report,
    reversal,
    sent,
    statement,
    status,
    transaction,
    waiting,
)
from .made import Bank, by_ach, by_sepa, by_swift, make_bank

REVERSED = "the bank took back its booking of the payment, and does not say that it came back"
SETTLED = (Status.SETTLED, None)
WRITTEN = (Status.WRITTEN, None)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


async def message_id(bank: Bank) -> str:
    """The name of the file that went to the bank last."""
    (file,) = await bank.writer.files(await own(bank), 1)
    return file.message_id


async def rejected(bank: Bank, key: UUID) -> None:
    told = TransactionStatus(end_to_end_id=key.hex, status="RJCT", reason_codes=("AC01",))
    await read(bank, rejected=report(told))


# What a line is known by


@pytest.mark.parametrize("reference", ["NONREF", "NOTPROVIDED", "Notavailable", "N/A", "000", "-"])
async def test_what_stands_for_no_reference_is_none(bank: Bank, reference: str) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    first = credit(bank_reference=reference, remittance="LB1111", end_to_end_id=reference)
    second = credit(bank_reference=reference, remittance="LB2222")
    await read(bank, a=statement(first))
    told = statement(second, debit(key, bank_reference=reference), number=2, opening=1_010_000)
    await read(bank, b=told.replace(b">S1<", b">S2<"))
    assert {each.reference for each in await receipts(bank)} == {"LB1111", "LB2222"}
    assert all(each.bank_reference.startswith("line/") for each in await receipts(bank))
    assert (await status(bank, key), await waiting(bank)) == (SETTLED, [])


async def test_the_place_of_an_entry_in_its_statement_is_no_reference(bank: Bank) -> None:
    for number, (opening, text) in enumerate([(1_000_000, "LB1111"), (1_010_000, "LB2222")], 1):
        bare = credit(bank_reference=None, remittance=text)
        told = statement(bare, name=f"S{number}", number=number, opening=opening)
        await read(bank, **{text: told.replace(b"<Ntry>", b"<Ntry><NtryRef>1</NtryRef>")})
    assert {each.reference for each in await receipts(bank)} == {"LB1111", "LB2222"}
    assert await waiting(bank) == []


async def test_payments_of_one_reference_are_told_apart_by_our_own_names(bank: Bank) -> None:
    first, second = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    await read(bank, a=statement(debit(first, bank_reference="BATCH")))
    late = statement(debit(second, bank_reference="BATCH"), name="S2", number=2, opening=990_000)
    await read(bank, b=late)
    assert [await status(bank, each) for each in (first, second)] == [SETTLED] * 2


async def test_a_line_alike_on_another_page_is_for_a_person(bank: Bank) -> None:
    bare = credit(bank_reference=None)
    await read(bank, a=statement(bare, page=1))
    await read(bank, b=statement(bare, page=2))
    # The same page again says nothing new.
    await read(bank, c=statement(bare, page=2) + b"\n")
    assert len(await receipts(bank)) == 1
    assert await waiting(bank) == [
        "another statement or page has a line like this, and the bank gave neither a reference"
    ]


# Reversals


async def test_a_debit_that_is_reversed_and_booked_anew_settles(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    told = (debit(key, bank_reference="A"), reversal(key), debit(key, bank_reference="C"))
    await read(bank, a=statement(*told))
    assert (await status(bank, key), await waiting(bank)) == (SETTLED, [REVERSED])


async def test_a_debit_that_is_reversed_leaves_its_payment_to_a_person(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key, bank_reference="A"), reversal(key)))
    assert (await status(bank, key), await waiting(bank)) == (WRITTEN, [REVERSED])
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert (line.payment_key, line.is_back) == (key, True)
    again = debit(key, bank_reference="C")
    await read(bank, b=statement(again, name="S2", number=2))
    assert (await status(bank, key), await waiting(bank)) == (SETTLED, [REVERSED])
    once_more = debit(key, bank_reference="D")
    await read(bank, c=statement(once_more, name="S3", number=3, opening=990_000))
    assert await waiting(bank) == [REVERSED, "the bank booked the payment before"]


async def test_a_reversal_after_settlement_moves_nothing(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key, bank_reference="A")))
    late = (reversal(key), debit(key, bank_reference="C"))
    await read(bank, b=statement(*late, name="S2", number=2, opening=990_000))
    assert (await status(bank, key), await waiting(bank)) == (SETTLED, [REVERSED])
    assert await receipts(bank) == []


async def test_a_reversed_return_is_for_a_person(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    undone = entry(debit(key, bank_reference="C"), is_reversal=True)
    await read(bank, a=statement(debit(key, bank_reference="A"), back(key), undone))
    assert (await status(bank, key))[0] is Status.FAILED
    assert await waiting(bank) == ["the bank took back what had come"]


# Credits that name a payment


async def test_a_credit_that_does_not_say_that_it_came_back_moves_nothing(bank: Bank) -> None:
    """As of a payout to a number of our own: payer's names are carried to the payee."""
    first, second = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    named = (credit(end_to_end_id=first.hex), credit(end_to_end_id=second.hex))
    await read(bank, a=statement(debit(first), *named))
    assert [await status(bank, each) for each in (first, second)] == [SETTLED, WRITTEN]
    reason = "a credit names the payment, and does not say that it came back"
    assert (await waiting(bank), await receipts(bank)) == ([reason] * 2, [])


@pytest.mark.parametrize("code", ["PMNT/ICDT/RRTN", "PMNT/ICDT/RPCR"])
async def test_the_bank_s_word_for_the_kind_tells_of_a_return(bank: Bank, code: str) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key), back(key, return_code=None, code=code)))
    reason = "the bank returned it: MS03, the bank gave no reason"
    assert await status(bank, key) == (Status.FAILED, reason)
    assert await waiting(bank) == []


async def test_what_was_never_booked_does_not_come_back(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await rejected(bank, key)
    await read(bank, a=statement(back(key)))
    assert await waiting(bank) == ["the bank gave back a payment that it had not booked"]
    assert await receipts(bank) == []


async def test_a_reason_of_the_bank_s_own_is_not_told(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    told = statement(back(key)).replace(b"<Cd>AC04</Cd>", b"<Prtry>SCHMIDT</Prtry>")
    await read(bank, a=told)
    reason = "the bank returned it: NARR, a reason in words, which is with the bank"
    assert await status(bank, key) == (Status.FAILED, reason)


# Files that are booked in one sum


async def whole(bank: Bank, units: int, reference: str = "SUM") -> Entry:
    told = {"message_id": await message_id(bank), "bank_reference": reference}
    return entry(transaction(units, "eur", is_credit=False, **told))


async def test_a_file_is_booked_once(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    twice = (await whole(bank, 10_005, "A"), await whole(bank, 10_005, "B"))
    await read(bank, a=statement(*twice))
    assert [await status(bank, each) for each in keys] == [SETTLED] * 2
    assert await waiting(bank) == ["the bank booked the file before"]
    await read(bank, b=statement(debit(keys[1], 5), name="S2", number=2, opening=979_990))
    assert (await waiting(bank))[1:] == ["the bank booked the payment before"]


async def test_what_was_booked_by_itself_is_not_booked_with_its_file(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    await read(bank, a=statement(debit(keys[0])))
    for name, units in (("b", 10_005), ("c", 5)):
        told = await whole(bank, units, name)
        await read(bank, **{name: statement(told, name=name, opening=990_000)})
    assert [await status(bank, each) for each in keys] == [SETTLED, WRITTEN]
    reason = "the bank booked a file of which some payments are at an end"
    assert [each for each in await waiting(bank) if each and "file" in each] == [reason] * 2


async def test_the_sum_of_a_file_is_without_what_the_bank_refused(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    await rejected(bank, keys[1])
    await read(bank, a=statement(await whole(bank, 10_005)))
    assert await status(bank, keys[0]) == WRITTEN
    assert await waiting(bank) == ["the bank booked a file of which some payments are at an end"]
    await read(bank, b=statement(await whole(bank, 10_000, "B"), name="S2", opening=989_995))
    assert await status(bank, keys[0]) == SETTLED
    assert (await status(bank, keys[1]))[0] is Status.FAILED


async def test_a_file_whose_booking_is_taken_back_settles_when_it_is_booked_anew(
    bank: Bank,
) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    told = {"message_id": await message_id(bank), "bank_reference": "B"}
    undone = entry(transaction(10_005, "eur", is_credit=True, **told), is_reversal=True)
    await read(bank, a=statement(await whole(bank, 10_005), undone))
    assert [await status(bank, each) for each in keys] == [WRITTEN] * 2
    await read(bank, b=statement(await whole(bank, 10_005, "C"), name="S2", number=2))
    assert [await status(bank, each) for each in keys] == [SETTLED] * 2
    assert await waiting(bank) == ["the bank took back its booking of a file"]


async def test_another_sum_than_the_file_s_moves_nothing(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    await read(bank, a=statement(await whole(bank, 10_004)))
    assert [await status(bank, each) for each in keys] == [WRITTEN] * 2
    assert await waiting(bank) == ["the amount is not that of the file it names"]


# ACH


async def returned(bank: Bank, **changes: str) -> UUID:
    """An ACH payment whose return has these fields of its own; its key."""
    (key,) = await sent(bank, by_ach(bank.org_id))
    (raw,) = bank.out().values()
    file = read_nacha(raw)
    (batch,) = file.batches
    (paid,) = batch.entries
    told = return_of(
        replace(paid, **changes),
        to_routing_number="021000021",
        trace_number="091000010000001",
        code="R03",
    )
    answer = replace(file, batches=(replace(batch, entries=(told,)),))
    await read(bank, returned=write_nacha(answer))
    return key


async def test_an_ach_return_names_the_payment_twice(bank: Bank) -> None:
    key = await returned(bank, individual_id="PAYROLL-77", name="SOMEBODY ELSE")
    assert (await status(bank, key), await waiting(bank)) == (
        WRITTEN,
        ["the return's trace number is of a payment with another individual id"],
    )


async def test_a_return_is_known_by_an_individual_id_in_capitals(bank: Bank) -> None:
    key = await returned(bank)
    reason = "the bank returned it: R03, no such account"
    assert (await status(bank, key), await waiting(bank)) == ((Status.FAILED, reason), [])


async def test_a_payer_s_number_that_is_a_trace_number_of_ours_moves_nothing(bank: Bank) -> None:
    (key,) = await sent(bank, by_ach(bank.org_id))
    trace = (await bank.find(key)).trace_number
    await read(bank, a=statement(credit(10_000, "usd", end_to_end_id=trace), currency="usd"))
    assert await status(bank, key) == WRITTEN
    assert len(await waiting(bank)) == 1


async def test_a_debit_never_settles_ach(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does one that is booked before the file was noted as delivered."""

    async def die(*_: object) -> None:
        raise RuntimeError

    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    with monkeypatch.context() as patched:
        patched.setattr(Writer, "_note_delivered", die)
        await bank.write(is_early=True)
    assert (await bank.find(payment.key)).closes_at is None
    await read(bank, a=statement(debit(payment.key, currency="usd"), currency="usd"))
    assert (await status(bank, payment.key), await waiting(bank)) == (WRITTEN, [])


# Charges


async def test_charges_are_told_beside_the_payment_that_they_are_of(bank: Bank) -> None:
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
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert (line.kind, line.money and line.money.units) == (LineKind.DEBIT, 250)
    assert line.reason == "the bank's charges for a payment"
