"""Saved metrics over HTTP: created, listed, read, changed, calculated and deleted."""

import re
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.developers.events.names import events_of
from landbridge.platform.core.clock import FrozenClock
from tests.reporting.metrics.saved_metrics import (
    JANUARY,
    METRICS,
    changes_of,
    details,
    metric_body,
    save,
)
from tests.tenants import Tenant, make_user, refusal

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")


async def test_a_metric_is_saved_and_not_calculated(org: Tenant) -> None:
    params = {**JANUARY, "transactionTypes": ["offramp", "onramp"], "limit": 7}
    answer = await org.send("POST", METRICS, metric_body(params, name=" Ramps of January "))
    assert answer.status_code == 201
    assert list(answer.json()) == ["status", "data", "metadata"]
    made = answer.json()["data"]
    assert answer.json() == {"status": "success", "data": made, "metadata": {}}
    assert list(made) == [
        *("id", "profileId", "template", "name", "params", "createdAt", "updatedAt")
    ]
    assert UUID(made["id"]).version == 7
    assert made["profileId"] == str(org.org_id)
    assert made["template"] == "TRANSACTION_COUNT"
    assert made["name"] == "Ramps of January"
    assert made["params"] == params
    assert MOMENT.fullmatch(made["createdAt"])
    assert made["createdAt"] == made["updatedAt"]
    assert await org.get(f"{METRICS}/{made['id']}") == answer.json()


async def test_metrics_are_listed_newest_first(org: Tenant) -> None:
    nothing = await org.get(METRICS)
    metadata = {"count": 0, "profileId": str(org.org_id)}
    assert nothing == {"status": "success", "data": [], "metadata": metadata}
    made = [await save(org, name=name) for name in ("B", "A", "B")]
    await org.post(f"{METRICS}/{made[0]['id']}", {"name": "C"})
    page = await org.get(METRICS)
    assert [each["name"] for each in page["data"]] == ["B", "A", "C"]
    assert [each["id"] for each in page["data"]] == [each["id"] for each in made[::-1]]
    assert page["metadata"] == metadata | {"count": 3}


async def test_an_update_is_merged_into_the_stored_params(org: Tenant) -> None:
    made = await save(org, {**JANUARY, "limit": 3})
    path = f"{METRICS}/{made['id']}"
    merged = (await org.post(path, {"params": {"calculationInterval": "month"}}))["data"]
    assert merged["params"] == {**made["params"], "calculationInterval": "month"}
    assert (merged["name"], merged["createdAt"]) == (made["name"], made["createdAt"])
    assert merged["updatedAt"] > made["updatedAt"]
    both = (await org.post(path, {"name": "Z", "params": {"breakdowns": ["userId"]}}))["data"]
    assert both["params"] == {**merged["params"], "breakdowns": ["userId"]}
    assert both["name"] == "Z"
    # Null and empty parameters count as absent.
    bare = (await org.post(path, {"params": {"limit": None, "breakdowns": []}}))["data"]
    assert bare["params"] == {**JANUARY, "calculationInterval": "month"}
    assert (await org.get(path))["data"] == bare


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": None, "params": None},
        {"params": {}},
        {"name": "A"},
        {"params": {"createdAfter": "2025-01-01"}},
        {"template": "NEW_USERS", "id": "x"},
        {"params": {"unknown": [1], "limit": None}},
    ],
)
async def test_an_update_that_changes_nothing_does_nothing(
    org: Tenant, body: dict[str, Any]
) -> None:
    made = await save(org)
    assert (await org.post(f"{METRICS}/{made['id']}", body))["data"] == made
    assert len(await changes_of(org, made["id"])) == 1


async def test_delete_returns_the_metric_and_removes_it(org: Tenant) -> None:
    kept, made = await save(org), await save(org, {**JANUARY, "limit": 2}, name="Gone")
    path = f"{METRICS}/{made['id']}"
    answer = await org.send("DELETE", path)
    assert answer.status_code == 200
    assert answer.json() == {"status": "success", "data": made, "metadata": {}}
    assert [each["id"] for each in (await org.get(METRICS))["data"]] == [kept["id"]]
    for method, at in (("GET", path), ("GET", f"{path}/results"), ("DELETE", path)):
        assert await org.refused(method, at) == "404 RESOURCE_NOT_FOUND"
    assert await org.refused("POST", path, {"name": "B"}) == "404 RESOURCE_NOT_FOUND"


async def test_a_preview_is_calculated_and_not_saved(org: Tenant) -> None:
    answer = await org.post(f"{METRICS}/preview", metric_body(template="NEW_USERS"))
    assert answer["status"] == "success"
    assert len(answer["data"]) == 31
    assert answer["data"][0] == {"periodStart": "2025-01-31", "newUserCount": 0}
    assert answer["metadata"]["template"] == "NEW_USERS"
    assert "metric" not in answer["metadata"]
    assert (await org.get(METRICS))["metadata"]["count"] == 0


async def test_results_are_those_of_a_preview_under_the_metrics_name(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org, today = still_org, still_clock.at.date()
    await make_user(org)
    params = {
        "createdAfter": today.replace(month=1, day=1).isoformat(),
        "createdBefore": f"{today}T23:59:59Z",
        "calculationInterval": "year",
    }
    request = {"template": "NEW_USERS", "params": {**params, "limit": None}}
    preview = await org.post(f"{METRICS}/preview", request)
    made = await save(org, params, template="NEW_USERS", name="This year")
    results = await org.get(f"{METRICS}/{made['id']}/results")
    assert results["metadata"].pop("metric") == "This year"
    assert results == preview
    assert results["data"][0]["newUserCount"] == 1


async def test_all_invalid_fields_are_reported_at_once(org: Tenant) -> None:
    body = metric_body({"createdAfter": "x", "limit": 0}, name=" ")
    wrong = await details(org, "POST", METRICS, body)
    assert set(wrong) == {"name", "createdAfter", "createdBefore", "calculationInterval", "limit"}
    made = await save(org)
    path = f"{METRICS}/{made['id']}"
    change = {"name": "", "params": {"calculationInterval": None, "createdAfter": "2025-03-01"}}
    wrong = await details(org, "POST", path, change)
    assert set(wrong) == {"name", "calculationInterval", "createdBefore"}
    assert (await org.get(path))["data"] == made
    wrong = await details(org, "POST", METRICS, metric_body(template="NONE"))
    assert set(wrong) == {"template"}


async def test_a_metric_with_too_many_rows_is_not_saved(org: Tenant) -> None:
    params = {
        "createdAfter": "2024-01-01",
        "createdBefore": "2025-01-01",
        "calculationInterval": "day",
        "breakdowns": ["transactionType", "transactionStatus"],
    }
    assert set(await details(org, "POST", METRICS, metric_body(params))) == {"breakdowns"}
    made = await save(org, {**params, "calculationInterval": "week"})
    path, change = f"{METRICS}/{made['id']}", {"params": {"calculationInterval": "day"}}
    assert set(await details(org, "POST", path, change)) == {"breakdowns"}


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "a\nb", "\u202eabc", "\u200b"])
async def test_names_are_one_line_of_1_to_100_characters(org: Tenant, name: str) -> None:
    assert set(await details(org, "POST", METRICS, metric_body(name=name))) == {"name"}
    made = await save(org, name="x" * 100)
    path = f"{METRICS}/{made['id']}"
    assert set(await details(org, "POST", path, {"name": name})) == {"name"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "A", "params": dict(JANUARY)}, "template"),
        ({"template": "NEW_USERS", "params": dict(JANUARY)}, "name"),
        ({"template": "NEW_USERS", "name": "A"}, "params"),
        ({"template": "NEW_USERS", "name": "A", "params": []}, "params"),
        ({"template": "NEW_USERS", "name": 7, "params": {}}, "name"),
        ({"template": ["NEW_USERS"], "name": "A", "params": {}}, "template"),
    ],
)
async def test_a_body_of_another_shape_is_refused(
    org: Tenant, body: dict[str, Any], field: str
) -> None:
    assert set(await details(org, "POST", METRICS, body)) == {field}


@pytest.mark.parametrize("metric", ["x", "preview2", "1" * 36, "{" + "0" * 36 + "}"])
async def test_a_malformed_id_is_a_bad_request(org: Tenant, metric: str) -> None:
    path = f"{METRICS}/{metric}"
    for method, at in (("GET", path), ("GET", f"{path}/results"), ("DELETE", path)):
        assert await details(org, method, at) == {"metricId": "metricId must be a UUID"}
    assert set(await details(org, "POST", path, {"name": "A"})) == {"metricId"}


async def test_unknown_and_foreign_ids_are_not_found(org: Tenant, other_org: Tenant) -> None:
    theirs = await save(other_org)
    for metric in (theirs["id"], str(uuid4())):
        path = f"{METRICS}/{metric}"
        for method, at, body in (
            ("GET", path, None),
            ("GET", f"{path}/results", None),
            ("POST", path, {"name": "B"}),
            ("DELETE", path, None),
        ):
            answer = await org.send(method, at, body)
            assert refusal(answer) == "404 RESOURCE_NOT_FOUND"
            assert answer.json()["error"]["message"] == f"there is no metric {metric}"
    assert (await other_org.get(f"{METRICS}/{theirs['id']}"))["data"] == theirs


async def test_previews_and_changes_ignore_an_idempotency_key(org: Tenant) -> None:
    made = await save(org)
    headers = {**org.headers, "Idempotency-Key": "a"}
    preview, change = f"{METRICS}/preview", f"{METRICS}/{made['id']}"
    unnamed = {name: value for name, value in metric_body().items() if name != "name"}
    for path, body in ((preview, unnamed), (change, {"name": "Another"})) * 2:
        answer = await org.client.post(path, headers=headers, json=body)
        assert answer.status_code == 200, answer.text
    assert len(await changes_of(org, made["id"])) == 2


async def test_changes_are_logged_without_the_name_and_send_no_event(org: Tenant) -> None:
    made = await save(org, name="Ada Lovelace")
    path = f"{METRICS}/{made['id']}"
    await org.post(path, {"name": "Charles", "params": {"limit": 9}})
    await org.send("DELETE", path)
    changes = await changes_of(org, made["id"])
    assert [(each.kind, each.change_type, each.seq) for each in changes] == [
        ("REPORT.METRIC", what, place)
        for place, what in enumerate(("create", "update", "delete"), start=1)
    ]
    assert [each.facts["changed"] for each in changes] == [
        ["name", *JANUARY],
        ["name", "limit"],
        [],
    ]
    assert {each.facts["template"] for each in changes} == {"TRANSACTION_COUNT"}
    assert {each.actor for each in changes} == {org.caller.actor}
    assert "Ada" not in str(changes)
    assert all(events_of(each) == () for each in changes)


async def test_the_request_log_has_no_metric_names(org: Tenant) -> None:
    answer = await org.send("POST", METRICS, metric_body(name="Ada Lovelace"))
    await org.container.request_log.flush()
    logged = await org.get(f"/v2/request-log/{answer.headers['x-request-id']}")
    assert logged["requestBody"]["name"] == "[redacted]"
    assert "Ada" not in str(logged)
