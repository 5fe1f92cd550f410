"""Schedules over HTTP: created, read, deleted, refused."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.reporting.schedules.model import SCHEDULES_MAX
from tests.reporting.schedules.schedule_steps import DAILY, METRICS, SCHEDULES, make_schedule
from tests.tenants import Tenant, refusal


async def faults(org: Tenant, **changes: Any) -> dict[str, str]:
    """Return the problems of a schedule by parameter."""
    body = {name: each for name, each in {**DAILY, **changes}.items() if each is not None}
    answer = await org.send("POST", SCHEDULES, body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR", answer.text
    return answer.json()["error"]["details"]


async def make_metric(org: Tenant) -> str:
    """Save a metric and return its id."""
    params = {"createdAfter": "2025-01-01", "createdBefore": "2025-02-01"}
    body = {
        "name": "Saved",
        "template": "NEW_USERS",
        "params": {**params, "calculationInterval": "day"},
    }
    return (await org.send("POST", METRICS, body)).json()["data"]["id"]


async def test_schedule_shows_its_next_report(noon_org: Tenant, noon: FrozenClock) -> None:
    today = noon.at.date()
    created = await make_schedule(noon_org, name=" Daily ", at="12:30")
    assert created == {
        "id": created["id"],
        "createdAt": created["createdAt"],
        "name": "Daily",
        "metricId": None,
        "template": "NEW_USERS",
        "params": {"calculationInterval": "day"},
        "every": "day",
        "at": "12:30",
        "timeZone": "UTC",
        "format": "csv",
        "nextPeriodStart": (today - timedelta(days=1)).isoformat(),
        "nextRunAt": f"{today}T12:30:00.000000+00:00",
        "recipientIds": [],
    }
    shown = await noon_org.get(f"{SCHEDULES}/{created['id']}")
    assert shown == {"status": "success", "data": created, "metadata": {}}


async def test_schedules_are_listed_newest_first(org: Tenant) -> None:
    names = ["a", "b", "c"]
    created = [await make_schedule(org, name=name) for name in names]
    listed = await org.get(SCHEDULES)
    assert listed == {"status": "success", "data": created[::-1], "metadata": {"count": 3}}


async def test_delete_returns_the_schedule_and_removes_it(org: Tenant, database: Database) -> None:
    created = await make_schedule(org)
    path = f"{SCHEDULES}/{created['id']}"
    answer = await org.send("DELETE", path)
    assert answer.json() == {"status": "success", "data": created, "metadata": {}}
    for method, at in (("GET", path), ("DELETE", path), ("GET", f"{path}/runs")):
        assert await org.refused(method, at) == "404 RESOURCE_NOT_FOUND"
    rows = await database.rows(
        "select kind, change_type, actor from changes where org_id = $1"
        " and object_id = $2 order by seq",
        *(org.org_id, created["id"]),
    )
    assert [(row["kind"], row["change_type"], row["actor"]) for row in rows] == [
        ("REPORT.SCHEDULE", change_type, org.caller.actor) for change_type in ("create", "delete")
    ]


async def test_dates_and_zone_in_params_are_ignored(org: Tenant) -> None:
    params = {"calculationInterval": "week", "createdAfter": "never", "timeZone": "Mars"}
    created = await make_schedule(org, params=params)
    assert created["params"] == {"calculationInterval": "week"}


async def test_a_schedule_of_a_saved_metric(org: Tenant, other_org: Tenant) -> None:
    metric = await make_metric(org)
    body: dict[str, Any] = {"template": None, "params": None}
    created = await make_schedule(org, metricId=metric, **body)
    assert (created["metricId"], created["template"], created["params"]) == (metric, None, None)
    assert (await faults(org, metricId=metric)).keys() == {"template", "params"}
    theirs = await make_metric(other_org)
    for unknown in (theirs, str(uuid4())):
        body = {"name": "a", "every": "day", "metricId": unknown}
        answer = await org.send("POST", SCHEDULES, body)
        assert refusal(answer) == "404 RESOURCE_NOT_FOUND"
        assert unknown in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"name": None}, {"name"}),
        ({"name": " "}, {"name"}),
        ({"name": "a" * 101}, {"name"}),
        ({"every": None}, {"every"}),
        ({"every": "hour"}, {"every"}),
        ({"at": "24:00"}, {"at"}),
        ({"at": "8:00"}, {"at"}),
        ({"at": "08:00:00"}, {"at"}),
        ({"format": "pdf"}, {"format"}),
        ({"timeZone": "Europe/Berlin"}, {"timeZone"}),
        ({"timeZone": "../UTC"}, {"timeZone"}),
        ({"template": None}, {"template"}),
        ({"template": "NO_SUCH"}, {"template"}),
        ({"params": None}, {"calculationInterval"}),
        ({"params": {"calculationInterval": "hour"}}, {"calculationInterval"}),
        ({"params": {"calculationInterval": "day", "breakdowns": ["userId"]}}, {"breakdowns"}),
        ({"params": {"calculationInterval": "day", "limit": 0}}, {"limit"}),
        (
            {
                "template": "OUTCOMES",
                "params": {"calculationInterval": "day", "reasons": ["a" * 100] * 1_000},
            },
            {"params"},
        ),
        ({"at": "06:00\n"}, {"at"}),
        ({"params": []}, {"params"}),
        ({"metricId": "a"}, {"metricId"}),
        # All problems are reported at once.
        (
            {"name": "\u200b", "timeZone": "Mars", "params": {"limit": "many"}},
            {"name", "timeZone", "calculationInterval", "limit"},
        ),
    ],
)
async def test_invalid_parameters_are_reported_by_name(
    org: Tenant, changes: dict[str, Any], named: set[str]
) -> None:
    assert (await faults(org, **changes)).keys() == named
    assert not (await org.get(SCHEDULES))["data"]


async def test_concurrent_creates_respect_the_bound(org: Tenant) -> None:
    for _ in range(SCHEDULES_MAX - 2):
        await make_schedule(org)
    answers = await asyncio.gather(*(org.send("POST", SCHEDULES, DAILY) for _ in range(8)))
    assert sorted(each.status_code for each in answers) == [201] * 2 + [409] * 6
    assert (await org.get(SCHEDULES))["metadata"] == {"count": SCHEDULES_MAX}


async def test_another_organisations_schedule_is_unknown(org: Tenant, other_org: Tenant) -> None:
    theirs = (await make_schedule(other_org))["id"]
    for method in ("GET", "DELETE"):
        assert await org.refused(method, f"{SCHEDULES}/{theirs}") == "404 RESOURCE_NOT_FOUND"
        assert await org.refused(method, f"{SCHEDULES}/none") == "404 RESOURCE_NOT_FOUND"
    assert (await other_org.get(SCHEDULES))["metadata"] == {"count": 1}
