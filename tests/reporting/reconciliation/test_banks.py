"""Differences planted one by one in a bank's statements: each is named within one run."""

from typing import Any
from uuid import UUID

import pytest

from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.payments.bank_files.bank_simulator import BankOutcome
from landbridge.providers.iso20022 import pain001
from landbridge.reporting.reconciliation.model import Difference, DifferenceKind, DifferenceStatus
from tests.customers.chain_deposits.chain_world import correct_all
from tests.payouts import check_books, shown
from tests.reporting.reconciliation.bank_days import (
    PlantingBank,
    bank_position,
    bank_state,
    found,
    keys,
)
from tests.reporting.reconciliation.compared import DIFFERENCES, compared, make_reviewers
from tests.sandbox.scenarios.bank_setup import DAY_S, paying
from tests.tenants import sentence


async def test_a_payout_that_the_statement_has_agrees(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    await bank.state(bank.paid(key))
    assert (await shown(bank.org, created))["status"] == "COMPLETED"
    assert await found(bank.org) == []
    position = bank_position(await compared(bank.org))
    assert (position.outside_units, position.ledger_units) == (99_990_000, -10_000)
    # What was in the account before is expected.
    assert position.accepted_units == position.unexplained_units == 100_000_000


async def test_a_settled_payout_whose_line_is_missing(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "ach")
    await bank.scenario.write()
    (file,) = (bank.scenario.folder / "out").iterdir()
    await bank.wait_days(9)
    assert (await shown(bank.org, created))["status"] == "COMPLETED"
    (first,) = await found(bank.org)
    # One payment alone is in the file.
    assert named(first) == (DifferenceKind.MISSING_OUTSIDE, 10_000, file.name)
    assert str(first.record_id) == created["id"]
    # The statement of the day may still have it.
    assert first.status is DifferenceStatus.TIMING
    await bank.wait_days(5)
    (first,) = await found(bank.org)
    assert first.status is DifferenceStatus.OPEN


async def test_a_payout_at_the_bank_that_no_statement_has(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    await bank.state()
    # In transit: neither side has moved it.
    assert await found(bank.org) == []
    await bank.wait_days(6)
    (late,) = await found(bank.org)
    assert named(late) == (DifferenceKind.MISSING_OUTSIDE, 10_000, created["id"])
    assert (str(late.record_id), late.status) == (created["id"], DifferenceStatus.OPEN)
    # Two people do not settle a payment.
    first, second = await make_reviewers(bank.org)
    path = f"{DIFFERENCES}/{late.id}"
    await first.post(f"{path}/resolve", {"reason": "the bank is asked"})
    answer = await second.send("POST", f"{path}/accept", {})
    assert (answer.status_code, "its payment is in transit" in sentence(answer)) == (409, True)
    await bank.state(bank.paid(key))
    assert (await shown(bank.org, created))["status"] == "COMPLETED"
    assert await found(bank.org) == []


async def test_a_late_payout_that_the_bank_returns_is_none_any_more(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    await bank.wait_days(6)
    assert [each.kind for each in await found(bank.org)] == [DifferenceKind.MISSING_OUTSIDE]
    await bank.scenario.answer(BankOutcome.REJECT)
    assert (await shown(bank.org, created))["status"] == "CRYPTO_RETURNED"
    assert await found(bank.org) == []


async def test_a_statement_that_is_missing(bank: PlantingBank) -> None:
    await bank.wait_days(1)
    assert await found(bank.org) == []
    await bank.state(bank.debit(700), is_sent=False)
    await bank.wait_days(1)
    (gap,) = await found(bank.org)
    assert named(gap) == (DifferenceKind.STATEMENT_GAP, -700, "statement/S4-usd")
    assert gap.status is DifferenceStatus.OPEN


async def test_a_missing_statement_that_comes_later_ends_the_gap(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    at, number, balance = await bank.now(), bank.number, bank.balance
    await bank.state(bank.paid(key), is_sent=False)
    await bank.scenario.pass_time(3_600)
    await bank.state()
    assert [each.kind for each in await found(bank.org)] == [DifferenceKind.STATEMENT_GAP]
    later = bank.number, bank.balance
    bank.number, bank.balance = number, balance
    await bank.state(bank.paid(key), made_at=at)
    bank.number, bank.balance = later
    assert (await shown(bank.org, created))["status"] == "COMPLETED"
    assert await found(bank.org) == []
    await bank.wait_days(2)
    assert await found(bank.org) == []


async def test_a_fee_that_is_netted(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    await bank.state(bank.paid(key, 10_015))
    # The line waits for a reviewer, who settles the payment.
    (first,) = await found(bank.org)
    assert named(first) == (DifferenceKind.UNKNOWN_OUTSIDE, -10_015, created["id"])
    line = await bank.scenario.last_line()
    await bank.scenario.resolve(line, "SETTLE")
    await bank.scenario.pass_time(1)
    assert (await shown(bank.org, created))["status"] == "COMPLETED"
    (first,) = await found(bank.org)
    assert named(first) == (DifferenceKind.AMOUNT, -15, created["id"])
    await bank.scenario.pass_time(3_600)
    (first,) = await found(bank.org)
    assert (str(first.record_id), first.status) == (created["id"], DifferenceStatus.OPEN)


async def test_a_fee_with_a_line_of_its_own(bank: PlantingBank) -> None:
    await bank.state(bank.debit(250))
    line = await bank.scenario.last_line()
    (fee,) = await found(bank.org)
    assert named(fee) == (DifferenceKind.UNKNOWN_OUTSIDE, -250, line["id"])
    # What one reviewer says of the line does not end the difference: two people do.
    await bank.scenario.resolve(line, "NO_ACTION")
    await bank.scenario.pass_time(61)
    (fee,) = await found(bank.org)
    assert fee.status is DifferenceStatus.OPEN
    await accept(bank, fee)
    await bank.wait_days(1)
    assert await found(bank.org) == []


async def test_a_fee_is_booked_as_a_loss(bank: PlantingBank) -> None:
    await bank.state(bank.debit(250))
    line = await bank.scenario.last_line()
    await bank.scenario.resolve(line, "NO_ACTION")
    await found(bank.org)
    await bank.scenario.pass_time(61)
    (fee,) = await found(bank.org)
    adjustment = await accept(bank, fee, adjustLedger=True)
    await bank.wait_days(1)
    assert await found(bank.org) == []
    house = await house_balances(bank.org.container.database, bank.org.org_id)
    assert house[HouseRole.WRITE_OFFS, "usd:BANK"] == -250
    await correct_all(bank.org, UUID(adjustment["adjustmentId"]))
    await bank.scenario.pass_time(3_600)
    (fee,) = await found(bank.org)
    assert named(fee) == (DifferenceKind.UNKNOWN_OUTSIDE, -250, line["id"])
    await check_books(bank.org)


async def test_a_payout_that_is_debited_twice(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    await bank.state(bank.paid(key), bank.paid(key))
    (twice,) = await found(bank.org)
    assert named(twice) == (DifferenceKind.DUPLICATE, -10_000, created["id"])


async def test_a_line_that_is_reported_twice_is_counted_once(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    await bank.state(bank.paid(key))
    assert await found(bank.org) == []
    # The bank repeats the line with another reference, and says so; its balance has it once.
    await bank.state(bank.paid(key), bank.credit(10_000, remittance="correction"))
    line = await bank.scenario.last_line()
    await bank.scenario.resolve(line, "DUPLICATE")
    twice = {each.kind for each in await found(bank.org)}
    assert DifferenceKind.DUPLICATE not in twice
    assert created["id"] not in {each.reference for each in await found(bank.org)}


async def test_a_batch_whose_sum_hides_a_refused_payment(bank: PlantingBank) -> None:
    first = await paying(bank.scenario, "us", "ach")
    second = await paying(bank.scenario, "us", "ach")
    await bank.scenario.write()
    (file,) = (bank.scenario.folder / "out").iterdir()
    (row,) = await bank.org.container.database.rows(
        "select id from bank_outbound_files where org_id = $1", bank.org.org_id
    )
    await bank.state(bank.debit(10_000, message_id=row["id"].hex))
    (batch,) = await found(bank.org)
    assert named(batch) == (DifferenceKind.UNKNOWN_OUTSIDE, -10_000, file.name)
    # Until the time for returns is over, a payment may come back.
    assert batch.status is DifferenceStatus.TIMING
    await bank.wait_days(9)
    for _, created in (first, second):
        assert (await shown(bank.org, created))["status"] == "COMPLETED"
    (batch,) = await found(bank.org)
    assert named(batch) == (DifferenceKind.AMOUNT, 10_000, file.name)
    await bank.wait_days(5)
    (batch,) = await found(bank.org)
    assert batch.status is DifferenceStatus.OPEN


async def test_a_batch_whose_sum_is_right(bank: PlantingBank) -> None:
    for _ in range(2):
        await paying(bank.scenario, "us", "ach")
    await bank.scenario.write()
    await bank.state(bank.debit(20_000))
    await bank.wait_days(12)
    assert await found(bank.org) == []
    assert await bank.scenario.reasons() == []


@pytest.mark.parametrize("units", [20_000, 10_000])
async def test_a_file_of_wires_that_is_booked_in_one_sum(bank: PlantingBank, units: int) -> None:
    payouts = [await paying(bank.scenario, "us", "wire") for _ in range(2)]
    (file,) = await bank.scenario.write()
    message_id = pain001.read(file.read_bytes()).message_id
    await bank.state(bank.debit(units, message_id=message_id))
    if units == 20_000:
        for _, created in payouts:
            assert (await shown(bank.org, created))["status"] == "COMPLETED"
        assert await found(bank.org) == []
        return
    # One of them was refused, and the bank did not say so: neither is settled.
    (batch,) = await found(bank.org)
    assert batch.status is DifferenceStatus.TIMING
    await bank.scenario.pass_time(3_600)
    (batch,) = await found(bank.org)
    assert named(batch) == (DifferenceKind.UNKNOWN_OUTSIDE, -10_000, file.name)
    assert batch.status is DifferenceStatus.OPEN


async def test_a_payout_that_comes_back_after_it_was_settled(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    await bank.state(bank.paid(key))
    assert await found(bank.org) == []
    await bank.wait_days(3)
    await bank.state(bank.back(key))
    (back,) = await found(bank.org)
    assert named(back) == (DifferenceKind.MISSING_OUTSIDE, 10_000, created["id"])
    await bank.scenario.pass_time(3_600)
    (back,) = await found(bank.org)
    assert back.status is DifferenceStatus.OPEN
    # A reviewer reopens the payout: both sides agree again.
    await bank.scenario.resolve(await bank.scenario.last_line(), "RETURN")
    assert await found(bank.org) == []


async def test_a_bank_that_is_silent(bank: PlantingBank) -> None:
    # A statement of a banking day is due by the end of the next one; a weekend may be between.
    await bank.scenario.pass_time(DAY_S)
    assert await found(bank.org) == []
    await bank.scenario.pass_time(6 * DAY_S)
    (silent,) = await found(bank.org)
    assert (silent.kind, silent.asset) == (DifferenceKind.SOURCE_SILENT, "")
    assert silent.status is DifferenceStatus.OPEN
    state = bank_state(await compared(bank.org))
    assert state.failure is not None
    assert state.failure.startswith("the bank has sent no statement after that of ")
    await bank.state()
    assert await found(bank.org) == []
    assert bank_state(await compared(bank.org)).failure is None


async def test_money_that_no_line_explains(bank: PlantingBank) -> None:
    await bank.org.container.database.rows(
        "update recon_positions set ledger_units = ledger_units + 5"
        " where org_id = $1 and source = 'BANK_USD'",
        bank.org.org_id,
    )
    (rest,) = await found(bank.org)
    assert named(rest) == (DifferenceKind.POSITION, -5, "")


async def test_a_deposit_that_no_payment_takes_up(bank: PlantingBank) -> None:
    await bank.state(bank.credit(7_000, remittance="who knows"))
    (deposit,) = (await bank.org.get("/v2/reviews/deposits"))["reviews"]
    (first,) = await found(bank.org)
    assert named(first) == (DifferenceKind.UNKNOWN_OUTSIDE, 7_000, deposit["id"])
    assert first.status is DifferenceStatus.TIMING
    await bank.wait_days(5)
    (first,) = await found(bank.org)
    assert first.status is DifferenceStatus.OPEN


async def test_nothing_from_before_the_first_run_is_compared_alone(bank: PlantingBank) -> None:
    org = bank.org
    await org.container.database.rows(
        "delete from recon_sources where org_id = $1 and source = 'BANK_USD'", org.org_id
    )
    for table in ("recon_positions", "recon_matches"):
        await org.container.database.rows(
            f"delete from {table} where org_id = $1 and source = 'BANK_USD'",  # noqa: S608
            org.org_id,
        )
    # Before: an old fee that a reviewer has looked at, and a payout. Open: an ACH file.
    await bank.state(bank.debit(250))
    await bank.scenario.resolve(await bank.scenario.last_line(), "NO_ACTION")
    _, wired = await paying(bank.scenario, "us", "wire")
    await paying(bank.scenario, "us", "ach")
    await bank.scenario.write()
    (wire_key,) = await keys_of(bank, wired["id"])
    await bank.state(bank.paid(wire_key), bank.debit(10_000))
    await bank.org.container.database.rows(
        "update statement_lines set counted_version = null, counted_reference = null"
        " where org_id = $1",
        org.org_id,
    )
    differences = await found(org)
    assert [named(each)[:2] for each in differences] == [(DifferenceKind.UNKNOWN_OUTSIDE, -10_000)]
    assert differences[0].status is DifferenceStatus.TIMING
    await bank.wait_days(12)
    assert await found(org) == []
    await bank.state(bank.back(wire_key))
    (back,) = await found(org)
    assert back.kind is DifferenceKind.UNKNOWN_OUTSIDE


async def keys_of(bank: PlantingBank, record_id: str) -> list[UUID]:
    rows = await bank.org.container.database.rows(
        "select key from bank_payments where org_id = $1 and record_id = $2",
        *(bank.org.org_id, UUID(record_id)),
    )
    return [row["key"] for row in rows]


async def accept(bank: PlantingBank, difference: Difference, **more: bool) -> dict[str, Any]:
    first, second = await make_reviewers(bank.org)
    path = f"{DIFFERENCES}/{difference.id}"
    await first.post(f"{path}/resolve", {"reason": "a fee of the bank", **more})
    accepted: dict[str, Any] = await second.post(f"{path}/accept", {})
    return accepted


def named(difference: Difference) -> tuple[DifferenceKind, int, str]:
    return difference.kind, difference.units, difference.reference
