"""Payouts that one reviewer ends by a line of a statement, and what its amount proves.

The rails are files in a folder, the bank is the sandbox's.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from tests.payments.bank_files.inbound_files import back, debit, statement
from tests.payouts import shown
from tests.sandbox.scenarios.bank_setup import BankScenario, only_key, paying, paying_by_files
from tests.tenants import held


@pytest.fixture
async def scenario(database: Database, tmp_path: Path) -> AsyncIterator[BankScenario]:
    async with paying_by_files(database, tmp_path) as scenario:
        yield scenario


@pytest.mark.parametrize("is_debit", [False, True])
async def test_one_reviewer_fails_no_payout_that_the_bank_pays(
    scenario: BankScenario, *, is_debit: bool
) -> None:
    user, created = await paying(scenario, "us", "wire")
    await scenario.write()
    key = await only_key(scenario)
    entry = debit(key, 10_250, "usd") if is_debit else back(key, 1, "usd", return_code=None)
    scenario.put(statement(entry, currency="usd"))
    await scenario.pass_time(1)
    line = await scenario.last_line()
    assert (await scenario.why_not(line, "FAIL")).startswith("409 payment")
    assert is_debit or "does not settle" in await scenario.why_not(line, "SETTLE")
    await scenario.pass_time(1)
    assert await status_of(scenario, created["id"]) == "FIAT_PENDING"
    assert await held(scenario.org, user) == "900"


@pytest.mark.parametrize(
    ("units", "resolution", "why"),
    [
        (10_001, "FAIL", "100.01 usd came back by line"),
        (1, "SETTLE", "they differ by more than the fee of a bank"),
        (4_999, "SETTLE", "they differ by more than the fee of a bank"),
        (20_001, "SETTLE", "they differ by more than the fee of a bank"),
    ],
)
async def test_a_line_of_another_amount_ends_no_payout(
    scenario: BankScenario, units: int, resolution: str, why: str
) -> None:
    _, created = await paying(scenario, "us", "wire")
    await scenario.write()
    key = await only_key(scenario)
    make = back if resolution == "FAIL" else debit
    scenario.put(statement(make(key, units, "usd"), currency="usd"))
    await scenario.pass_time(1)
    line = await scenario.last_line()
    assert why in await scenario.why_not(line, resolution)
    await scenario.pass_time(1)
    assert await status_of(scenario, created["id"]) == "FIAT_PENDING"


async def status_of(scenario: BankScenario, offramp: str) -> str:
    return (await shown(scenario.org, {"id": offramp}))["status"]
