"""File rails fulfil the port's contract, and know when a payment is settled."""

import asyncio
import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import pytest
from schwifty import IBAN

from landbridge.payments.bank_files.model import BankPaymentStatus
from landbridge.payments.incoming_payments.model import (
    IncomingPayment,
    IncomingPaymentSender,
    IncomingPaymentStatus,
)
from landbridge.payments.incoming_payments.returns import return_payment
from landbridge.platform.core.errors import InvariantBroken, Rejected, Unavailable
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.providers.nacha.reading import read as read_nacha
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import (
    RailPayment,
    RailPaymentState,
    RailPaymentStatus,
    Rails,
)
from tests.payments.bank_files.builders import (
    ADA,
    AT,
    USD,
    Bank,
    by_ach,
    by_sepa,
    by_swift,
    by_wire,
    funding,
    make_bank,
)
from tests.payments.bank_files.inbound_files import ach_return, read
from tests.providers.simulation.contract import MUCH_LATER, RailsContract

DAY = timedelta(days=1)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


@pytest.fixture
async def prenoted(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path, is_prenoted=True)


class TestContract(RailsContract):
    """Tests of the rails contract that need no immediate response."""

    bank: Bank

    @pytest.fixture
    def rails(self, bank: Bank) -> Rails:
        self.bank = bank
        return bank.rails

    @pytest.fixture
    def org_id(self, bank: Bank) -> UUID:
        return bank.org_id

    @pytest.mark.parametrize("rail", ["ach", "wire", "swift", "sepa", "sepaInstant"])
    async def test_a_final_payment_stays_final(self, rails: Rails, org_id: UUID, rail: str) -> None:
        make = {"ach": by_ach, "wire": by_wire, "swift": by_swift}.get(rail, by_sepa)
        payment = make(org_id, rail=rail)
        paid = await rails.pay(payment)
        assert (paid.state, paid.tracking.payment_rail) == (RailPaymentState.PENDING, rail)
        await self.bank.write(is_early=True)
        if rail != "ach":
            await self.bank.settle(payment.key)
        self.bank.clock.at = AT + MUCH_LATER
        await read(self.bank)
        ended = await rails.find_status(org_id, payment.key, AT + MUCH_LATER)
        assert ended is not None
        assert (ended.state, ended.expected_at) == (RailPaymentState.SETTLED, None)
        assert ended.tracking == paid.tracking
        assert await rails.pay(replace(payment, at=AT + MUCH_LATER)) == ended

    async def test_tracking_follows_the_banks_formats(self, rails: Rails, org_id: UUID) -> None:
        ach = await rails.pay(by_ach(org_id))
        assert re.fullmatch(r"02100002\d{7}", ach.tracking.trace_number or "")
        for created in (by_swift(org_id), by_wire(org_id)):
            assert UUID((await rails.pay(created)).tracking.uetr or "").version == 4

    async def test_dollars_can_be_sent_to_an_account(self, rails: Rails, org_id: UUID) -> None:
        number = await rails.new_account_number(org_id, "usd", uuid4())
        assert re.fullmatch(r"4001\d{10}", number)
        where = await rails.coordinates(org_id, "usd", number)
        assert where is not None
        assert where.rails == dict.fromkeys(("ach", "wire"), ("021000021", number))
        assert where.beneficiary_name == "Example Payments Inc."


async def test_euro_deposits_have_their_own_iban(bank: Bank) -> None:
    seed = uuid4()
    number = await bank.rails.new_account_number(bank.org_id, "eur", seed)
    assert IBAN(number).bank_code == "37040044"
    assert await bank.rails.new_account_number(bank.org_id, "eur", seed) == number
    where = await bank.rails.coordinates(bank.org_id, "eur", number)
    assert where is not None
    assert where.instruction == f"Pay by SEPA to IBAN {number}."


async def test_a_currency_without_an_account_is_neither_paid_nor_accepted(bank: Bank) -> None:
    payment = replace(by_ach(bank.org_id), money=Money(100, FIAT["mxn"]), rail="spei")
    with pytest.raises(Rejected, match="no bank account that pays mxn"):
        await bank.rails.pay(payment)
    assert await bank.rails.coordinates(bank.org_id, "mxn", "1") is None
    with pytest.raises(Unavailable):
        await bank.rails.new_account_number(bank.org_id, "mxn", uuid4())


async def test_an_account_serves_its_own_organisation_only(
    bank: Bank, database: Database, tmp_path: Path
) -> None:
    other = await make_bank(database, tmp_path / "other")
    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    assert await other.rails.find_status(other.org_id, payment.key, AT) is None

    async def by_names(org_id: UUID) -> list[object]:
        trace = (await bank.find(payment.key)).trace_number or ""
        return [
            await database.single(
                lambda tx: bank.payments.find_by_end_to_end(tx, org_id, "usd", payment.key.hex)
            ),
            await database.single(lambda tx: bank.payments.find_by_trace(tx, org_id, "usd", trace)),
        ]

    assert await by_names(other.org_id) == [None, None]
    found = await bank.find(payment.key)
    assert await by_names(bank.org_id) == [found, found]


@pytest.mark.parametrize(
    ("created", "reason"),
    [
        (by_ach(uuid4(), rail="rtp"), "does not pay by rtp"),
        (by_sepa(uuid4(), rail="ach"), "does not pay by ach"),
        (by_ach(uuid4(), units=10**10), "99,999,999.99"),
        (by_ach(uuid4(), units=0), "the amount must be positive"),
    ],
    ids=["rail", "currency", "amount", "nothing"],
)
async def test_a_payment_that_no_format_carries_is_rejected(
    bank: Bank, created: RailPayment, reason: str
) -> None:
    payment = replace(created, org_id=bank.org_id)
    with pytest.raises(Rejected, match=reason):
        await bank.rails.pay(payment)
    assert await bank.rails.find_status(bank.org_id, payment.key, AT) is None


async def test_a_rejection_contains_no_names(bank: Bank) -> None:
    holder = {**ADA, "name": "埃达"}
    payment = by_ach(bank.org_id)
    with pytest.raises(Rejected) as refused:
        await bank.rails.pay(replace(payment, payee={**payment.payee, "accountHolder": holder}))
    assert "埃达" not in str(refused.value)


async def test_a_key_carries_one_payment(bank: Bank) -> None:
    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    with pytest.raises(InvariantBroken):
        await bank.rails.pay(by_ach(bank.org_id, key=payment.key, units=1))


async def test_concurrent_calls_queue_a_payment_once(bank: Bank) -> None:
    payment = by_ach(bank.org_id)
    answers = await asyncio.gather(*(bank.rails.pay(payment) for _ in range(10)))
    assert len({each.tracking.trace_number for each in answers}) == 1
    (file,) = await bank.write(is_early=True)
    assert file.count == 1


async def test_ach_settles_at_the_end_of_the_return_window(bank: Bank) -> None:
    payment = by_ach(bank.org_id)
    queued = await bank.rails.pay(payment)
    await bank.write(is_early=True)
    written = await bank.rails.find_status(bank.org_id, payment.key, AT)
    assert written is not None
    # Wednesday; settles on Friday; returns come until Tuesday, midnight in New York.
    closes_at = datetime.fromisoformat("2026-03-11T04:00:00+00:00")
    assert (written.expected_at, queued.expected_at) == (closes_at, closes_at)
    before = await bank.rails.find_status(bank.org_id, payment.key, closes_at - DAY)
    assert before is not None
    assert before.state is RailPaymentState.PENDING
    bank.clock.at = closes_at
    await read(bank)
    after = await bank.rails.find_status(bank.org_id, payment.key, closes_at)
    assert after is not None
    assert after.state is RailPaymentState.SETTLED


async def test_ach_does_not_settle_before_all_bank_files_are_read(bank: Bank) -> None:
    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    await bank.write(is_early=True)
    # After days of downtime, unread files may contain a return.
    found = await bank.rails.find_status(bank.org_id, payment.key, AT + MUCH_LATER)
    assert found is not None
    assert found.state is RailPaymentState.PENDING
    assert found.expected_at == AT + MUCH_LATER + timedelta(minutes=1)
    bank.clock.at = AT + MUCH_LATER
    await read(bank, a=ach_return(bank, payment.key))
    found = await bank.rails.find_status(bank.org_id, payment.key, AT + MUCH_LATER)
    assert found is not None
    assert found.state is RailPaymentState.FAILED


async def test_undelivered_ach_never_settles(bank: Bank) -> None:
    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    found = await bank.rails.find_status(bank.org_id, payment.key, AT + MUCH_LATER)
    assert found is not None
    assert found.state is RailPaymentState.PENDING


async def test_a_returned_payment_never_settles(bank: Bank) -> None:
    payment = by_ach(bank.org_id)
    await bank.rails.pay(payment)
    await bank.write(is_early=True)
    assert await bank.fail(payment.key, "the bank returned it: R03, no such account")
    found = await bank.rails.find_status(bank.org_id, payment.key, AT + MUCH_LATER)
    assert found is not None
    assert (found.state, found.reason) == (
        RailPaymentState.FAILED,
        "the bank returned it: R03, no such account",
    )


async def test_a_new_account_gets_a_prenote_before_its_first_payment(prenoted: Bank) -> None:
    payment = by_ach(prenoted.org_id)
    await prenoted.rails.pay(payment)
    (tried,) = await prenoted.write(is_early=True)
    assert (tried.count, tried.units) == (1, 0)
    (batch,) = read_nacha(prenoted.out()[tried.name]).batches
    assert [each.transaction_code for each in batch.entries] == ["23"]
    assert await prenoted.write(is_early=True) == []
    # Wednesday's prenote is at the other bank on Friday; three banking days later is Wednesday.
    prenoted.clock.at = AT + 6 * DAY
    assert await prenoted.write(is_early=True) == []
    prenoted.clock.at = AT + 7 * DAY
    (paid,) = await prenoted.write(is_early=True)
    assert (paid.count, paid.units) == (1, 10_000)
    await read(prenoted)
    again = by_ach(prenoted.org_id, at=prenoted.clock.at)
    await prenoted.rails.pay(again)
    (file,) = await prenoted.write(is_early=True)
    assert (file.count, file.units) == (1, 10_000)
    trace = batch.entries[0].trace_number
    prenote = await prenoted.database.single(
        lambda tx: prenoted.payments.find_by_trace(tx, prenoted.org_id, "usd", trace)
    )
    assert prenote is not None
    assert prenote.status is BankPaymentStatus.SETTLED


async def test_a_returned_prenote_fails_waiting_payments(prenoted: Bank) -> None:
    payment = by_ach(prenoted.org_id)
    await prenoted.rails.pay(payment)
    (tried,) = await prenoted.write(is_early=True)
    (batch,) = read_nacha(prenoted.out()[tried.name]).batches
    trace = batch.entries[0].trace_number
    reason = "the bank returned it: R04, the account number is invalid"

    prenote = await prenoted.database.single(
        lambda tx: prenoted.payments.find_by_trace(tx, prenoted.org_id, "usd", trace)
    )
    assert prenote is not None
    assert prenote.is_prenote
    assert await prenoted.fail(prenote.key, reason)
    assert (await prenoted.find(payment.key)).status is BankPaymentStatus.FAILED
    with pytest.raises(Rejected, match="R04"):
        await prenoted.rails.pay(by_ach(prenoted.org_id))


async def test_a_payment_queued_while_its_prenote_fails_is_failed_too(prenoted: Bank) -> None:
    first, raced = by_ach(prenoted.org_id), by_ach(prenoted.org_id)
    await prenoted.rails.pay(first)
    await prenoted.write(is_early=True)
    (row,) = await prenoted.database.rows(
        "select key from bank_payments where org_id = $1 and is_prenote", prenoted.org_id
    )
    answers = await asyncio.gather(
        *(prenoted.rails.pay(replace(raced, key=uuid4())) for _ in range(5)),
        prenoted.fail(row["key"], "the bank returned it: R03, no such account"),
        *(prenoted.rails.pay(replace(raced, key=uuid4())) for _ in range(5)),
        return_exceptions=True,
    )
    assert all(isinstance(each, Rejected | RailPaymentStatus | bool) for each in answers)
    rows = await prenoted.database.rows(
        "select status from bank_payments where org_id = $1", prenoted.org_id
    )
    assert {each["status"] for each in rows} == {"FAILED"}


async def test_a_failed_prenote_records_a_change_of_each_waiting_payment(prenoted: Bank) -> None:
    payments = [by_ach(prenoted.org_id) for _ in range(2)]
    for each in payments:
        await prenoted.rails.pay(each)
    (row,) = await prenoted.database.rows(
        "select key from bank_payments where org_id = $1 and is_prenote", prenoted.org_id
    )
    prenote = await prenoted.find(row["key"])
    failed = await prenoted.database.transact(
        lambda tx: prenoted.payments.fail_in(tx, prenote, reason="it came back", at=AT)
    )
    assert {each.record_id for each in failed} == {each.record_id for each in payments}


async def test_a_deposit_is_returned_by_its_own_rail(bank: Bank) -> None:
    for rail, currency, routing, account in (
        ("ach", "usd", "091000019", "000123456789"),
        ("wire", "usd", "091000019", "000123456789"),
        ("sepa", "eur", "ABNANL2A", "NL91ABNA0417164300"),
    ):
        sender = IncomingPaymentSender(
            name="Ada Example", routing_number=routing, account_number=account
        )
        back = return_payment(_incoming_payment(bank, rail, currency, sender), key=uuid4(), at=AT)
        assert (await bank.rails.pay(back)).state is RailPaymentState.PENDING
    assert {each.rail for each in await bank.write(is_early=True)} == {"ach", "wire", "sepa"}


async def test_a_deposit_without_a_known_sender_can_not_be_returned(bank: Bank) -> None:
    back = return_payment(_incoming_payment(bank, "ach", "usd", None), key=uuid4(), at=AT)
    with pytest.raises(Rejected, match="name of the payee is not known"):
        await bank.rails.pay(back)


async def test_a_deposit_is_returned_by_a_rail_of_the_account(bank: Bank) -> None:
    account_settings = msgspec.structs.replace(funding(USD, bank.folder), rails=("wire", "swift"))
    await bank.accounts.set(bank.org_id, account_settings, actor="test", at=bank.clock.stamp())
    for rail, routing, way in (("ach", "091000019", "wire"), ("wire", "DBSSSGSG", "swift")):
        sender = IncomingPaymentSender(
            name="Ada", routing_number=routing, account_number="000123456789"
        )
        back = return_payment(_incoming_payment(bank, rail, "usd", sender), key=uuid4(), at=AT)
        assert await bank.rails.rejection_reason(back) is None
        paid = await bank.rails.pay(back)
        assert paid.tracking.payment_rail == way
        assert await bank.rails.pay(back) == paid
    payout = by_ach(bank.org_id)
    assert await bank.rails.rejection_reason(payout) is not None
    with pytest.raises(Rejected, match="does not pay by ach"):
        await bank.rails.pay(payout)


async def test_an_impossible_return_is_detected_in_advance(bank: Bank) -> None:
    unknown_ = return_payment(_incoming_payment(bank, "wire", "usd", None), key=uuid4(), at=AT)
    assert await bank.rails.rejection_reason(unknown_) == "the name of the payee is not known"
    pesos = return_payment(_incoming_payment(bank, "spei", "mxn", None), key=uuid4(), at=AT)
    assert "no bank account" in (await bank.rails.rejection_reason(pesos) or "")


def _incoming_payment(
    bank: Bank, rail: str, currency: str, sender: IncomingPaymentSender | None
) -> IncomingPayment:
    return IncomingPayment(
        org_id=bank.org_id,
        id=uuid4(),
        bank_reference="1",
        account_number="1",
        reference="INV 7",
        money=Money(500, FIAT[currency]),
        rail=rail,
        sender=sender,
        description=None,
        status=IncomingPaymentStatus.RETURNING,
        transfer_id=None,
        user_id=None,
        version=1,
        received_at=AT,
        arrived_at=AT,
        clears_at=AT,
        updated_at=AT,
        due_at=AT,
        return_attempts=0,
    )
