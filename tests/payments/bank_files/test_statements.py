"""Bank files are read: each line once, matched to its payment or put into manual review."""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.payments.bank_files.statement_line_model import (
    InboundFileKind,
    StatementLineKind,
    StatementLineStatus,
)
from landbridge.payments.bank_files.transports.port import original_name
from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from landbridge.platform.db.pool import Database
from landbridge.providers.iso20022.messages import EntryStatus, TransactionStatus
from tests.make import make_org
from tests.matrices import part_of
from tests.payments.bank_files.builders import EUR, Bank, by_ach, by_sepa, funding, make_bank
from tests.payments.bank_files.inbound_files import (
    back,
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
    status,
    transaction,
    waiting,
)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


def folder(bank: Bank, path: str) -> list[str]:
    """Return the content of a folder, by the bank's file names."""
    return sorted(
        original_name(each.name) for each in (bank.folder / path).glob("*") if each.is_file()
    )


async def test_a_booked_debit_settles_its_payment(bank: Bank) -> None:
    key, other = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    (answer,) = await read(bank, s1=statement(debit(key)))
    assert (await status(bank, key), (await status(bank, other))[0]) == (
        (BankPaymentStatus.SETTLED, None),
        BankPaymentStatus.WRITTEN,
    )
    assert (answer.format, answer.line_count, answer.known_count) == (
        InboundFileKind.CAMT_053,
        1,
        0,
    )
    assert (answer.credit_units, answer.debit_units, answer.omitted_count) == (0, 10_000, 0)
    assert (folder(bank, "in"), folder(bank, "in/done")) == ([], ["s1"])
    (line,) = await lines(bank)
    assert (line.status, line.payment_key, line.texts) == (StatementLineStatus.MATCHED, key, None)
    assert await reading_of(bank).counts(answer) == {StatementLineStatus.MATCHED: 1}
    account = next(
        each for each in await bank.accounts.list_all([bank.org_id]) if each.currency == "eur"
    )
    assert list(await reading_of(bank).files(account, 5)) == [answer]


async def test_a_deposit_becomes_an_incoming_payment(bank: Bank) -> None:
    virtual = "DE02370400440000000001"
    await read(bank, s1=statement(credit(our_account=virtual, code="PMNT/RCDT/ESCT"), credit(7)))
    to_virtual, to_own = sorted(await incoming_payments(bank), key=lambda each: -each.money.units)
    assert (to_virtual.account_number, to_virtual.reference) == (virtual, "LB2345")
    assert (to_virtual.rail, to_virtual.status) == ("sepa", IncomingPaymentStatus.NEW)
    assert to_virtual.sender is not None
    assert to_virtual.sender.name == "Grace Payer"
    assert (to_own.account_number, to_own.money.units) == ("DE89370400440532013000", 7)
    assert to_own.bank_reference.startswith("REF")
    assert {each.incoming_payment_id for each in await lines(bank)} == {to_virtual.id, to_own.id}
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
    assert len(await incoming_payments(bank)) == 1
    assert await waiting(bank) == ["no payment of ours has this reference"]
    assert folder(bank, "in/done") == ["again", "s1", "s1"]


async def test_overlapping_statements_count_each_line_once(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    first, second, third = credit(1), debit(key), credit(3)
    await read(bank, a=statement(first, second))
    (answer,) = await read(bank, b=statement(first, second, third, name="S2", number=2))
    assert (answer.line_count, answer.known_count) == (3, 2)
    # The late statement continues the last one, and repeats a line of the same day.
    late = statement(second, third, name="S3", number=3, opening=1_000_001)
    (answer,) = await read(bank, c=late)
    assert answer.known_count == 2
    assert sorted(each.money.units for each in await incoming_payments(bank)) == [1, 3]
    assert [each.kind for each in await lines(bank, StatementLineStatus.UNMATCHED)] == [
        StatementLineKind.STATEMENT
    ]


async def test_two_equal_lines_in_one_statement_are_two(bank: Bank) -> None:
    bare = credit(bank_reference=None)
    content = statement(bare, bare, credit(bank_reference="A"), credit(bank_reference="A"))
    await read(bank, a=content)
    assert len(await incoming_payments(bank)) == 4
    await read(bank, b=content + b" ")
    assert len(await incoming_payments(bank)) == 4
    assert await waiting(bank) == []


async def test_an_equal_line_without_reference_in_another_statement_needs_review(
    bank: Bank,
) -> None:
    bare = credit(bank_reference=None)
    await read(bank, a=statement(bare))
    for _ in range(2):
        await read(bank, b=statement(bare, name="S2", number=2, opening=1_010_000))
    assert len(await incoming_payments(bank)) == 1
    assert await waiting(bank) == [
        "another statement or page has a line like this, and the bank gave neither a reference"
    ]


async def test_unbooked_entries_do_not_count(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    pending = statement(debit(key), credit(), status=EntryStatus.PENDING)
    (answer,) = await read(bank, a=pending)
    assert (answer.line_count, answer.omitted_count) == (0, 2)
    assert (await status(bank, key))[0] is BankPaymentStatus.WRITTEN
    await read(bank, b=statement(debit(key), credit(), name="S2", number=2))
    assert (await status(bank, key))[0] is BankPaymentStatus.SETTLED


@pytest.mark.parametrize("is_debit_first", [True, False])
async def test_a_payment_booked_and_returned_in_one_statement_has_failed(
    bank: Bank, *, is_debit_first: bool
) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    reported = (debit(key), back(key)) if is_debit_first else (back(key), debit(key))
    await read(bank, a=statement(*reported))
    reason = "the bank returned it: AC04, the account is closed"
    assert await status(bank, key) == (BankPaymentStatus.FAILED, reason)
    assert (await waiting(bank), await incoming_payments(bank)) == ([], [])


async def test_a_return_after_settlement_needs_review(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key)))
    await read(bank, b=statement(back(key), name="S2", number=2, opening=990_000))
    assert await status(bank, key) == (BankPaymentStatus.SETTLED, None)
    assert await waiting(bank) == ["the payment was returned after settlement"]
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert (line.payment_key, line.is_back) == (key, True)
    assert await incoming_payments(bank) == []


async def test_a_line_that_contradicts_its_payment_moves_nothing(bank: Bank) -> None:
    early, late = by_sepa(bank.org_id), by_sepa(bank.org_id)
    await sent(bank, early)
    await bank.rails.pay(late)
    reported = (debit(early.key, 9_999), back(early.key, 9_998), debit(late.key), back(uuid4()))
    await read(bank, a=statement(*reported))
    assert (await status(bank, early.key))[0] is BankPaymentStatus.WRITTEN
    assert (await status(bank, late.key))[0] is BankPaymentStatus.QUEUED
    assert sorted(str(each) for each in await waiting(bank)) == [
        "a returned payment is not one of ours",
        "the amount does not match the referenced payment",
        "the amount does not match the referenced payment",
        "the bank booked a payment that is in no file yet",
    ]
    assert await incoming_payments(bank) == []


async def test_a_payment_is_booked_once(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    await read(bank, a=statement(debit(key, bank_reference="A"), debit(key, bank_reference="B")))
    assert await waiting(bank) == ["the bank already booked the payment"]


async def test_a_bulk_debit_settles_all_payments_of_its_file(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id, units=5))
    (file,) = await bank.writer.files(await own(bank), 1)
    message = transaction(10_005, "eur", is_credit=False, message_id=file.message_id)
    await read(bank, a=statement(message))
    assert [(await status(bank, each))[0] for each in keys] == [BankPaymentStatus.SETTLED] * 2
    assert await waiting(bank) == []


async def test_a_bulk_debit_matches_its_ach_file(bank: Bank) -> None:
    keys = await sent(bank, by_ach(bank.org_id), by_ach(bank.org_id, units=5))
    accepted = transaction(10_005, "usd", is_credit=False)
    again = transaction(10_005, "usd", is_credit=False, bank_reference="B")
    await read(bank, a=statement(accepted, again, currency="usd"))
    assert [(await status(bank, each))[0] for each in keys] == [BankPaymentStatus.WRITTEN] * 2
    assert await waiting(bank) == ["no payment of ours has this reference"]


async def test_a_rejection_fails_its_payment_and_an_acceptance_does_not_settle_it(
    bank: Bank,
) -> None:
    refused, accepted = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    reported = (
        TransactionStatus(end_to_end_id=refused.hex, status="RJCT", reason_codes=("AC01",)),
        TransactionStatus(end_to_end_id=accepted.hex, status="ACSC"),
        TransactionStatus(end_to_end_id=uuid4().hex, status="RJCT"),
    )
    await read(bank, a=report(*reported))
    await read(bank, b=report(*reported[:2]))
    reason = "the bank refused it: AC01, the account number is incorrect"
    assert await status(bank, refused) == (BankPaymentStatus.FAILED, reason)
    assert await status(bank, accepted) == (BankPaymentStatus.WRITTEN, None)
    assert await waiting(bank) == ["no payment of ours has the reported reference"]
    await read(bank, c=statement(debit(refused)))
    assert (await waiting(bank))[1:] == ["the bank booked a payment that it had refused"]


async def test_a_payment_rejected_as_a_duplicate_needs_review(bank: Bank) -> None:
    (key,) = await sent(bank, by_sepa(bank.org_id))
    copy = TransactionStatus(end_to_end_id=key.hex, status="RJCT", reason_codes=("DU01",))
    await read(bank, a=report(copy))
    assert (await status(bank, key))[0] is BankPaymentStatus.WRITTEN
    assert await waiting(bank) == ["the bank rejected it as a duplicate of another payment"]


async def test_a_file_is_rejected_as_a_whole(bank: Bank) -> None:
    keys = await sent(bank, by_sepa(bank.org_id), by_sepa(bank.org_id))
    (file,) = await bank.writer.files(await own(bank), 1)
    await read(bank, a=report(original=file.message_id, group="ACCP"))
    assert [(await status(bank, each))[0] for each in keys] == [BankPaymentStatus.WRITTEN] * 2
    await read(bank, b=report(original=file.message_id, group="RJCT"))
    reason = "the bank refused it: FF01, the file format is wrong"
    assert [await status(bank, each) for each in keys] == [(BankPaymentStatus.FAILED, reason)] * 2
    await read(bank, c=report(original="NONSENSE", group="RJCT"))
    assert await waiting(bank) == ["no file of ours has the reported reference"]


async def test_a_gap_between_statements_is_flagged(bank: Bank) -> None:
    await read(bank, a=statement(credit(1)))
    await read(bank, b=statement(credit(2), name="S2", number=2, opening=1_000_001))
    assert await waiting(bank) == []
    await read(bank, d=statement(credit(4), name="S4", number=4, opening=1_000_006))
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert (
        line.reason
        == "the statement begins with another balance than the ones before it ended with"
    )
    assert line.texts is not None
    assert line.texts.note == "eur: S2 ended with 10000.03; this one begins with 10000.06"
    # The missing statement connects both.
    await read(bank, c=statement(credit(3), name="S3", number=3, opening=1_000_003))
    assert len(await lines(bank, StatementLineStatus.UNMATCHED)) == 1
    assert len(await incoming_payments(bank)) == 4


async def test_a_statement_of_an_unknown_account_does_not_count(
    bank: Bank, database: Database
) -> None:
    other = await make_org(database)
    reported = msgspec.structs.replace(
        funding(EUR, bank.folder / "other"), iban="DE02120300000000202051"
    )
    await bank.accounts.set(other, reported, actor="test", at=bank.clock.stamp())
    await read(bank, a=statement(credit(), account="DE02120300000000202051"))
    assert await waiting(bank) == [
        "the statement is of an account that has no files in this folder"
    ]
    assert await incoming_payments(bank) == []
    rows = await database.rows("select id from incoming_payments where org_id = $1", other)
    assert rows == []


async def test_accounts_that_share_a_transport_each_get_their_own_lines(bank: Bank) -> None:
    await read(bank, a=statement(credit(3, "usd"), currency="usd"), b=statement(credit(5)))
    found = {each.money.asset.currency: each.money.units for each in await incoming_payments(bank)}
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


@pytest.mark.parametrize("index", part_of(range(len(HOSTILE)), 0, 3))
async def test_an_unreadable_file_is_archived_and_none_of_it_counts(bank: Bank, index: int) -> None:
    put(bank, "bad.xml", HOSTILE[index])
    refused, good = await read(bank, good=statement(credit()))
    assert (refused.format, good.format) == (InboundFileKind.REFUSED, InboundFileKind.CAMT_053)
    assert (folder(bank, "in"), folder(bank, "in/refused")) == ([], ["bad.xml"])
    (line,) = await lines(bank, StatementLineStatus.UNMATCHED)
    assert (line.kind, line.money) == (StatementLineKind.FILE, None)
    assert line.texts is not None
    assert line.texts.file_name == "bad.xml"
    assert len(await incoming_payments(bank)) == 1


async def test_a_statement_with_wrong_balances_is_rejected_whole(bank: Bank) -> None:
    content = statement(credit(), credit(5)).replace(b"10100.05", b"10100.06")
    (answer,) = await read(bank, a=content)
    assert answer.format is InboundFileKind.REFUSED
    assert await incoming_payments(bank) == []


async def test_two_workers_read_the_same_file_once(bank: Bank) -> None:
    keys = await sent(bank, *(by_sepa(bank.org_id, units=each) for each in range(1, 9)))
    reported = [debit(key, index) for index, key in enumerate(keys, start=1)]
    put(bank, "a", statement(*reported, credit(), credit(bank_reference=None)))
    offsets = {bank.org_id: timedelta()}
    await asyncio.gather(*(reading_of(bank).run(offsets) for _ in range(4)))
    assert [(await status(bank, each))[0] for each in keys] == [BankPaymentStatus.SETTLED] * 8
    assert len(await incoming_payments(bank)) == 2
    assert len(await lines(bank)) == 10
    assert await waiting(bank) == []
