"""Any definition equals a brute-force computation over the same records, folded or not.

Histories are real payments of every kind, and random records around a change of the clocks in time
zones of their own; the second half of these, and late changes of the first, are not folded.
"""

from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import httpx2
import pytest

from landbridge.app.container import Container
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import Caller
from tests.reporting.metrics.builtin.history import History, fold
from tests.reporting.metrics.custom import brute_force, other_records
from tests.reporting.metrics.custom.definitions import (
    TRANSACTION_VALUES,
    compare,
    generate,
    names_of,
)
from tests.reporting.metrics.custom.random_history import RandomHistory, make_random_history

# Clocks are put back in Berlin on 26 October, in Havana at midnight of 2 November, so that this day
# has two midnights; in Sao Paulo they stay.
ZONES = ("UTC", "Europe/Berlin", "America/Havana", "America/Sao_Paulo")
TRANSACTIONS = names_of("transactions")


async def _caller(history: History) -> Caller:
    offset = await history.org.container.orgs.clock_offset(history.org.org_id)
    return replace(history.org.caller, clock_offset=offset)


@pytest.fixture(scope="module", params=ZONES)
async def random_history(
    request: pytest.FixtureRequest, container: Container, client: httpx2.AsyncClient
) -> RandomHistory:
    return await make_random_history(container, client, zone=str(request.param))


@pytest.fixture(scope="module", params=["UTC", "Asia/Kathmandu"])
async def days(request: pytest.FixtureRequest, history: History) -> dict[str, Any]:
    """Return parameters of all whole days of the history in a zone, whose days are folded."""
    zone, org = str(request.param), history.org
    params = {**history.params("day"), "timeZone": zone}
    if zone == "UTC":
        return params
    await fold(org)
    await org.container.rollup_updater.begin(org.org_id, zone, timedelta(), is_new=False)
    await fold(org)
    today = (await org.container.orgs.now(org.org_id)).astimezone(ZoneInfo(zone)).date()
    return {**params, "createdBefore": today.isoformat()}


@pytest.mark.long
@pytest.mark.parametrize("is_folded", [False, True])
async def test_any_definition_equals_brute_force(history: History, *, is_folded: bool) -> None:
    if is_folded:
        await fold(history.org)
    found = await brute_force.payments(history)
    params = history.params("day")
    cases = generate("transactions", TRANSACTION_VALUES, params, max_examples=150)
    await compare(
        history.org.container.calculator,
        await _caller(history),
        cases,
        lambda definition, params, _: brute_force.expected(found, definition, params, TRANSACTIONS),
        least=30,
    )


@pytest.mark.long
async def test_any_definition_equals_brute_force_on_random_records(
    random_history: RandomHistory,
) -> None:
    history, params = random_history.history, random_history.params
    found = await brute_force.payments(history)
    values = {**TRANSACTION_VALUES, "userIds": random_history.users[:3]}
    cases = generate("transactions", values, params, max_examples=80)
    await compare(
        history.org.container.calculator,
        await _caller(history),
        cases,
        lambda definition, params, _: brute_force.expected(found, definition, params, TRANSACTIONS),
        least=15,
    )


async def test_users_equal_brute_force(random_history: RandomHistory) -> None:
    history, names = random_history.history, names_of("users")
    found = await other_records.users(history)
    assert {each.dims["userType"] for each in found} == {"individual", "business"}
    values = {"userTypes": ["individual", "business"]}
    await compare(
        history.org.container.calculator,
        await _caller(history),
        generate("users", values, random_history.params, max_examples=40),
        lambda definition, params, _: brute_force.expected(found, definition, params, names),
        least=10,
    )


@pytest.mark.long
async def test_deliveries_equal_brute_force(random_history: RandomHistory) -> None:
    history, names = random_history.history, names_of("deliveries")
    endpoints = [new_id(), new_id()]
    random = Random(random_history.zone)  # noqa: S311  times and outcomes, no secrets
    found = await other_records.make_deliveries(history.org, random, endpoints)
    values = {"endpointIds": [str(each) for each in endpoints]}
    await compare(
        history.org.container.calculator,
        await _caller(history),
        generate("deliveries", values, random_history.params, max_examples=60),
        lambda definition, params, _: brute_force.expected(found, definition, params, names),
        least=15,
    )


@pytest.mark.parametrize("is_folded", [False, True])
async def test_approvals_equal_brute_force(
    history: History, days: dict[str, Any], *, is_folded: bool
) -> None:
    if is_folded:
        await fold(history.org)
    found, names = await other_records.approvals(history), names_of("approvals")
    statuses = ["PENDING", "APPROVED", "REJECTED", "EXPIRED"]
    assert {each.dims["approvalStatus"] for each in found} == {*statuses}
    await compare(
        history.org.container.calculator,
        await _caller(history),
        generate("approvals", {"approvalStatuses": statuses}, days, max_examples=60),
        lambda definition, params, _: brute_force.expected(found, definition, params, names),
        least=15,
    )


@pytest.mark.long
@pytest.mark.parametrize("is_folded", [False, True])
async def test_balances_equal_brute_force(
    history: History, days: dict[str, Any], *, is_folded: bool
) -> None:
    if is_folded:
        await fold(history.org)
    found, names = await other_records.balances(history), names_of("balances")
    values = {
        "currencies": ["usdc", "usdt", "usd", "brl"],
        "chains": ["POLYGON", "ETHEREUM", "BANK"],
        "holders": ["customers", "liquidity", "fees", "outside", "in_transit"],
    }
    middle = history.first + (history.after - history.first) // 2
    for after in (history.first, middle):
        params = {**days, "createdAfter": after.isoformat()}
        await compare(
            history.org.container.calculator,
            await _caller(history),
            generate("balances", values, params, max_examples=40),
            lambda definition, params, result: other_records.expected_balances(
                found, definition, params, names, result
            ),
            least=10,
        )
