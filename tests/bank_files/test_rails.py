"""The rails of files keep the port's contract, and know when a payment is settled."""

import asyncio
import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import pytest
from schwifty import IBAN

from landbridge.bank_files.model import Status
from landbridge.bank_files.nacha.reading import read as read_nacha
from landbridge.core.errors import Broken, Rejected, Unavailable
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.rails.currencies import FIAT
from landbridge.rails.port import Paid, PaidState, Payment, Rails
from landbridge.receipts.model import Receipt, Sender
from landbridge.receipts.model import Status as ReceiptStatus
from landbridge.receipts.service import payment_back
from tests.simulation.contract import MUCH_LATER, RailsContract

from .incoming import ach_return, read
from .made import ADA, AT, USD, Bank, by_ach, by_sepa, by_swift, by_wire, funding, make_bank

DAY = timedelta(days=1)


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path)


@pytest.fixture
async def prenoted(database: Database, tmp_path: Path) -> Bank:
    return await make_bank(database, tmp_path, is_prenoted=True)


class TestContract(RailsContract):
    """What of the contract needs no bank that answers at once."""

    bank: Bank

    @pytest.fixture
    def rails(self, bank: Bank) -> Rails:
        self.bank = bank
        return bank.rails

    @pytest.fixture
    def org_id(self, bank: Bank) -> UUID:
        return bank.org_id

    @pytest.mark.parametrize("rail", ["ach", "wire", "swift", "sepa", "sepaInstant"])
    async def test_a_payment_ends_and_stays_so(self, rails: Rails, org_id: UUID, rail: str) -> None:
        make = {"ach": by_ach, "wire": by_wire, "swift": by_swift}.get(rail, by_sepa)
        asked = make(org_id, rail=rail)
        paid = await rails.pay(asked)
        assert (paid.state, paid.tracking.payment_rail) == (PaidState.PENDING, rail)
        await self.bank.write(is_early=True)
        if rail != "ach":
            await self.bank.settle(asked.key)
        self.bank.clock.at = AT + MUCH_LATER
        await read(self.bank)
        ended = await rails.look(org_id, asked.key, AT + MUCH_LATER)
        assert ended is not None
        assert (ended.state, ended.expected_at) == (PaidState.SETTLED, None)
        assert ended.tracking == paid.tracking
        assert await rails.pay(replace(asked, at=AT + MUCH_LATER)) == ended

    async def test_tracking_is_as_banks_spell_it(self, rails: Rails, org_id: UUID) -> None:
        ach = await rails.pay(by_ach(org_id))
        assert re.fullmatch(r"02100002\d{7}", ach.tracking.trace_number or "")
        for made in (by_swift(org_id), by_wire(org_id)):
            assert UUID((await rails.pay(made)).tracking.uetr or "").version == 4

    async def test_dollars_can_be_sent_to_an_account(self, rails: Rails, org_id: UUID) -> None:
        number = await rails.new_account_number(org_id, "usd", uuid4())
        assert re.fullmatch(r"4001\d{10}", number)
        where = await rails.coordinates(org_id, "usd", number)
        assert where is not None
        assert where.rails == dict.fromkeys(("ach", "wire"), ("021000021", number))
        assert where.beneficiary_name == "Example Payments Inc."


async def test_euro_arrive_on_an_iban_of_their_own(bank: Bank) -> None:
    seed = uuid4()
    number = await bank.rails.new_account_number(bank.org_id, "eur", seed)
    assert IBAN(number).bank_code == "37040044"
    assert await bank.rails.new_account_number(bank.org_id, "eur", seed) == number
    where = await bank.rails.coordinates(bank.org_id, "eur", number)
    assert where is not None
    assert where.instruction == f"Pay by SEPA to IBAN {number}."


async def test_a_currency_without_an_account_is_neither_paid_nor_taken(bank: Bank) -> None:
    asked = replace(by_ach(bank.org_id), money=Money(100, FIAT["mxn"]), rail="spei")
    with pytest.raises(Rejected, match="no bank account that pays mxn"):
        await bank.rails.pay(asked)
    assert await bank.rails.coordinates(bank.org_id, "mxn", "1") is None
    with pytest.raises(Unavailable):
        await bank.rails.new_account_number(bank.org_id, "mxn", uuid4())


async def test_an_account_of_another_organisation_pays_nobody_here(
    bank: Bank, database: Database, tmp_path: Path
) -> None:
    other = await make_bank(database, tmp_path / "other")
    asked = by_ach(bank.org_id)
    await bank.rails.pay(asked)
    assert await other.rails.look(other.org_id, asked.key, AT) is None

    async def by_names(org_id: UUID) -> list[object]:
        trace = (await bank.find(asked.key)).trace_number or ""
        return [
            await database.single(
                lambda tx: bank.payments.by_end_to_end(tx, org_id, "usd", asked.key.hex)
            ),
            await database.single(lambda tx: bank.payments.by_trace(tx, org_id, "usd", trace)),
        ]

    assert await by_names(other.org_id) == [None, None]
    found = await bank.find(asked.key)
    assert await by_names(bank.org_id) == [found, found]


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (by_ach(uuid4(), rail="rtp"), "does not pay by rtp"),
        (by_sepa(uuid4(), rail="ach"), "does not pay by ach"),
        (by_ach(uuid4(), units=10**10), "99,999,999.99"),
        (by_ach(uuid4(), units=0), "nothing to pay"),
    ],
    ids=["rail", "currency", "amount", "nothing"],
)
async def test_what_no_file_carries_is_refused_for_good(
    bank: Bank, made: Payment, reason: str
) -> None:
    asked = replace(made, org_id=bank.org_id)
    with pytest.raises(Rejected, match=reason):
        await bank.rails.pay(asked)
    assert await bank.rails.look(bank.org_id, asked.key, AT) is None


async def test_a_refusal_names_nobody(bank: Bank) -> None:
    holder = {**ADA, "name": "埃达"}
    asked = by_ach(bank.org_id)
    with pytest.raises(Rejected) as refused:
        await bank.rails.pay(replace(asked, payee={**asked.payee, "accountHolder": holder}))
    assert "埃达" not in str(refused.value)


async def test_a_key_carries_one_payment(bank: Bank) -> None:
    asked = by_ach(bank.org_id)
    await bank.rails.pay(asked)
    with pytest.raises(Broken):
        await bank.rails.pay(by_ach(bank.org_id, key=asked.key, units=1))


async def test_a_payment_that_is_asked_for_at_once_is_queued_once(bank: Bank) -> None:
    asked = by_ach(bank.org_id)
    answers = await asyncio.gather(*(bank.rails.pay(asked) for _ in range(10)))
    assert len({each.tracking.trace_number for each in answers}) == 1
    (file,) = await bank.write(is_early=True)
    assert file.count == 1


async def test_ach_is_settled_when_the_time_for_returns_is_over(bank: Bank) -> None:
    asked = by_ach(bank.org_id)
    queued = await bank.rails.pay(asked)
    await bank.write(is_early=True)
    written = await bank.rails.look(bank.org_id, asked.key, AT)
    assert written is not None
    # Wednesday; settled on Friday; returns come until Tuesday, midnight in New York.
    closes_at = datetime.fromisoformat("2026-03-11T04:00:00+00:00")
    assert (written.expected_at, queued.expected_at) == (closes_at, closes_at)
    before = await bank.rails.look(bank.org_id, asked.key, closes_at - DAY)
    assert before is not None
    assert before.state is PaidState.PENDING
    bank.clock.at = closes_at
    await read(bank)
    after = await bank.rails.look(bank.org_id, asked.key, closes_at)
    assert after is not None
    assert after.state is PaidState.SETTLED


async def test_ach_is_not_settled_before_all_is_read_that_the_bank_told(bank: Bank) -> None:
    asked = by_ach(bank.org_id)
    await bank.rails.pay(asked)
    await bank.write(is_early=True)
    # The worker was down for days: what lies there may be a return.
    found = await bank.rails.look(bank.org_id, asked.key, AT + MUCH_LATER)
    assert found is not None
    assert found.state is PaidState.PENDING
    assert found.expected_at == AT + MUCH_LATER + timedelta(minutes=1)
    bank.clock.at = AT + MUCH_LATER
    await read(bank, a=ach_return(bank, asked.key))
    found = await bank.rails.look(bank.org_id, asked.key, AT + MUCH_LATER)
    assert found is not None
    assert found.state is PaidState.FAILED


async def test_ach_that_never_got_to_the_bank_is_never_settled(bank: Bank) -> None:
    asked = by_ach(bank.org_id)
    await bank.rails.pay(asked)
    found = await bank.rails.look(bank.org_id, asked.key, AT + MUCH_LATER)
    assert found is not None
    assert found.state is PaidState.PENDING


async def test_a_return_fails_it_and_time_does_not_settle_it_then(bank: Bank) -> None:
    asked = by_ach(bank.org_id)
    await bank.rails.pay(asked)
    await bank.write(is_early=True)
    assert await bank.fail(asked.key, "the bank returned it: R03, no such account")
    found = await bank.rails.look(bank.org_id, asked.key, AT + MUCH_LATER)
    assert found is not None
    assert (found.state, found.reason) == (
        PaidState.FAILED,
        "the bank returned it: R03, no such account",
    )


async def test_a_new_account_is_tried_before_it_is_paid(prenoted: Bank) -> None:
    asked = by_ach(prenoted.org_id)
    await prenoted.rails.pay(asked)
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
        lambda tx: prenoted.payments.by_trace(tx, prenoted.org_id, "usd", trace)
    )
    assert prenote is not None
    assert prenote.status is Status.SETTLED


async def test_a_prenote_that_comes_back_fails_what_waits(prenoted: Bank) -> None:
    asked = by_ach(prenoted.org_id)
    await prenoted.rails.pay(asked)
    (tried,) = await prenoted.write(is_early=True)
    (batch,) = read_nacha(prenoted.out()[tried.name]).batches
    trace = batch.entries[0].trace_number
    reason = "the bank returned it: R04, the account number can't be one"

    prenote = await prenoted.database.single(
        lambda tx: prenoted.payments.by_trace(tx, prenoted.org_id, "usd", trace)
    )
    assert prenote is not None
    assert prenote.is_prenote
    assert await prenoted.fail(prenote.key, reason)
    assert (await prenoted.find(asked.key)).status is Status.FAILED
    with pytest.raises(Rejected, match="R04"):
        await prenoted.rails.pay(by_ach(prenoted.org_id))


async def test_what_is_queued_while_its_prenote_fails_is_not_forgotten(prenoted: Bank) -> None:
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
    assert all(isinstance(each, Rejected | Paid | bool) for each in answers)
    rows = await prenoted.database.rows(
        "select status from bank_payments where org_id = $1", prenoted.org_id
    )
    assert {each["status"] for each in rows} == {"FAILED"}


async def test_all_that_waits_for_a_prenote_is_told_when_it_fails(prenoted: Bank) -> None:
    asked = [by_ach(prenoted.org_id) for _ in range(2)]
    for each in asked:
        await prenoted.rails.pay(each)
    (row,) = await prenoted.database.rows(
        "select key from bank_payments where org_id = $1 and is_prenote", prenoted.org_id
    )
    prenote = await prenoted.find(row["key"])
    failed = await prenoted.database.transact(
        lambda tx: prenoted.payments.fail_in(tx, prenote, reason="it came back", at=AT)
    )
    assert {each.record_id for each in failed} == {each.record_id for each in asked}


async def test_a_deposit_goes_back_by_the_way_it_came(bank: Bank) -> None:
    for rail, currency, routing, account in (
        ("ach", "usd", "091000019", "000123456789"),
        ("wire", "usd", "091000019", "000123456789"),
        ("sepa", "eur", "ABNANL2A", "NL91ABNA0417164300"),
    ):
        sender = Sender(name="Ada Example", routing_number=routing, account_number=account)
        back = payment_back(_receipt(bank, rail, currency, sender), key=uuid4(), at=AT)
        assert (await bank.rails.pay(back)).state is PaidState.PENDING
    assert {each.rail for each in await bank.write(is_early=True)} == {"ach", "wire", "sepa"}


async def test_a_deposit_of_nobody_known_can_not_go_back(bank: Bank) -> None:
    back = payment_back(_receipt(bank, "ach", "usd", None), key=uuid4(), at=AT)
    with pytest.raises(Rejected, match="name of the payee is not known"):
        await bank.rails.pay(back)


async def test_a_deposit_goes_back_by_what_the_account_has(bank: Bank) -> None:
    told = msgspec.structs.replace(funding(USD, bank.folder), rails=("wire", "swift"))
    await bank.accounts.set(bank.org_id, told, actor="test", at=bank.clock.stamp())
    for rail, routing, way in (("ach", "091000019", "wire"), ("wire", "DBSSSGSG", "swift")):
        sender = Sender(name="Ada", routing_number=routing, account_number="000123456789")
        back = payment_back(_receipt(bank, rail, "usd", sender), key=uuid4(), at=AT)
        assert await bank.rails.why_not(back) is None
        paid = await bank.rails.pay(back)
        assert paid.tracking.payment_rail == way
        assert await bank.rails.pay(back) == paid
    payout = by_ach(bank.org_id)
    assert await bank.rails.why_not(payout) is not None
    with pytest.raises(Rejected, match="does not pay by ach"):
        await bank.rails.pay(payout)


async def test_what_can_not_go_back_is_known_before_it_is_tried(bank: Bank) -> None:
    nobody = payment_back(_receipt(bank, "wire", "usd", None), key=uuid4(), at=AT)
    assert await bank.rails.why_not(nobody) == "the name of the payee is not known"
    pesos = payment_back(_receipt(bank, "spei", "mxn", None), key=uuid4(), at=AT)
    assert "no bank account" in (await bank.rails.why_not(pesos) or "")


def _receipt(bank: Bank, rail: str, currency: str, sender: Sender | None) -> Receipt:
    return Receipt(
        org_id=bank.org_id,
        id=uuid4(),
        bank_reference="1",
        account_number="1",
        reference="INV 7",
        money=Money(500, FIAT[currency]),
        rail=rail,
        sender=sender,
        description=None,
        status=ReceiptStatus.RETURNING,
        transfer_id=None,
        user_id=None,
        version=1,
        received_at=AT,
        arrived_at=AT,
        clears_at=AT,
        updated_at=AT,
        due_at=AT,
        return_tries=0,
    )
