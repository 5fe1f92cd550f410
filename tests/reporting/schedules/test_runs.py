"""Runs of schedules: files, events, and failed reports."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.db.pool import Database
from landbridge.reporting.schedules import service
from landbridge.reporting.schedules.model import KEPT, MISSED_MAX
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.sandbox import service as sandbox
from tests.change_log import placed
from tests.reporting.schedules.schedule_steps import (
    ADVANCE,
    DAY_S,
    METRICS,
    NEW_USERS,
    RUNS,
    SCHEDULES,
    advance,
    make_run,
    make_schedule,
    runs,
)
from tests.tenants import Tenant, make_user, refusal

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


async def set_zone(org: Tenant, zone: str) -> None:
    """Build the days of this zone, as the worker would."""
    await org.container.database.rows(
        "insert into report_builds (org_id, build, zone, rolled_up_to, is_current, created_at)"
        " values ($1, 1, $2, '0', true, $3)",
        *(org.org_id, zone, org.container.clock.now()),
    )


async def events(org: Tenant, pattern: str = "REPORT.*") -> list[dict[str, Any]]:
    """Return the report events, oldest first."""
    await placed(org.container.database)
    return (await org.get("/v2/events", eventType=pattern, limit=100))["records"]


async def test_a_report_is_made_announced_and_downloaded(noon_org: Tenant) -> None:
    await make_user(noon_org)
    schedule = await make_schedule(noon_org, name="New users")
    assert await runs(noon_org, schedule["id"]) == []
    await advance(noon_org, DAY + HOUR)
    run = (await runs(noon_org, schedule["id"]))[-1]
    period = datetime.fromisoformat(schedule["nextPeriodStart"])
    made_at = datetime.fromisoformat(run["createdAt"])
    assert run == {
        "id": run["id"],
        "scheduleId": schedule["id"],
        "name": "New users",
        "status": "READY",
        "reason": None,
        "periodStart": period.date().isoformat(),
        "periodEnd": (period + DAY).date().isoformat(),
        "timeZone": "UTC",
        "format": "csv",
        "fileName": run["fileName"],
        "bytes": run["bytes"],
        "dueAt": schedule["nextRunAt"],
        "createdAt": run["createdAt"],
        "expiresAt": (made_at + KEPT).isoformat(timespec="microseconds"),
        "downloadUrl": f"http://landbridge.test{RUNS}/{run['id']}/download",
    }
    assert await noon_org.get(f"{RUNS}/{run['id']}") == {
        "status": "success",
        "data": run,
        "metadata": {},
    }
    (event, *_) = await events(noon_org)
    values = [event[name] for name in ("eventType", "eventCategory", "eventAction", "objectId")]
    assert values == ["REPORT.READY", "REPORT", "READY", run["id"]]
    assert event["data"] == run
    # The link works unchanged, with the key.
    answer = await noon_org.client.get(event["data"]["downloadUrl"], headers=noon_org.headers)
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"] == f'attachment; filename="{run["fileName"]}"'
    assert len(answer.content) == run["bytes"]
    header, row = answer.text.splitlines()
    assert header == "periodStart,newUserCount"
    assert row == f"{run['periodStart']},1"
    assert (await noon_org.client.get(event["data"]["downloadUrl"])).status_code == 401


async def test_a_report_equals_a_preview_of_its_period(noon_org: Tenant) -> None:
    for _ in range(2):
        await make_user(noon_org)
        await advance(noon_org, DAY)
    params = {"calculationInterval": "day"}
    schedule = await make_schedule(noon_org, every="month", params=params)
    await advance(noon_org, 32 * DAY)
    (run, *_) = await runs(noon_org, schedule["id"])
    dates = {"createdAfter": run["periodStart"], "createdBefore": run["periodEnd"]}
    body = {"template": "NEW_USERS", "params": {**params, **dates}}
    rows = (await noon_org.post(f"{METRICS}/preview", body))["data"]
    answer = await noon_org.send("GET", f"{RUNS}/{run['id']}/download")
    lines = answer.text.splitlines()[1:]
    assert lines == [f"{row['periodStart']},{row['newUserCount']}" for row in rows]


async def test_a_report_as_parquet(noon_org: Tenant) -> None:
    schedule = await make_schedule(noon_org, format="parquet")
    await advance(noon_org, DAY + HOUR)
    (run, *_) = await runs(noon_org, schedule["id"])
    answer = await noon_org.send("GET", f"{RUNS}/{run['id']}/download")
    assert run["fileName"].endswith(".parquet")
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    assert answer.content[:4] == answer.content[-4:] == b"PAR1"


async def test_a_report_is_made_at_its_time_and_never_before_its_period_is_settled(
    noon_org: Tenant, noon: FrozenClock
) -> None:
    created = [await make_schedule(noon_org, at=at) for at in ("00:00", "06:00")]
    midnight = noon.at.replace(hour=0, minute=0) + DAY
    counts: list[list[int]] = []
    for at in ("00:00:59", "00:01:00", "05:59:59", "06:00:00", "23:00:00"):
        noon.at = datetime.combine(
            midnight.date(), datetime.fromisoformat(f"2026-01-01T{at}").time(), UTC
        )
        await noon_org.container.report_schedules.run_all({noon_org.org_id: timedelta()})
        counts.append([len(await runs(noon_org, each["id"])) for each in created])
    assert counts == [[0, 0], [1, 0], [1, 0], [1, 1], [1, 1]]
    (run,) = await runs(noon_org, created[0]["id"])
    assert run["dueAt"] == midnight.isoformat(timespec="microseconds")


async def test_each_period_that_was_missed_is_made(noon_org: Tenant) -> None:
    schedule = await make_schedule(noon_org)
    await advance(noon_org, 5 * DAY)
    found = await runs(noon_org, schedule["id"])
    first = datetime.fromisoformat(schedule["nextPeriodStart"]).date()
    assert [run["periodStart"] for run in found] == [
        (first + index * DAY).isoformat() for index in reversed(range(len(found)))
    ]
    assert len(found) == 5
    assert [each["objectId"] for each in await events(noon_org)] == [run["id"] for run in found][
        ::-1
    ]


async def test_after_a_long_outage_only_the_last_reports_are_made(noon_org: Tenant) -> None:
    schedule = await make_schedule(noon_org)
    await advance(noon_org, 400 * DAY)
    found = await runs(noon_org, schedule["id"])
    assert len(found) == MISSED_MAX
    shown = (await noon_org.get(f"{SCHEDULES}/{schedule['id']}"))["data"]
    last = datetime.fromisoformat(shown["nextPeriodStart"]) - DAY
    assert found[0]["periodStart"] == last.date().isoformat()
    await advance(noon_org, DAY)
    assert len(await runs(noon_org, schedule["id"])) == MISSED_MAX + 1


async def test_weeks_and_months_of_the_organisations_zone(
    noon_org: Tenant, noon: FrozenClock
) -> None:
    await set_zone(noon_org, "Europe/Berlin")
    year = noon.at.year + 1
    # Clocks are put forward on the last Sunday of March.
    noon.at = datetime(year, 3, 10, 12, tzinfo=UTC)
    plan = {"timeZone": "Europe/Berlin", "at": "02:30"}
    weekly = await make_schedule(noon_org, every="week", **plan)
    monthly = await make_schedule(noon_org, every="month", **plan)
    noon.at = datetime(year, 4, 1, 12, tzinfo=UTC)
    await noon_org.container.report_schedules.run_all({noon_org.org_id: timedelta()})
    (month,) = await runs(noon_org, monthly["id"])
    assert (month["periodStart"], month["periodEnd"]) == (f"{year}-03-01", f"{year}-04-01")
    assert month["dueAt"] == f"{year}-04-01T00:30:00.000000+00:00"
    weeks = await runs(noon_org, weekly["id"])
    assert all(datetime.fromisoformat(each["periodStart"]).weekday() == 0 for each in weeks)
    assert [each["periodEnd"] for each in weeks[1:]] == [each["periodStart"] for each in weeks[:-1]]
    assert {each["timeZone"] for each in (month, *weeks)} == {"Europe/Berlin"}
    assert {each["status"] for each in (month, *weeks)} == {"READY"}
    lines = (await noon_org.send("GET", f"{RUNS}/{month['id']}/download")).text.splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == [
        f"{year}-03-{day:02}" for day in range(31, 0, -1)
    ]


async def make_failing(org: Tenant) -> tuple[str, str]:
    """Create a schedule of a deleted metric; returns both ids."""
    dates = {"createdAfter": "2025-01-01", "createdBefore": "2025-02-01"}
    body = {**NEW_USERS, "name": "Saved", "params": {**NEW_USERS["params"], **dates}}
    metric = (await org.send("POST", METRICS, body)).json()["data"]["id"]
    schedule = await make_schedule(org, metricId=metric, template=None, params=None)
    await org.send("DELETE", f"{METRICS}/{metric}")
    return schedule["id"], metric


async def test_a_report_that_cannot_be_made_is_recorded_as_failed(noon_org: Tenant) -> None:
    schedule, metric = await make_failing(noon_org)
    await advance(noon_org, DAY + HOUR)
    run = (await runs(noon_org, schedule))[-1]
    nothing = {"fileName": None, "bytes": None, "downloadUrl": None}
    assert {name: run[name] for name in nothing} == nothing
    assert (run["status"], run["reason"]) == ("FAILED", f"there is no metric {metric}")
    (event, *_) = await events(noon_org)
    assert (event["eventType"], event["data"]) == ("REPORT.FAILED", run)
    answer = await noon_org.send("GET", f"{RUNS}/{run['id']}/download")
    assert answer.status_code == 404
    assert metric in answer.json()["error"]["message"]
    # The next one is tried all the same.
    await advance(noon_org, DAY)
    assert len(await runs(noon_org, schedule)) >= 2


async def test_a_report_uses_the_saved_metric_at_run_time(noon_org: Tenant) -> None:
    dates = {"createdAfter": "2025-01-01", "createdBefore": "2025-02-01"}
    params = {"calculationInterval": "day", "breakdowns": ["transactionType"], **dates}
    body = {"name": "Saved", "template": "TRANSACTION_COUNT", "params": params}
    metric = (await noon_org.send("POST", METRICS, body)).json()["data"]["id"]
    schedule = await make_schedule(noon_org, metricId=metric, template=None, params=None)
    await noon_org.post(f"{METRICS}/{metric}", {"params": {"breakdowns": ["transactionStatus"]}})
    await advance(noon_org, DAY + HOUR)
    (run, *_) = await runs(noon_org, schedule["id"])
    answer = await noon_org.send("GET", f"{RUNS}/{run['id']}/download")
    assert answer.text.splitlines()[0] == "periodStart,transactionStatus,transactionCount"


async def test_a_report_waits_while_a_zone_is_being_built(noon_org: Tenant) -> None:
    await set_zone(noon_org, "Asia/Kolkata")
    schedule = await make_schedule(noon_org, timeZone="Asia/Kolkata")
    build = "update report_builds set zone = $2 where org_id = $1 and build = 1"
    await noon_org.container.database.rows(build, noon_org.org_id, "UTC")
    await noon_org.container.database.rows(
        "insert into report_builds (org_id, build, zone, rolled_up_to, is_current, created_at)"
        " values ($1, 2, 'Asia/Kolkata', '0', false, $2)",
        *(noon_org.org_id, noon_org.container.clock.now()),
    )
    await advance(noon_org, DAY + HOUR)
    assert await runs(noon_org, schedule["id"]) == []
    await noon_org.container.database.rows(
        "update report_builds set is_current = (build = 2) where org_id = $1 and build = 1",
        noon_org.org_id,
    )
    await noon_org.container.database.rows(
        "update report_builds set is_current = true where org_id = $1 and build = 2",
        noon_org.org_id,
    )
    # Tried again a minute later, and half that long after the first of several that wait.
    await advance(noon_org, timedelta(minutes=2))
    assert {run["status"] for run in await runs(noon_org, schedule["id"])} == {"READY"}


async def test_a_replaced_zone_fails_the_report(noon_org: Tenant) -> None:
    await set_zone(noon_org, "Asia/Kolkata")
    schedule = await make_schedule(noon_org, timeZone="Asia/Kolkata")
    zone = "update report_builds set zone = 'Europe/Berlin' where org_id = $1"
    await noon_org.container.database.rows(zone, noon_org.org_id)
    await advance(noon_org, DAY + HOUR)
    (run, *_) = await runs(noon_org, schedule["id"])
    assert run["status"] == "FAILED"
    assert "timeZone must be UTC or Europe/Berlin" in run["reason"]


async def test_runs_of_a_deleted_schedule_stay(noon_org: Tenant) -> None:
    schedule = await make_schedule(noon_org)
    await advance(noon_org, DAY + HOUR)
    (run, *_) = await runs(noon_org, schedule["id"])
    await noon_org.send("DELETE", f"{SCHEDULES}/{schedule['id']}")
    await advance(noon_org, 2 * DAY)
    assert (await noon_org.get(f"{RUNS}/{run['id']}"))["data"] == run
    assert (await noon_org.send("GET", f"{RUNS}/{run['id']}/download")).status_code == 200
    assert len(await events(noon_org)) <= 2


async def test_runs_are_swept_after_three_months(noon_org: Tenant) -> None:
    schedule = await make_schedule(noon_org)
    await advance(noon_org, DAY + HOUR)
    old = (await runs(noon_org, schedule["id"]))[-1]
    await advance(noon_org, KEPT - HOUR)
    schedules = noon_org.container.report_schedules
    offsets = {noon_org.org_id: await noon_org.container.orgs.clock_offset(noon_org.org_id)}
    assert not await schedules.sweep(offsets)
    assert (await noon_org.get(f"{RUNS}/{old['id']}"))["data"] == old
    before = await runs(noon_org, schedule["id"])
    offsets = {noon_org.org_id: offsets[noon_org.org_id] + 2 * HOUR}
    assert not await schedules.sweep(offsets)
    assert await runs(noon_org, schedule["id"]) == [run for run in before if run["id"] != old["id"]]
    assert await noon_org.refused("GET", f"{RUNS}/{old['id']}") == "404 RESOURCE_NOT_FOUND"


async def test_another_organisations_run_is_unknown(noon_org: Tenant, other_org: Tenant) -> None:
    schedule = await make_schedule(other_org)
    await advance(other_org, DAY + HOUR)
    (run, *_) = await runs(other_org, schedule["id"])
    for path in (f"{RUNS}/{run['id']}", f"{RUNS}/{run['id']}/download", f"{RUNS}/none"):
        assert await noon_org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    schedules: ReportSchedules = noon_org.container.report_schedules
    with pytest.raises(ResourceNotFound):
        await schedules.file(noon_org.org_id, UUID(run["id"]))
    assert await schedules.find_runs(noon_org.org_id, [UUID(run["id"])]) == {}


async def test_an_empty_report_has_a_header(noon_org: Tenant, database: Database) -> None:
    params = {"calculationInterval": "day", "breakdowns": ["userId"]}
    schedule = await make_schedule(noon_org, template="TRANSACTION_COUNT", params=params)
    await advance(noon_org, timedelta(seconds=DAY_S) + HOUR)
    (run, *_) = await runs(noon_org, schedule["id"])
    answer = await noon_org.send("GET", f"{RUNS}/{run['id']}/download")
    assert answer.text == "periodStart,userId,transactionCount\r\n"
    (row,) = await database.rows(
        "select length(content) as bytes from report_runs where org_id = $1 and id = $2",
        *(noon_org.org_id, run["id"]),
    )
    assert row["bytes"] == run["bytes"]


async def test_a_whole_limit_with_a_point_is_stored_as_an_integer(noon_org: Tenant) -> None:
    params = {"calculationInterval": "day", "limit": 10.0, "timeZone": "UTC", "unknown": 1}
    schedule = await make_schedule(noon_org, params=params)
    assert schedule["params"] == {"calculationInterval": "day", "limit": 10.0}
    listed = (await noon_org.get(f"{SCHEDULES}/{schedule['id']}"))["data"]
    assert listed == schedule
    await advance(noon_org, DAY + HOUR)
    assert {run["status"] for run in await runs(noon_org, schedule["id"])} == {"READY"}


async def test_a_clock_advance_leaves_slow_reports_to_the_worker(
    noon_org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = await make_schedule(noon_org)
    monkeypatch.setattr(sandbox, "_REPORTS_S", 0.0)
    await noon_org.post(ADVANCE, {"seconds": 5 * DAY_S})
    assert await runs(noon_org, schedule["id"]) == []
    # Duration of one run on a busy machine.
    monkeypatch.setattr(sandbox, "_REPORTS_S", 60.0)
    await noon_org.post(ADVANCE, {"seconds": 60})
    assert await runs(noon_org, schedule["id"])


async def test_the_oldest_files_are_removed_at_the_size_bound(
    noon_org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = await make_schedule(noon_org)
    await advance(noon_org, DAY + HOUR)
    old = (await runs(noon_org, schedule["id"]))[-1]
    # Room for two files.
    monkeypatch.setattr(service, "KEPT_BYTES_MAX", 2 * old["bytes"] + 1)
    await advance(noon_org, 3 * DAY)
    found = await runs(noon_org, schedule["id"])
    assert len(found) >= 4
    assert all(run["downloadUrl"] for run in found[:2])
    assert not any(run["downloadUrl"] for run in found[2:])
    deleted = found[-1]
    assert deleted == {**old, "downloadUrl": None}
    assert await noon_org.get(f"{RUNS}/{deleted['id']}") == {
        "status": "success",
        "data": deleted,
        "metadata": {},
    }
    answer = await noon_org.send("GET", f"{RUNS}/{deleted['id']}/download")
    assert refusal(answer) == "404 RESOURCE_NOT_FOUND"
    assert "newer ones took its room" in answer.json()["error"]["message"]
    assert (await noon_org.client.get(found[0]["downloadUrl"], headers=noon_org.headers)).is_success


async def test_files_are_attachments_that_browsers_do_not_cache(noon_org: Tenant) -> None:
    answer = await noon_org.send("GET", f"{RUNS}/{(await make_run(noon_org))['run']}/download")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
