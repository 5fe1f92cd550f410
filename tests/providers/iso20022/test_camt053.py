import time
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022 import camt053
from landbridge.providers.iso20022.messages import (
    BankStatement,
    EntryStatus,
    OtherParty,
    StatementEntry,
    Transaction,
)
from tests.long import examples
from tests.providers.iso20022.builders import (
    DOLLAR,
    EURO,
    OUR_IBAN,
    THEIR_IBAN,
    golden,
    make_entry,
    make_statement,
    make_transaction,
    statements,
    why_invalid,
)

VERSIONS = ("02", "04", "08")
WRITTEN = make_statement(
    make_entry(make_transaction(5000, our_account="DE02370400440532013010")),
    make_entry(
        make_transaction(2500, is_credit=False, bank_reference="B-1", end_to_end_id="A1"),
        make_transaction(1500, is_credit=False, bank_reference="B-2", end_to_end_id="A2"),
        reference="ENTRY-2",
    ),
    make_entry(
        make_transaction(1500, end_to_end_id="A2", return_code="AC04", code="PMNT/ICDT/RRTN"),
        reference="ENTRY-3",
        is_reversal=True,
    ),
)


@given(st.lists(statements(), min_size=1, max_size=3))
@settings(max_examples=examples(100, 10))
def test_a_written_message_is_read_again(statements: list[BankStatement]) -> None:
    raw = camt053.write(*statements)
    assert camt053.read(raw) == statements
    assert why_invalid(raw, "camt.053.001.08") is None


def test_the_file_is_the_golden_one() -> None:
    assert camt053.write(WRITTEN) == golden("camt053-written.xml")
    assert camt053.read(golden("camt053-written.xml")) == [WRITTEN]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_golden_statements_match_the_schemas(version: str) -> None:
    assert why_invalid(golden(f"camt053-{version}.xml"), f"camt.053.001.{version}") is None


def test_version_2_is_read() -> None:
    (statement,) = camt053.read(golden("camt053-02.xml"))
    assert (statement.id, statement.number, statement.account) == ("2026-230", 230, OUR_IBAN)
    assert (statement.opening, statement.closing) == (Money(100_000, EURO), Money(88_340, EURO))
    assert statement.created_at == datetime(2026, 11, 20, 21, tzinfo=UTC)
    assert statement.closing_on == date(2026, 11, 20)
    assert statement.page is None
    deposit, payouts, returned, fee = statement.entries
    assert deposit.transactions == (
        Transaction(
            money=Money(15_000, EURO),
            is_credit=True,
            bank_reference="2026112000001",
            other_party=OtherParty(name="Jane Payer", account=THEIR_IBAN, bic="BNPAFRPPXXX"),
            our_account="DE02370400440532013010",
            remittance="Order 7 and then some more",
            code="PMNT/RCDT/ESCT",
        ),
    )
    # Both payments have the entry's reference: each gets its position in it.
    assert [(each.bank_reference, each.end_to_end_id) for each in payouts.transactions] == [
        ("2026112000002/1", "A1"),
        ("2026112000002/2", "A2"),
    ]
    # The bank's own day, whatever the day is in another time zone.
    assert (payouts.booked_on, payouts.value_on) == (date(2026, 11, 20), date(2026, 11, 20))
    assert (fee.transactions[0].code, fee.transactions[0].end_to_end_id) == ("NCHG+808", None)
    assert fee.transactions[0].remittance == "Fees of November"
    assert fee.transactions[0].bank_reference == "2026112000004"
    assert returned.is_reversal


def test_a_return_names_the_original_payee_and_amount() -> None:
    (statement,) = camt053.read(golden("camt053-02.xml"))
    (back,) = statement.entries[2].transactions
    assert (back.return_code, back.end_to_end_id) == ("AC04", "A0")
    assert (back.other_party.name, back.our_account) == ("Payee Gone", OUR_IBAN)
    # A euro was deducted as a charge: the booked amount is what was returned.
    assert back.money == Money(3400, EURO)


def test_version_4_is_read() -> None:
    (statement,) = camt053.read(golden("camt053-04.xml"))
    # A page of several: its balances are the whole statement's.
    assert statement.page == 1
    assert (statement.number, statement.account) == (231, "000123456789")
    assert (statement.opening, statement.currency) == (Money(-1000, EURO), "eur")
    batch, pending = statement.entries
    # The details do not add up to the booked amount, and are ignored.
    assert batch.transactions == (
        Transaction(money=Money(5000, EURO), is_credit=True, code="PMNT/RCDT/ESCT"),
    )
    assert pending.status is EntryStatus.PENDING
    assert pending.transactions[0].money == Money(700, EURO)
    assert pending.transactions[0].remittance == "by reference RF18539007547034"


def test_version_8_is_read() -> None:
    first, second = camt053.read(golden("camt053-08.xml"))
    payout, soon = first.entries
    (transaction,) = payout.transactions
    assert (transaction.end_to_end_id, transaction.instruction_id) == ("A1", "A1")
    assert (transaction.message_id, str(transaction.uetr)[:8]) == ("LB-20261120-000007", "8a562c67")
    assert transaction.other_party == OtherParty(
        name="Payee One", account=THEIR_IBAN, bic="BNPAFRPPXXX"
    )
    assert first.closing == Money(-4500, EURO)
    # A proprietary status is information only.
    assert soon.status is EntryStatus.INFORMATION
    assert (second.currency, second.closing, second.opening) == ("usd", Money(500, DOLLAR), None)


@pytest.mark.parametrize("version", ["02", "03", "04", "05", "06", "07", "08", "12", "13"])
def test_versions_are_identified_by_their_namespace(version: str) -> None:
    raw = golden("camt053-08.xml").replace(b"camt.053.001.08", f"camt.053.001.{version}".encode())
    assert len(camt053.read(raw)) == 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b">883.40<", b">883.41<", "lead from one balance"),
        (b"<Sum>184.0<", b"<Sum>184.01<", "sums of its entries"),
        (b"<Sum>184.0<", b"<Sum>1e3<", "a sum of entries"),
        (b'Ccy="EUR">0.60', b'Ccy="USD">0.60', "account's currency"),
        (b'Ccy="EUR">0.60', b'Ccy="EURO">0.60', "not known here"),
        (b">0.60</Amt>", b">-0.60</Amt>", "negative"),
        (b">0.60</Amt>", b">0.601</Amt>", "more than 2 decimals"),
        (b">0.60</Amt>", b">" + b"9" * 50 + b"</Amt>", "too large"),
        (b">0.60</Amt>", b">" + b"9" * 5000 + b"</Amt>", "entry 4: its amount"),
        (b">0.60</Amt>", "\u0661</Amt>".encode(), None),
        (b"<ElctrncSeqNb>230<", b"<ElctrncSeqNb>" + b"2" * 400 + b"<", "whole number"),
        (b"<NbOfTxs>2<", b"<NbOfTxs>-2<", "whole number"),
        (b"<Sts>BOOK</Sts>", b"", "does not state whether"),
        (b"<CdtDbtInd>DBIT</CdtDbtInd>\n        <Sts>", b"<Sts>", "neither a credit"),
        (b"<Ccy>EUR</Ccy>", b"<Ccy>XXX</Ccy>", "not known here"),
        (b"<IBAN>DE89370400440532013000</IBAN>", b"<IBAN></IBAN>", "its account is missing"),
        (b"<Id>2026-230</Id>", b"<Id/>", "its number is missing"),
        (b"2026-11-20T23:30:00-01:00", b"2026-11-20T25:30:00-01:00", "no moment"),
        (b"2026-11-20T22:00:00.000+01:00", b"0001-01-01T00:00:00+14:00", "no moment"),
        (b"<ValDt><Dt>2026-11-20<", b"<ValDt><Dt>2026-W47-5<", "no day"),
        (b"<PgNb>1<", b"<PgNb>one<", "whole number"),
        (b"Stmt>", b"Rpt>", None),
        (b"GrpHdr>", b"Hdr>", "no statement"),
    ],
)
def test_a_statement_that_was_changed_is_refused(
    old: bytes, new: bytes, reason: str | None
) -> None:
    raw = golden("camt053-02.xml")
    assert old in raw
    with pytest.raises(FileRejected, match=reason):
        camt053.read(raw.replace(old, new))


def test_sums_may_count_booked_entries_alone() -> None:
    raw = golden("camt053-02.xml")
    fee = raw.rindex(b"<Ntry>")
    waiting = raw[fee : raw.rindex(b"</Stmt>")].replace(b"<Sts>BOOK<", b"<Sts>PDNG<")
    (statement,) = camt053.read(raw[:fee] + waiting + raw[fee:])
    assert len(statement.entries) == 5


def test_a_page_proves_no_balance() -> None:
    raw = golden("camt053-02.xml").replace(b">883.40<", b">883.41<")
    pages = ((b"<PgNb>1<", b"<PgNb>2<", 2), (b">true</LastPgInd>", b">false</LastPgInd>", 1))
    for old, new, page in pages:
        (statement,) = camt053.read(raw.replace(old, new))
        assert statement.page == page


def test_an_incomplete_batch_is_ignored() -> None:
    raw = golden("camt053-02.xml").replace(b"<NbOfTxs>2<", b"<NbOfTxs>3<")
    (transaction,) = camt053.read(raw)[0].entries[1].transactions
    assert (transaction.end_to_end_id, transaction.money) == (None, Money(30_000, EURO))
    # The only reported payment of a batch of two is ignored as well.
    second = raw.rindex(b"<TxDtls>", 0, raw.index(b"A2"))
    end = raw.index(b"</TxDtls>", second) + len(b"</TxDtls>")
    (transaction,) = camt053.read(raw[:second] + raw[end:])[0].entries[1].transactions
    assert transaction.end_to_end_id is None


def test_a_credit_that_is_a_part_of_its_entry_is_ignored() -> None:
    """The bank lists one of several payments, without their count."""
    raw = camt053.write(make_statement(make_entry(make_transaction(50_000, remittance="LB1"))))
    head, details = raw.split(b"<TxDtls>")
    # More than was booked is the payment before its charges.
    for stated, remittance in ((b">100.00<", None), (b">501.00<", "LB1")):
        changed = head + b"<TxDtls>" + details.replace(b">500.00<", stated, 1)
        (transaction,) = camt053.read(changed)[0].entries[0].transactions
        assert (transaction.money, transaction.remittance) == (Money(50_000, EURO), remittance)


def test_a_payment_with_another_direction_than_its_entry_is_ignored() -> None:
    raw = golden("camt053-08.xml")
    marks = b'<Amt Ccy="EUR">45.00</Amt>\n            <CdtDbtInd>DBIT<'
    assert marks in raw
    (transaction,) = (
        camt053.read(raw.replace(marks, marks.replace(b"DBIT", b"CRDT")))[0].entries[0].transactions
    )
    assert (transaction.end_to_end_id, transaction.is_credit) == (None, False)


def test_a_payment_without_an_amount_has_its_entry_s() -> None:
    amount = b'</Refs>\n            <Amt Ccy="EUR">45.00</Amt>'
    raw = golden("camt053-08.xml")
    assert amount in raw
    (transaction,) = camt053.read(raw.replace(amount, b"</Refs>"))[0].entries[0].transactions
    assert (transaction.money, transaction.end_to_end_id) == (Money(4500, EURO), "A1")


def test_without_any_amount_the_currency_is_required() -> None:
    raw = golden("camt053-08.xml").replace(b"<Ccy>USD</Ccy>", b"").replace(b"CLBD", b"ITBD")
    with pytest.raises(FileRejected, match="Statement 2 does not state"):
        camt053.read(raw)


def test_a_mix_of_debits_and_credits_adds_up_by_its_signs() -> None:
    entry = make_entry(
        make_transaction(1000, bank_reference="B-1"),
        make_transaction(400, bank_reference="B-2", is_credit=False),
    )
    assert entry.money == Money(600, EURO)
    statement = make_statement(entry)
    assert camt053.read(camt053.write(statement)) == [statement]


def test_a_statement_is_written_with_both_balances() -> None:
    with pytest.raises(InvariantBroken, match="both of its balances"):
        camt053.write(replace(WRITTEN, closing=None))


@pytest.mark.parametrize("day", [b"<Dt>soon</Dt>", b"<DtTm>2026-13-01T00:00:00</DtTm>", b""])
def test_a_closing_balance_without_a_day_is_read(day: bytes) -> None:
    raw = camt053.write(make_statement())
    before, _, rest = raw.rpartition(b"<Dt>\n")
    (read,) = camt053.read(b"%s<Dt>%s%s" % (before, day, rest[rest.index(b"</Dt>") + 5 :]))
    assert (read.closing, read.closing_on) == (make_statement().closing, None)


def test_pending_entries_do_not_count() -> None:
    waits: StatementEntry = make_entry(make_transaction(77), status=EntryStatus.PENDING)
    statement = make_statement(waits)
    assert statement.opening == statement.closing
    assert camt053.read(camt053.write(statement)) == [statement]


def bulk(count: int) -> bytes:
    """Return a statement with one entry of so many payments of a cent, each with a reference."""
    raw = camt053.write(make_statement(make_entry(make_transaction(count))))
    begin, _, rest = raw.partition(b"<TxDtls>")
    payments = b"".join(
        b"<TxDtls><Refs><AcctSvcrRef>R%d</AcctSvcrRef></Refs>"
        b'<Amt Ccy="EUR">0.01</Amt></TxDtls>' % each
        for each in range(count)
    )
    return begin + payments + rest.partition(b"</TxDtls>")[2]


def test_the_time_of_an_entry_grows_as_the_number_of_its_payments() -> None:
    seconds: list[float] = []
    for count in (2_000, 16_000):
        raw = bulk(count)
        started = time.process_time()
        (statement,) = camt053.read(raw)
        seconds.append(time.process_time() - started)
        references = [each.bank_reference for each in statement.entries[0].transactions]
        assert references == [f"R{each}" for each in range(count)]
    # Eight times as many took forty times as long.
    assert seconds[1] < 20 * seconds[0]
