"""Scenarios of scheduled reports: one that succeeds, and one whose metric was deleted."""

import asyncio
from collections.abc import Mapping
from typing import Any

from landbridge.sandbox.scenarios.client import ScenarioClient, ScenarioFailed
from landbridge.sandbox.scenarios.people import Scenario, ScenarioResult

_REPORTING = "/v2/reporting"
_METRIC: Mapping[str, Any] = {
    "template": "NEW_USERS",
    "params": {"calculationInterval": "day"},
}
# Long enough for a day to end.
_A_DAY_S = 25 * 3600
# How often, and with what pause, the report is polled for.
_POLLS_MAX, _PAUSE_S = 40, 0.5


async def _report_is_created(client: ScenarioClient) -> ScenarioResult:
    return await _after_a_day(client, await _schedule(client, _METRIC))


async def _report_fails(client: ScenarioClient) -> ScenarioResult:
    dates = {"createdAfter": "2025-01-01", "createdBefore": "2025-01-02"}
    body = {**_METRIC, "name": "Scenario", "params": {**_METRIC["params"], **dates}}
    metric = str((await client.post(f"{_REPORTING}/metrics", body))["data"]["id"])
    schedule = await _schedule(client, {"metricId": metric})
    await client.delete(f"{_REPORTING}/metrics/{metric}")
    return await _after_a_day(client, schedule)


async def _schedule(client: ScenarioClient, source: Mapping[str, Any]) -> str:
    """Return the path of a new schedule of a daily report."""
    body = {**source, "name": "Scenario", "every": "day"}
    created = await client.post(f"{_REPORTING}/schedules", body)
    return f"{_REPORTING}/schedules/{created['data']['id']}"


async def _after_a_day(client: ScenarioClient, schedule: str) -> ScenarioResult:
    """Return the run of a schedule, and delete the schedule so that no more reports are created.

    The worker may create the report while the clock advances.
    """
    await client.pass_time(_A_DAY_S)
    for _ in range(_POLLS_MAX):
        runs = (await client.get(f"{schedule}/runs"))["data"]
        if runs:
            await client.delete(schedule)
            return ScenarioResult(None, str(runs[0]["id"]))
        await asyncio.sleep(_PAUSE_S)
    await client.delete(schedule)
    raise ScenarioFailed("a day has passed, but its report was not created")


# By the event that each produces.
SCENARIOS: Mapping[str, Scenario] = {
    "REPORT.READY": _report_is_created,
    "REPORT.FAILED": _report_fails,
}
