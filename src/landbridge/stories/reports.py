"""The stories of scheduled reports: one that is made, and one whose metric is gone."""

import asyncio
from collections.abc import Mapping
from typing import Any

from landbridge.stories.client import Client, StoryFailed
from landbridge.stories.people import Story, Told

_REPORTING = "/v2/reporting"
_METRIC: Mapping[str, Any] = {
    "template": "NEW_USERS",
    "params": {"calculationInterval": "day"},
}
# By then there is a day that has ended since.
_A_DAY_S = 25 * 3600
# How often it is looked for what the worker makes, and with what pause.
_LOOKS_MAX, _PAUSE_S = 40, 0.5


async def _report_is_made(client: Client) -> Told:
    return await _after_a_day(client, await _schedule(client, _METRIC))


async def _report_fails(client: Client) -> Told:
    dates = {"createdAfter": "2025-01-01", "createdBefore": "2025-01-02"}
    body = {**_METRIC, "name": "Story", "params": {**_METRIC["params"], **dates}}
    metric = str((await client.post(f"{_REPORTING}/metrics", body))["data"]["id"])
    schedule = await _schedule(client, {"metricId": metric})
    await client.delete(f"{_REPORTING}/metrics/{metric}")
    return await _after_a_day(client, schedule)


async def _schedule(client: Client, asked: Mapping[str, Any]) -> str:
    """The path of a new schedule of a daily report."""
    body = {**asked, "name": "Story", "every": "day"}
    made = await client.post(f"{_REPORTING}/schedules", body)
    return f"{_REPORTING}/schedules/{made['data']['id']}"


async def _after_a_day(client: Client, schedule: str) -> Told:
    """What came of a schedule, which is gone then: a story has no more reports made after it.

    The worker may be making the report while time passes.
    """
    await client.pass_time(_A_DAY_S)
    for _ in range(_LOOKS_MAX):
        runs = (await client.get(f"{schedule}/runs"))["data"]
        if runs:
            await client.delete(schedule)
            return Told(None, str(runs[0]["id"]))
        await asyncio.sleep(_PAUSE_S)
    await client.delete(schedule)
    raise StoryFailed("a day has passed, but its report was not made")


# By the event that each leads to.
STORIES: Mapping[str, Story] = {
    "REPORT.READY": _report_is_made,
    "REPORT.FAILED": _report_fails,
}
