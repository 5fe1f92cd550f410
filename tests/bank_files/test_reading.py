"""What banks tell: each thing once, to what it is of, or to a person."""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from landbridge.bank_files.iso20022.messages import EntryStatus, TransactionStatus
from landbridge.bank_files.line_model import LineKind, LineStatus, Told
from landbridge.bank_files.model import Status
from landbridge.bank_files.places.port import plain_name
from landbridge.db.pool import Database
from landbridge.receipts.model import Status as ReceiptStatus
from tests.make import make_org

from .incoming import (
    back,
    credit,
    debit,
    lines,
    own,
    put,
    read,
    reading_of,
    receipts,
    report,
    sent,
    statement,
    status,
    transaction,
    waiting,
)
from .made import EUR, Bank, by_ach, by_sepa, funding, make_bank


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


def folder(bank: Bank, path: str) -> list[str]:
    """What lies in a folder, by the names that the bank gave."""
    return sorted(
        plain_name(each.name) for each in (bank.folder / path).glob("*") if each.is_file()
    )


async def test_a_booked_debit_settles_its_payment(bank: Bank) -> None:
    key, other = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    (answer,) = await read(bank, s1=statement(debit(key)))
    assert (await status(bank, key), (await status(bank, other))[0]) == (
        (Status.SETTLED, None),
        Status.WRITTEN,
    )
    assert (answer.format, answer.line_count, answer.known_count) == (Told.CAMT_053, 1, 0)
    assert (answer.credit_units, answer.debit_units, answer.left_out_count) == (0, 10_000, 0)
    assert (folder(bank, "in"), folder(bank, "in/done")) == ([], ["s1"])
    (line,) = await lines(bank)
    assert (line.status, line.payment_key, line.words) == (LineStatus.MATCHED, key, None)
    assert await reading_of(bank).counts(answer) == {LineStatus.MATCHED: 1}
    account = next(each for each in await bank.accounts.of([bank.org_id]) if each.currency == "eur")
    assert list(await reading_of(bank).answers(account, 5)) == [answer]


async def test_a_deposit_becomes_a_receipt(bank: Bank) -> None:
    virtual = "DE02370400440000000001"
    await read(bank, s1=statement(credit(our_account=virtual, code="PMNT/RCDT/ESCT"), credit(7)))
    to_virtual, to_own = sorted(await receipts(bank), key=lambda each: -each.money.units)
    assert (to_virtual.account_number, to_virtual.reference) == (virtual, "LB2345")
    assert (to_virtual.rail, to_virtual.status) == ("sepa", ReceiptStatus.NEW)
    assert to_virtual.sender is not None
    assert to_virtual.sender.name == "Grace Payer"
    assert (to_own.account_number, to_own.money.units) == ("DE89370400440532013000", 7)
    assert to_own.bank_reference.startswith("REF")
    assert {each.receipt_id for each in await lines(bank)} == {to_virtual.id, to_own.id}
    assert await waiting(bank) == []


async def test_the_same_statement_read_twice_changes_nothing(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    content = statement(debit(key), credit(), transaction(250, "eur", is_credit=False))
    await read(bank, s1=content)
    before = await lines(bank)
    for name in ("s1", "again"):
        (answer,) = await read(bank, **{name: content})
        assert answer.line_count == 3
    assert await lines(bank) == before
    assert len(await receipts(bank)) == 1
    assert await waiting(bank) == ["no payment of ours has this reference"]
    assert folder(bank, "in/done") == ["again", "s1", "s1"]


async def test_statements_that_overlap_tell_each_thing_once(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    first, second, third = credit(1), debit(key), credit(3)
    await read(bank, a=statement(first, second))
    (answer,) = await read(bank, b=statement(first, second, third, name="S2", number=2))
    assert (answer.line_count, answer.known_count) == (3, 2)
    # It begins where the last one ended, and has a line of the same day again.
    late = statement(second, third, name="S3", number=3, opening=1_000_001)
    (answer,) = await read(bank, c=late)
    assert answer.known_count == 2
    assert sorted(each.money.units for each in await receipts(bank)) == [1, 3]
    assert [each.kind for each in await lines(bank, LineStatus.UNMATCHED)] == [LineKind.STATEMENT]


async def test_two_alike_in_one_statement_are_two(bank: Bank) -> None:
    bare = credit(bank_reference=None)
    content = statement(bare, bare, credit(bank_reference="A"), credit(bank_reference="A"))
    await read(bank, a=content)
    assert len(await receipts(bank)) == 4
    await read(bank, b=content + b" ")
    assert len(await receipts(bank)) == 4
    assert await waiting(bank) == []


async def test_one_without_a_reference_in_another_statement_is_for_a_person(bank: Bank) -> None:
    bare = credit(bank_reference=None)
    await read(bank, a=statement(bare))
    for _ in range(2):
        await read(bank, b=statement(bare, name="S2", number=2, opening=1_010_000))
    assert len(await receipts(bank)) == 1
    assert await waiting(bank) == [
        "another statement or page has a line like this, and the bank gave neither a reference"
    ]


async def test_what_is_not_booked_does_not_count(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    pending = statement(debit(key), credit(), status=EntryStatus.PENDING)
    (answer,) = await read(bank, a=pending)
    assert (answer.line_count, answer.left_out_count) == (0, 2)
    assert (await status(bank, key))[0] is Status.WRITTEN
    await read(bank, b=statement(debit(key), credit(), name="S2", number=2))
    assert (await status(bank, key))[0] is Status.SETTLED


@pytest.mark.parametrize("is_debit_first", [True, False])
async def test_what_is_booked_and_comes_back_in_one_statement_has_failed(
    bank: Bank, *, is_debit_first: bool
) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    told = (debit(key), back(key)) if is_debit_first else (back(key), debit(key))
    await read(bank, a=statement(*told))
    reason = "the bank returned it: AC04, the account is closed"
    assert await status(bank, key) == (Status.FAILED, reason)
    assert (await waiting(bank), await receipts(bank)) == ([], [])


async def test_a_return_after_settlement_waits_for_a_person(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key)))
    await read(bank, b=statement(back(key), name="S2", number=2, opening=990_000))
    assert await status(bank, key) == (Status.SETTLED, None)
    assert await waiting(bank) == ["the payment came back after it was settled"]
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert (line.payment_key, line.is_back) == (key, True)
    assert await receipts(bank) == []


async def test_what_names_a_payment_and_does_not_fit_it_moves_nothing(bank: Bank) -> None:
    early, late = by_sepa(bank.org_id), by_sepa(bank.org_id)
    await sent(bank, early)
    await bank.rails.pay(late)
    told = (debit(early.key, 9_999), back(early.key, 9_998), debit(late.key), back(uuid4()))
    await read(bank, a=statement(*told))
    assert (await status(bank, early.key))[0] is Status.WRITTEN
    assert (await status(bank, late.key))[0] is Status.QUEUED
    assert sorted(str(each) for each in await waiting(bank)) == [
        "a payment came back that is none of ours",
        "the amount is not that of the payment it names",
        "the amount is not that of the payment it names",
        "the bank booked a payment that is in no file yet",
    ]
    assert await receipts(bank) == []


async def test_a_payment_is_booked_once(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key, bank_reference="A"), debit(key, bank_reference="B")))
    assert await waiting(bank) == ["the bank booked the payment before"]


async def test_a_file_that_is_booked_in_one_sum_settles_all_that_is_in_it(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    (file,) = await bank.writer.files(await own(bank), 1)
    message = transaction(10_005, "eur", is_credit=False, message_id=file.message_id)
    await read(bank, a=statement(message))
    assert [(await status(bank, each))[0] for each in keys] == [Status.SETTLED] * 2
    assert await waiting(bank) == []


async def test_the_debit_of_an_ach_file_is_of_that_file(bank: Bank) -> None:
    keys = await sent(bank, by_ach(bank.org_id), by_ach(bank.org_id, units=5))
    taken = transaction(10_005, "usd", is_credit=False)
    again = transaction(10_005, "usd", is_credit=False, bank_reference="B")
    await read(bank, a=statement(taken, again, currency="usd"))
    assert [(await status(bank, each))[0] for each in keys] == [Status.WRITTEN] * 2
    assert await waiting(bank) == ["no payment of ours has this reference"]


async def test_a_rejection_fails_its_payment_and_an_acceptance_leaves_it(bank: Bank) -> None:
    refused, taken = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    told = (
        TransactionStatus(end_to_end_id=refused.hex, status="RJCT", reason_codes=("AC01",)),
        TransactionStatus(end_to_end_id=taken.hex, status="ACSC"),
        TransactionStatus(end_to_end_id=uuid4().hex, status="RJCT"),
    )
    await read(bank, a=report(*told))
    await read(bank, b=report(*told[:2]))
    reason = "the bank refused it: AC01, the account number is not right"
    assert await status(bank, refused) == (Status.FAILED, reason)
    assert await status(bank, taken) == (Status.WRITTEN, None)
    assert await waiting(bank) == ["no payment of ours has the name that the bank tells"]
    await read(bank, c=statement(debit(refused)))
    assert (await waiting(bank))[1:] == ["the bank booked a payment that it had refused"]


async def test_what_a_bank_takes_for_a_copy_is_for_a_person(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    copy = TransactionStatus(end_to_end_id=key.hex, status="RJCT", reason_codes=("DU01",))
    await read(bank, a=report(copy))
    assert (await status(bank, key))[0] is Status.WRITTEN
    assert await waiting(bank) == ["the bank took it for a copy of another payment"]


async def test_a_file_is_rejected_as_a_whole(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    (file,) = await bank.writer.files(await own(bank), 1)
    await read(bank, a=report(original=file.message_id, group="ACCP"))
    assert [(await status(bank, each))[0] for each in keys] == [Status.WRITTEN] * 2
    await read(bank, b=report(original=file.message_id, group="RJCT"))
    reason = "the bank refused it: FF01, the file's format is not right"
    assert [await status(bank, each) for each in keys] == [(Status.FAILED, reason)] * 2
    await read(bank, c=report(original="NONSENSE", group="RJCT"))
    assert await waiting(bank) == ["no file of ours has the name that the bank tells"]


async def test_a_gap_between_statements_is_flagged(bank: Bank) -> None:
    await read(bank, a=statement(credit(1)))
    await read(bank, b=statement(credit(2), name="S2", number=2, opening=1_000_001))
    assert await waiting(bank) == []
    await read(bank, d=statement(credit(4), name="S4", number=4, opening=1_000_006))
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert (
        line.reason
        == "the statement begins with another balance than the ones before it ended with"
    )
    assert line.words is not None
    assert line.words.note == "eur: S2 ended with 10000.03; this one begins with 10000.06"
    # The one that was missing joins both.
    await read(bank, c=statement(credit(3), name="S3", number=3, opening=1_000_003))
    assert len(await lines(bank, LineStatus.UNMATCHED)) == 1
    assert len(await receipts(bank)) == 4


async def test_a_statement_of_a_strange_account_counts_for_nobody(
    bank: Bank, database: Database
) -> None:
    other = await make_org(database)
    told = msgspec.structs.replace(
        funding(EUR, bank.folder / "other"), iban="DE02120300000000202051"
    )
    await bank.accounts.set(other, told, actor="test", at=bank.clock.stamp())
    await read(bank, a=statement(credit(), account="DE02120300000000202051"))
    assert await waiting(bank) == ["the statement is of an account that has no files at this place"]
    assert await receipts(bank) == []
    rows = await database.rows("select id from receipts where org_id = $1", other)
    assert rows == []


async def test_accounts_that_share_a_place_each_get_their_own(bank: Bank) -> None:
    await read(bank, a=statement(credit(3, "usd"), currency="usd"), b=statement(credit(5)))
    found = {each.money.asset.currency: each.money.units for each in await receipts(bank)}
    assert found == {"usd": 3, "eur": 5}


HOSTILE = [
    b"",
    b"hello",
    b"<a>",
    b"101",
    b"\xff\xfe\x00",
    b"\0" * 5000,
    b'<!DOCTYPE x [<!ENTITY a "b">]><Document><BkToCstmrStmt>&a;</BkToCstmrStmt></Document>',
    b"<Document><BkToCstmrStmt/></Document>",
    b"<Document><CstmrPmtStsRpt>" + b"<a>" * 10_000,
]


@pytest.mark.parametrize("place", range(len(HOSTILE)))
async def test_what_cant_be_read_is_set_aside_and_nothing_of_it_counts(
    bank: Bank, place: int
) -> None:
    put(bank, "bad.xml", HOSTILE[place])
    refused, good = await read(bank, good=statement(credit()))
    assert (refused.format, good.format) == (Told.REFUSED, Told.CAMT_053)
    assert (folder(bank, "in"), folder(bank, "in/refused")) == ([], ["bad.xml"])
    (line,) = await lines(bank, LineStatus.UNMATCHED)
    assert (line.kind, line.money) == (LineKind.FILE, None)
    assert line.words is not None
    assert line.words.file_name == "bad.xml"
    assert len(await receipts(bank)) == 1


async def test_a_statement_whose_balances_are_wrong_is_refused_whole(bank: Bank) -> None:
    content = statement(credit(), credit(5)).replace(b"10100.05", b"10100.06")
    (answer,) = await read(bank, a=content)
    assert answer.format is Told.REFUSED
    assert await receipts(bank) == []


async def test_two_workers_read_the_same_file_once(bank: Bank) -> None:
    keys = await sent(bank, *(by_sepa(bank.org_id, units=each) for each in range(1, 9)))
    told = [debit(key, place) for place, key in enumerate(keys, start=1)]
    put(bank, "a", statement(*told, credit(), credit(bank_reference=None)))
    offsets = {bank.org_id: timedelta()}
    await asyncio.gather(*(reading_of(bank).run(offsets) for _ in range(4)))
    assert [(await status(bank, each))[0] for each in keys] == [Status.SETTLED] * 8
    assert len(await receipts(bank)) == 2
    assert len(await lines(bank)) == 10
    assert await waiting(bank) == []
