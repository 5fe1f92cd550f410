"""What the ledger has booked since a run read it is not adjusted a second time."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database, Tx
from tests.payouts import check_books
from tests.reporting.reconciliation.bank_days import PlantingBank, found, keys, planting_bank
from tests.reporting.reconciliation.compared import (
    DIFFERENCES,
    OUTSIDE,
    address_of,
    compared,
    make_reviewers,
    opened_user,
    plant,
    shift_balance,
)
from tests.sandbox.scenarios.bank_setup import paying
from tests.tenants import Tenant

_BODY = {"reason": "nobody claims it", "adjustLedger": True}


@pytest.fixture
async def bank(database: Database, tmp_path: Path) -> AsyncIterator[PlantingBank]:
    async with planting_bank(database, tmp_path) as bank:
        yield bank


async def test_a_run_that_cannot_read_an_adjustment_finds_nothing(org: Tenant) -> None:
    user = await opened_user(org)
    await plant(org, 7, source=OUTSIDE, destination=await address_of(org, user))
    await compared(org)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 61})
    await _adjusts_once(org)


async def test_a_run_that_cannot_read_an_adjusted_position_finds_nothing(org: Tenant) -> None:
    await shift_balance(org, await opened_user(org), 5)
    await _adjusts_once(org)


async def _adjusts_once(org: Tenant) -> None:
    ada, bob = await make_reviewers(org)
    (difference,) = (await compared(org)).differences
    path = f"{DIFFERENCES}/{difference.id}"
    await ada.post(f"{path}/resolve", _BODY)
    async with _held_back(org):
        await bob.post(f"{path}/accept", {})
        offset = await org.container.orgs.clock_offset(org.org_id)
        assert (await org.container.reconciliation.run(org.org_id, offset)).differences == []
    assert (await compared(org)).differences == []
    await check_books(org)


@asynccontextmanager
async def _held_back(org: Tenant) -> AsyncGenerator[None]:
    """Let a transaction run, so that no reader of the log gets beyond it."""
    is_running, is_over = asyncio.Event(), asyncio.Event()

    async def work(tx: Tx) -> None:
        await tx.fetchval("select pg_current_xact_id()::text")
        is_running.set()
        await is_over.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(org.container.database.transact(work))
        await is_running.wait()
        try:
            yield
        finally:
            is_over.set()


async def test_what_a_payment_has_settled_since_is_not_adjusted(bank: PlantingBank) -> None:
    _, created = await paying(bank.scenario, "us", "wire")
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    await bank.state(bank.paid(key, 10_015))
    bob, path = await _explained(bank)
    # The reviewer settles the payment before the second person accepts.
    await bank.scenario.resolve(await bank.scenario.last_line(), "SETTLE")
    await bank.scenario.pass_time(1)
    assert await bob.refused("POST", f"{path}/accept", {}) == "409 RESOURCE_CONFLICT"
    # A run voids the explanation; what is left of the difference can be adjusted.
    (left,) = await found(bank.org)
    assert (left.reference, left.units, left.status) == (created["id"], -15, "OPEN")


async def test_a_line_that_is_of_something_else_by_now_is_not_adjusted(bank: PlantingBank) -> None:
    await bank.state(bank.debit(250))
    bob, path = await _explained(bank)
    line = await bank.scenario.last_line()
    await bank.scenario.resolve(line, "NO_ACTION")
    assert await bob.refused("POST", f"{path}/accept", {}) == "409 RESOURCE_CONFLICT"
    await found(bank.org)
    assert (await bob.post(f"{path}/accept", {}))["resolution"] == "ADJUSTED"
    assert await found(bank.org) == []


async def _explained(bank: PlantingBank) -> tuple[Tenant, str]:
    """Let one person explain the only difference, and the ledger be adjusted to it."""
    await found(bank.org)
    await bank.scenario.pass_time(3_600)
    (difference,) = await found(bank.org)
    ada, bob = await make_reviewers(bank.org)
    path = f"{DIFFERENCES}/{difference.id}"
    await ada.post(f"{path}/resolve", _BODY)
    return bob, path
