"""Schedules and what comes of them, over HTTP."""

from datetime import timedelta
from typing import Any

from tests.tenants import Tenant

SCHEDULES = "/v2/reporting/schedules"
RUNS = "/v2/reporting/runs"
METRICS = "/v2/reporting/metrics"
ADVANCE = "/v2/sandbox/clock/advance"
NEW_USERS: dict[str, Any] = {"template": "NEW_USERS", "params": {"calculationInterval": "day"}}
DAILY: dict[str, Any] = {"name": "Daily", "every": "day", **NEW_USERS}
DAY_S = 86_400

# For the test that walks all routes.
BODIES = {
    f"POST {SCHEDULES}": DAILY,
    f"DELETE {SCHEDULES}/{{scheduleId}}": {},
}


async def make_schedule(org: Tenant, **changes: Any) -> dict[str, Any]:
    """A new schedule; None leaves a member out."""
    body = {name: each for name, each in {**DAILY, **changes}.items() if each is not None}
    answer = await org.send("POST", SCHEDULES, body)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


async def runs(org: Tenant, schedule: str) -> list[dict[str, Any]]:
    """What came of a schedule, the newest period first."""
    return (await org.get(f"{SCHEDULES}/{schedule}/runs"))["data"]


async def advance(org: Tenant, by: timedelta) -> None:
    """Let time pass, and make all that is due, as the worker does with what advancing leaves."""
    await org.post(ADVANCE, {"seconds": int(by.total_seconds())})
    offset = await org.house.orgs.clock_offset(org.org_id)
    await org.house.report_schedules.run_all({org.org_id: offset})


async def make_run(org: Tenant) -> dict[str, str]:
    """The ids of a schedule and of a run of it, by kind; it is made ahead of time."""
    schedule = (await make_schedule(org))["id"]
    offset = org.caller.clock_offset + timedelta(hours=25)
    await org.house.report_schedules.run_all({org.org_id: offset})
    return {"schedule": schedule, "run": (await runs(org, schedule))[0]["id"]}
