"""Days close with what banks have stated, and accounts are compared as their owners say."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.payments.bank_files.bank_simulator import BankOutcome
from landbridge.platform.db.pool import Database
from landbridge.reporting.reconciliation.bank_days import next_banking_day
from landbridge.reporting.reconciliation.model import DifferenceKind
from landbridge.reporting.reconciliation.sources import ReconSourceName
from tests.onramps import check_books, make_onramp, retrieve
from tests.payments.bank_files.builders import USD, funding
from tests.payouts import make_payee, shown
from tests.reporting.reconciliation.bank_days import (
    PlantingBank,
    all_found,
    bank_position,
    found,
    keys,
)
from tests.reporting.reconciliation.closed_days import CLOSES, amounts, confirm, org_today
from tests.reporting.reconciliation.compared import compared, make_reviewers
from tests.sandbox.scenarios.bank_setup import (
    DAY_S,
    DEPOSITS,
    WHY,
    BankScenario,
    paying,
    paying_by_files,
)
from tests.tenants import Tenant, sentence


@pytest.fixture
async def scenario(database: Database, tmp_path: Path) -> AsyncIterator[BankScenario]:
    async with paying_by_files(database, tmp_path) as scenario:
        yield scenario


async def test_days_of_payouts_deposits_and_returns_leave_no_difference(
    bank: PlantingBank,
) -> None:
    org, scenario = bank.org, bank.scenario
    euros = PlantingBank(scenario, "eur")
    await euros.state()
    await compared(org)
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await bank.state(
        bank.credit(10_000, remittance=info["reference"], our_account=number),
        bank.credit(7_000, remittance="who knows"),
    )
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert [each.units for each in await found(org)] == [7_000]
    # A deposit that nobody expects goes back by wire.
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    await org.post(f"{DEPOSITS}/{deposit['id']}/return", WHY)
    payouts = [
        await paying(scenario, "us", "wire"),
        await paying(scenario, "us", "ach"),
        await paying(scenario, "us", "ach"),
        await paying(scenario, "europeGlobalNetwork", "sepa", "eur", Rail.GLOBAL_NETWORK),
    ]
    await scenario.write()
    assert [each.reference for each in await found(org)] == [deposit["id"]]
    returned, wired, *_, by_sepa = await keys(org)
    await bank.state(bank.paid(returned, 7_000), bank.paid(wired), bank.debit(20_000))
    await euros.state(euros.paid(by_sepa, (await sums(bank))[by_sepa]))
    assert await scenario.reasons() == []
    for _ in range(12):
        await scenario.pass_time(DAY_S)
        for each in (bank, euros):
            await each.state()
        await compared(org)
    for _, created in payouts:
        assert (await shown(org, created))["status"] == "COMPLETED"
    # One payout comes back, and its record is reopened.
    await bank.state(bank.back(wired))
    await scenario.resolve(await scenario.last_line(), "RETURN")
    assert await found(org) == []
    # Each one has ended by itself, before anyone had to look at it.
    ended = [(each.resolution, each.assignee_id) for each in await all_found(org)]
    assert set(ended) == {("MATCHED", None)}
    assert bank_position(await compared(org)).ledger_units == 10_000 - 20_000
    await check_books(org)


@pytest.mark.parametrize("outcome", [BankOutcome.SETTLE, BankOutcome.RETURN])
async def test_the_sandbox_bank_books_ach_as_a_bank_does(
    scenario: BankScenario, outcome: BankOutcome
) -> None:
    org = scenario.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await scenario.pay_in("100", reference=info["reference"], number=number)
    await compared(org)
    payouts = [await paying(scenario, "us", "ach") for _ in range(2)]
    await scenario.write()
    await scenario.answer(outcome)
    for _ in range(8):
        await compared(org)
        await scenario.pass_time(DAY_S)
    expected = "COMPLETED" if outcome is BankOutcome.SETTLE else "CRYPTO_RETURNED"
    for _, created in payouts:
        assert (await shown(org, created))["status"] == expected
    assert [each.kind for each in await found(org)] == [DifferenceKind.SOURCE_SILENT]
    paid = -20_000 if outcome is BankOutcome.SETTLE else 0
    position = bank_position(await compared(org))
    assert (position.ledger_units, position.unexplained_units - position.accepted_units) == (
        10_000 + paid,
        0,
    )
    assert await scenario.reasons() == []


async def sums(bank: PlantingBank) -> dict[UUID, int]:
    rows = await bank.org.container.database.rows(
        "select key, units from bank_payments where org_id = $1", bank.org.org_id
    )
    return {row["key"]: int(row["units"]) for row in rows}


async def test_two_runs_at_once_count_each_line_once(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    await bank.state(bank.paid(key), *(bank.debit(each) for each in range(1, 9)))
    status, *_ = await asyncio.gather(*(compared(bank.org) for _ in range(5)))
    assert (await shown(bank.org, created))["status"] == "COMPLETED"
    differences = [each for each in status.differences if each.source.is_bank]
    assert sorted(each.units for each in differences) == list(range(-8, 0))
    position = bank_position(await compared(bank.org))
    assert position.unexplained_units == position.accepted_units == 100_000_000


async def test_a_day_closes_once_a_statement_covers_it(bank: PlantingBank) -> None:
    org, (first, second) = bank.org, await make_reviewers(bank.org)
    await until_statements_are_daily(bank)
    await bank.scenario.pass_time(DAY_S)
    day = await org_today(org)
    await bank.scenario.pass_time(DAY_S)
    await compared(org)
    answer = await first.send("POST", CLOSES, {"day": str(day)})
    assert (answer.status_code, sentence(answer)) == (
        409,
        f"{day} is incomplete: no statement that covers it was compared yet of BANK_USD",
    )
    await bank.state()
    await compared(org)
    signed = await first.post(CLOSES, {"day": str(day)})
    assert amounts(signed, "outsideAmount") == {"BANK_USD usd": "1000000"}
    assert amounts(signed, "acceptedAmount") == {"BANK_USD usd": "1000000"}
    await confirm(second, signed)


async def test_an_account_that_is_not_compared_holds_no_close_up(bank: PlantingBank) -> None:
    org, (first, _) = bank.org, await make_reviewers(bank.org)
    await bank.scenario.pass_time(8 * DAY_S)
    assert [each.kind for each in await found(org)] == [DifferenceKind.SOURCE_SILENT]
    account = funding(USD, bank.scenario.folder)
    await org.container.funding_accounts.set(
        org.org_id,
        msgspec.structs.replace(account, reconciled=False),
        actor="test",
        at=org.container.clock.stamp(await bank.scenario.offset()),
    )
    day = await org_today(org)
    await bank.scenario.pass_time(DAY_S)
    assert await found(org) == []
    await first.post(CLOSES, {"day": str(day)})


async def test_an_account_whose_statements_ended_long_ago_is_no_source(
    scenario: BankScenario,
) -> None:
    bank = PlantingBank(scenario)
    await bank.state()
    await scenario.pass_time(8 * DAY_S)
    status = await compared(scenario.org)
    assert [each for each in status.sources if each.source.is_bank] == []
    await bank.state()
    status = await compared(scenario.org)
    assert ReconSourceName.BANK_USD in {each.source for each in status.sources}


async def test_an_organisation_without_files_has_chains_alone(org: Tenant) -> None:
    status = await compared(org)
    assert [each for each in status.sources if each.source.is_bank] == []


async def until_statements_are_daily(bank: PlantingBank) -> None:
    """Pass days until the bank books something on the next day, too."""
    while next_banking_day("usd", today := await org_today(bank.org)) != today + timedelta(days=1):
        await bank.wait_days(1)
    await compared(bank.org)
