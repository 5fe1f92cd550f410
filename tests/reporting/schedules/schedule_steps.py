"""Schedules and their runs, over HTTP."""

from datetime import datetime, timedelta
from typing import Any

from tests.tenants import Tenant

SCHEDULES = "/v2/reporting/schedules"
RUNS = "/v2/reporting/runs"
METRICS = "/v2/reporting/metrics"
ADVANCE = "/v2/sandbox/clock/advance"
NEW_USERS: dict[str, Any] = {"template": "NEW_USERS", "params": {"calculationInterval": "day"}}
DAILY: dict[str, Any] = {"name": "Daily", "every": "day", **NEW_USERS}
DAY_S = 86_400

# For the test that covers all routes.
BODIES = {
    f"POST {SCHEDULES}": DAILY,
    f"POST {SCHEDULES}/{{scheduleId}}": {"templateVersion": 1},
    f"DELETE {SCHEDULES}/{{scheduleId}}": {},
}


async def make_schedule(org: Tenant, **changes: Any) -> dict[str, Any]:
    """Create a schedule; None leaves a field out."""
    body = {name: each for name, each in {**DAILY, **changes}.items() if each is not None}
    answer = await org.send("POST", SCHEDULES, body)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


async def runs(org: Tenant, schedule: str) -> list[dict[str, Any]]:
    """Return the runs of a schedule, newest period first."""
    return (await org.get(f"{SCHEDULES}/{schedule}/runs"))["data"]


async def advance(org: Tenant, by: timedelta) -> None:
    """Advance the clock and make all due reports, as the worker does after an advance."""
    await org.post(ADVANCE, {"seconds": int(by.total_seconds())})
    offset = await org.container.orgs.clock_offset(org.org_id)
    await org.container.report_schedules.run_all({org.org_id: offset})


async def make_run(org: Tenant) -> dict[str, str]:
    """Create a schedule and the run of its first day ahead of time; returns their ids by kind."""
    schedule = await make_schedule(org)
    # An hour after the report is due, and so before the next day ends, at whatever hour it is now.
    due = datetime.fromisoformat(schedule["nextRunAt"])
    offset = due + timedelta(hours=1) - org.container.clock.now()
    await org.container.report_schedules.run_all({org.org_id: offset})
    (run,) = await runs(org, schedule["id"])
    return {"schedule": schedule["id"], "run": run["id"]}
