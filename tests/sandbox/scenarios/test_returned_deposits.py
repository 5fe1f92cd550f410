"""Bounced returns of deposits.

The rails are files in a folder, the bank is the sandbox's; a reviewer resolves its lines.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.payments.bank_files.bank_simulator import BankOutcome
from landbridge.platform.db.pool import Database
from landbridge.providers.iso20022 import pain001
from tests.onramps import check_books, house_units, make_onramp, retrieve
from tests.payouts import make_payee
from tests.sandbox.scenarios.bank_setup import (
    DAY_S,
    DEPOSITS,
    WHY,
    BankScenario,
    paying_by_files,
)

# A payment was made: the time that passed may have included a cut-off.
QUEUED = (["QUEUED"], ["WRITTEN"])


@pytest.fixture
async def scenario(database: Database, tmp_path: Path) -> AsyncIterator[BankScenario]:
    async with paying_by_files(database, tmp_path) as scenario:
        yield scenario


async def sum_of(scenario: BankScenario, role: HouseRole) -> int:
    """Return the balance of a house account in dollars, in cents."""
    return await house_units(scenario.org, role, "usd:BANK")


async def test_bounced_return_of_a_deposit_is_repeated_a_day_later(
    scenario: BankScenario,
) -> None:
    org = scenario.org
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await scenario.pay_in("99", reference=info["reference"], number=number)
    await scenario.write()
    await scenario.answer(BankOutcome.SETTLE)
    await scenario.pass_time(10 * DAY_S)
    found = await retrieve(org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    reason = found["failedReason"]
    (row,) = await scenario.container.database.rows(
        "select record_id from bank_payments where org_id = $1", org.org_id
    )
    line = await scenario.give_back(str(row["record_id"]), fee="9")
    resolved = await scenario.resolve(line, "RETURN")
    assert (resolved["transferId"], resolved["incomingPaymentId"]) == (
        onramp["id"],
        str(row["record_id"]),
    )
    await scenario.pass_time(1)
    found = await retrieve(org, onramp)
    assert (found["status"], found["failedReason"]) == ("FIAT_FAILED", reason)
    assert await sum_of(scenario, HouseRole.IN_TRANSIT) == 9_900
    assert await sum_of(scenario, HouseRole.WRITE_OFFS) == -900
    # Nothing is sent to the same account at once.
    assert await payments(scenario) == ["FAILED"]
    await scenario.pass_time(DAY_S + 120)
    assert (await payments(scenario))[1:] in QUEUED
    files = await scenario.write()
    (transfer,) = pain001.read(files[-1].read_bytes()).transfers
    assert str(transfer.money) == "99"
    await scenario.answer(BankOutcome.SETTLE)
    await scenario.pass_time(10 * DAY_S)
    assert (await retrieve(org, onramp))["status"] == "FIAT_RETURNED"
    assert await scenario.reasons() == []
    await check_books(org)


async def payments(scenario: BankScenario) -> list[str]:
    """Return the statuses of the organisation's payments, oldest first."""
    rows = await scenario.container.database.rows(
        "select status from bank_payments where org_id = $1 order by queued_at, status",
        scenario.org.org_id,
    )
    return [row["status"] for row in rows]


async def test_bounced_return_of_an_unmatched_deposit_is_repeated_a_day_later(
    scenario: BankScenario,
) -> None:
    org = scenario.org
    await scenario.pay_in("70", reference="who knows")
    (deposit,) = (await org.get(DEPOSITS))["reviews"]
    path = f"{DEPOSITS}/{deposit['id']}"
    await org.post(f"{path}/return", WHY)
    await scenario.pass_time(1)
    await scenario.write()
    await scenario.answer(BankOutcome.SETTLE)
    await scenario.pass_time(10 * DAY_S)
    assert (await org.get(path))["status"] == "RETURNED"
    less = await scenario.give_back(deposit["id"], fee="1")
    assert "resolve the line as HANDLED" in await scenario.why_not(less, "RETURN")
    await scenario.resolve(less, "HANDLED")
    line = await scenario.give_back(deposit["id"])
    resolved = await scenario.resolve(line, "RETURN")
    assert (resolved["incomingPaymentId"], resolved["transferId"]) == (deposit["id"], None)
    assert await scenario.resolve(line, "RETURN") == resolved
    await scenario.pass_time(1)
    assert (await org.get(path))["status"] == "RETURNING"
    assert await payments(scenario) == ["FAILED"]
    await scenario.pass_time(DAY_S)
    assert (await payments(scenario))[1:] in QUEUED
    await scenario.write()
    await scenario.answer(BankOutcome.SETTLE)
    await scenario.pass_time(10 * DAY_S)
    assert (await org.get(path))["status"] == "RETURNED"
    # The sender's data is erased eventually.
    last = await scenario.give_back(deposit["id"])
    await scenario.pass_time(91 * DAY_S)
    await scenario.container.incoming_payments.sweep(
        {org.org_id: scenario.container.clock.now(await scenario.offset())}
    )
    assert "the sender of deposit" in await scenario.why_not(last, "RETURN")
