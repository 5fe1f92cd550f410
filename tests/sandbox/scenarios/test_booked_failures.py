"""Payments that a bank refuses and books all the same: nothing is sent in their place."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.iso20022 import pain001
from landbridge.providers.iso20022.messages import TransactionStatus
from tests.onramps import make_onramp, retrieve
from tests.payments.bank_files.inbound_files import report, statement, transaction
from tests.payouts import check_books, make_payee, shown
from tests.resolution_team import resolve_by_clock
from tests.sandbox.scenarios.bank_setup import (
    DAY_S,
    DEPOSITS,
    LINES,
    WHY,
    BankScenario,
    paying,
    paying_by_files,
)
from tests.tenants import held

WEEK_S = 7 * DAY_S
BOOKED = "the bank booked a payment that it had refused"
ATTENTION = "its bank has booked the failed payment: resolve that line"


@pytest.fixture
async def scenario(database: Database, tmp_path: Path) -> AsyncIterator[BankScenario]:
    async with paying_by_files(database, tmp_path) as scenario:
        yield scenario


async def test_no_coins_are_refunded_while_the_booking_is_in_review(scenario: BankScenario) -> None:
    org = scenario.org
    user, offramp = await paying(scenario, "us", "wire")
    key = await written(scenario)
    deliver(scenario, refusal=refusal(key), booking=booking(key, 10_000))
    await scenario.pass_time(1)
    assert await scenario.reasons() == [BOOKED]
    for _ in range(2):
        await scenario.pass_time(2 * 3_600)
        assert (await shown(org, offramp))["status"] == "FIAT_FAILED"
    (stuck,) = (await org.get("/v2/stuck"))["stuck"]
    assert (stuck["id"], stuck["attention"]) == (offramp["id"], ATTENTION)
    await resolve_booking(scenario)
    await scenario.pass_time(3_600)
    assert (await shown(org, offramp))["status"] == "CRYPTO_RETURNED"
    assert await held(org, user) == "1000"
    await check_books(org)


async def test_a_booked_payout_is_settled_outside(scenario: BankScenario) -> None:
    org = scenario.org
    user, offramp = await paying(scenario, "us", "wire")
    key = await written(scenario)
    deliver(scenario, refusal=refusal(key), booking=booking(key, 10_000))
    await scenario.pass_time(1)
    resolution = await resolve_by_clock(org, offramp["id"], "SETTLE_OUTSIDE")
    assert resolution["status"] == "COMPLETED"
    await resolve_booking(scenario)
    await scenario.pass_time(DAY_S)
    assert await held(org, user) == "900"
    await check_books(org)


async def test_the_charge_for_a_refused_payout_does_not_delay_its_refund(
    scenario: BankScenario,
) -> None:
    _, offramp = await paying(scenario, "us", "wire")
    key = await written(scenario)
    deliver(scenario, refusal=refusal(key), booking=booking(key, 1_500))
    await scenario.pass_time(1)
    assert len(await scenario.reasons()) == 1
    assert (await shown(scenario.org, offramp))["status"] == "CRYPTO_RETURNED"


async def test_a_deposit_is_not_returned_again_while_the_booking_is_in_review(
    scenario: BankScenario,
) -> None:
    org = scenario.org
    await scenario.pay_in("70", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    await org.post(f"{DEPOSITS}/{deposit['id']}/return", WHY)
    await scenario.pass_time(1)
    key = await written(scenario)
    deliver(scenario, refusal=refusal(key), booking=booking(key, 7_000))
    await scenario.pass_time(WEEK_S)
    await scenario.pass_time(7_200)
    assert len(await scenario.write()) == 1
    await resolve_booking(scenario)
    await scenario.pass_time(60)
    assert len(await scenario.write()) == 2
    await check_books(org)


async def test_an_onramp_that_returns_its_deposit_needs_attention(scenario: BankScenario) -> None:
    org = scenario.org
    onramp = await make_onramp(org, await make_payee(org, funds=None))
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await scenario.pay_in("50", reference=info["reference"], number=number)
    key = await written(scenario)
    deliver(scenario, refusal=refusal(key), booking=booking(key, 5_000))
    await scenario.pass_time(WEEK_S)
    assert len(await scenario.write()) == 1
    (stuck,) = (await org.get("/v2/stuck"))["stuck"]
    assert (stuck["id"], stuck["attention"]) == (onramp["id"], ATTENTION)
    await resolve_booking(scenario)
    await scenario.pass_time(60)
    assert len(await scenario.write()) == 2
    assert (await retrieve(org, onramp))["status"] == "FIAT_FAILED"
    await check_books(org)


async def resolve_booking(scenario: BankScenario) -> None:
    """Resolve the line of the refused payment."""
    found = (await scenario.org.get(LINES))["reviews"]
    (line,) = [each for each in found if each["reason"] == BOOKED]
    await scenario.resolve(line, "HANDLED")


async def written(scenario: BankScenario) -> str:
    """Write the queued payment to the bank; return its reference."""
    (path,) = await scenario.write()
    (transfer,) = pain001.read(path.read_bytes()).transfers
    return transfer.end_to_end_id


def refusal(key: str) -> bytes:
    return report(TransactionStatus(end_to_end_id=key, status="RJCT", reason_codes=("AC04",)))


def booking(key: str, units: int) -> bytes:
    debit = transaction(units, "usd", is_credit=False, end_to_end_id=key)
    return statement(debit, name="S9", currency="usd", number=9)


def deliver(scenario: BankScenario, **files: bytes) -> None:
    """Put files from the bank into the folder."""
    (scenario.folder / "in").mkdir(exist_ok=True)
    for name, content in files.items():
        (scenario.folder / "in" / name).write_bytes(content)
