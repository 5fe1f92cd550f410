"""Templates over HTTP: created, versioned, used, deleted and refused."""

import asyncio
import csv
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.http.caller import MemberRole, SignedInMember
from landbridge.reporting.metrics.custom.definition import TEMPLATES_MAX
from landbridge.reporting.metrics.custom.preview import preview_template
from tests.reporting.metrics.custom.templates import (
    COUNT,
    FAILURES,
    TEMPLATES,
    create,
    refusal,
    template_body,
)
from tests.reporting.metrics.saved_metrics import JANUARY, METRICS, save
from tests.reporting.schedules.schedule_steps import SCHEDULES, make_schedule
from tests.tenants import Tenant, fund, make_tenant, make_transfer, make_user

PREVIEW = f"{METRICS}/preview"
SHARE: Mapping[str, Any] = {"subject": "transactions", "measure": {"function": "successShare"}}


async def test_a_template_is_listed_after_ours_in_the_shape_of_the_specification(
    org: Tenant,
) -> None:
    await create(org, "MEXICO_FAILURES", definition=FAILURES, description="Weekly.")
    listed = await org.get(TEMPLATES)
    assert listed["metadata"] == {"count": 11}
    found = listed["data"][-1]
    assert (found["name"], found["displayName"]) == ("MEXICO_FAILURES", "Ours")
    assert (found["supportsBreakdowns"], found["breakdownOptions"]) == (True, ["userType"])
    names = [each["name"] for each in found["params"]]
    assert names == [
        *("createdAfter", "createdBefore", "calculationInterval", "rails", "breakdowns"),
        *("limit", "timeZone"),
    ]
    assert found["params"][2]["options"] == ["week"]
    assert "definition" not in found
    one = (await org.get(f"{TEMPLATES}/MEXICO_FAILURES"))["data"]
    assert one["definition"] == FAILURES
    assert one["summary"] == (
        "Share of failures of transactions (type offramp; bank country MEX), per week, by user type"
    )


async def test_a_definition_is_previewed_before_it_is_saved(org: Tenant) -> None:
    params = {**JANUARY, "calculationInterval": "week", "breakdowns": ["userType"]}
    found = await org.post(PREVIEW, {"definition": FAILURES, "params": params})
    assert found["metadata"]["template"] == "UNSAVED"
    assert {row["userType"] for row in found["data"]} == {"individual", "business"}
    assert {row["value"] for row in found["data"]} == {None}
    assert (await org.get(TEMPLATES))["metadata"]["count"] == 10


async def test_a_change_makes_a_version_and_saved_metrics_stay_on_theirs(org: Tenant) -> None:
    await create(org)
    metric = await save(org, template="OURS")
    assert (metric["template"], metric["templateVersion"]) == ("OURS", 1)
    changed = (await org.post(f"{TEMPLATES}/OURS", {"definition": SHARE}))["data"]
    assert changed["version"] == 2
    assert (await org.post(f"{TEMPLATES}/OURS", {"definition": SHARE}))["data"]["version"] == 2
    first = (await org.get(f"{TEMPLATES}/OURS@1"))["data"]
    assert first["definition"]["measure"] == COUNT["measure"]
    results = await org.get(f"{METRICS}/{metric['id']}/results")
    assert {row["value"] for row in results["data"]} == {0}
    moved = (await org.post(f"{METRICS}/{metric['id']}", {"templateVersion": 2}))["data"]
    assert moved["templateVersion"] == 2
    results = await org.get(f"{METRICS}/{metric['id']}/results")
    assert {row["value"] for row in results["data"]} == {None}
    error = await refusal(org, "POST", f"{METRICS}/{metric['id']}", {"templateVersion": 3})
    assert list(error["details"]) == ["template"]


async def test_a_schedule_stays_on_its_version_until_it_is_moved(org: Tenant) -> None:
    await create(org)
    params = {"calculationInterval": "day"}
    schedule = await make_schedule(org, template="OURS", params=params)
    assert (schedule["template"], schedule["templateVersion"]) == ("OURS", 1)
    await org.post(f"{TEMPLATES}/OURS", {"definition": SHARE})
    assert (await org.get(f"{SCHEDULES}/{schedule['id']}"))["data"]["templateVersion"] == 1
    moved = await org.post(f"{SCHEDULES}/{schedule['id']}", {"templateVersion": 2})
    assert moved["data"]["templateVersion"] == 2
    error = await refusal(org, "POST", f"{SCHEDULES}/{schedule['id']}", {"templateVersion": 9})
    assert list(error["details"]) == ["template"]


async def test_a_used_template_is_not_deleted_and_its_users_are_named(org: Tenant) -> None:
    await create(org)
    metric = await save(org, template="OURS", name="Weekly")
    schedule = await make_schedule(org, template="OURS", name="Monday")
    error = await refusal(org, "DELETE", f"{TEMPLATES}/OURS")
    assert error["code"] == "RESOURCE_CONFLICT"
    assert 'metric "Weekly", schedule "Monday"' in error["message"]
    for path in (f"{METRICS}/{metric['id']}", f"{SCHEDULES}/{schedule['id']}"):
        assert (await org.send("DELETE", path)).status_code == 200
    deleted = await org.send("DELETE", f"{TEMPLATES}/OURS")
    assert deleted.json()["data"]["name"] == "OURS"
    assert (await refusal(org, "GET", f"{TEMPLATES}/OURS"))["code"] == "RESOURCE_NOT_FOUND"
    assert (await create(org))["version"] == 1


@pytest.mark.parametrize("name", ["%00", "OURS%00", "ours", "OURS@1", "A" * 2_000])
async def test_a_name_that_no_template_can_have_is_not_found(org: Tenant, name: str) -> None:
    await create(org)
    for method, body in (("POST", {"displayName": "Mine"}), ("DELETE", None)):
        error = await refusal(org, method, f"{TEMPLATES}/{name}", body)
        assert error["code"] == "RESOURCE_NOT_FOUND"


async def test_another_organisations_template_does_not_exist(org: Tenant) -> None:
    other = await make_tenant(org.container, org.client, name="Other")
    await create(other)
    for method, path, body in (
        ("GET", f"{TEMPLATES}/OURS", None),
        ("POST", f"{TEMPLATES}/OURS", {"displayName": "Mine"}),
        ("DELETE", f"{TEMPLATES}/OURS", None),
    ):
        foreign = await refusal(org, method, path, body)
        missing = await refusal(org, method, path.replace("OURS", "NONE"), body)
        assert foreign == {**missing, "message": missing["message"].replace("NONE", "OURS")}
    body = {"template": "OURS", "params": dict(JANUARY)}
    assert list((await refusal(org, "POST", PREVIEW, body))["details"]) == ["template"]
    assert (await org.get(TEMPLATES))["metadata"]["count"] == 10
    assert (await create(org))["version"] == 1


@pytest.mark.parametrize("name", ["", "ours", "A B", "A__B", "_A", "1A", "A" * 65, "OURS@2", "A\n"])
async def test_a_malformed_name_is_refused(org: Tenant, name: str) -> None:
    error = await refusal(org, "POST", TEMPLATES, template_body(name))
    assert list(error["details"]) == ["name"]


async def test_a_taken_name_is_refused(org: Tenant) -> None:
    await create(org)
    for name in ("OURS", "FEES"):
        body = {**template_body(name), "displayName": "Another"}
        error = await refusal(org, "POST", TEMPLATES, body)
        assert "is taken" in error["details"]["name"]


async def test_the_same_create_again_returns_the_template(org: Tenant) -> None:
    headers = {**org.headers, "Idempotency-Key": "a"}
    first, again = [
        await org.client.post(TEMPLATES, headers=headers, json=template_body("OURS"))
        for _ in range(2)
    ]
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (await org.get(TEMPLATES))["metadata"]["count"] == 11


async def test_concurrent_creates_respect_the_bound(org: Tenant) -> None:
    for at in range(TEMPLATES_MAX - 2):
        await create(org, f"T{at}")
    bodies = [template_body(f"LAST{at}") for at in range(6)]
    answers = await asyncio.gather(*(org.send("POST", TEMPLATES, each) for each in bodies))
    assert sorted(each.status_code for each in answers) == [201, 201, 409, 409, 409, 409]


async def test_an_analyst_previews_and_reads_and_changes_nothing(org: Tenant) -> None:
    await create(org)
    analyst = replace(org.caller, key_id=None, member=SignedInMember(uuid4(), MemberRole.ANALYST))
    templates, calculator = org.container.custom_templates, org.container.calculator
    assert (await templates.get(org.org_id, "OURS")).version == 1
    assert (await calculator.calculate(analyst, "OURS", dict(JANUARY))).rows
    with pytest.raises(RoleNotAllowed):
        await templates.delete(analyst, "OURS")
    with pytest.raises(RoleNotAllowed):
        await templates.update(analyst, "OURS", display_name="x", description=None, definition=None)
    assert preview_template("OURS", None) == "OURS"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"measure": {"function": "sum"}}, "definition.measure.of"),
    ({"measure": {"function": "count", "of": "amountUsd"}}, "definition.measure.of"),
    ({"measure": {"function": "average", "of": "fees"}}, "definition.measure.digits"),
    ({"measure": {"function": "ratio"}}, "definition.measure.left"),
    (
        {
            "measure": {
                "function": "ratio",
                "left": {"function": "count"},
                "right": {"function": "count"},
                "digits": 2,
                "rounding": "halfUp",
            }
        },
        "definition.measure.ifZero",
    ),
    (
        {
            "measure": {
                "function": "difference",
                "left": {"function": "count"},
                "right": {"function": "sum", "of": "amountUsd"},
            }
        },
        "definition.measure.right",
    ),
    ({"subject": "users", "measure": {"function": "median"}}, "definition.measure.function"),
    ({"filters": {"holders": ["customers"]}}, "definition.filters.holders"),
    ({"filters": {"countries": ["XXX"]}}, "definition.filters.countries"),
    (
        {"filters": {"transactionTypes": ["swap"], "countries": ["MEX"]}},
        "definition.filters.countries",
    ),
    (
        {"filters": {"transactionTypes": ["swap"], "transactionStatuses": ["FIAT_RETURNED"]}},
        "definition.filters.transactionStatuses",
    ),
    (
        {"filters": {"outcomes": ["failed"], "transactionStatuses": ["COMPLETED"]}},
        "definition.filters.outcomes",
    ),
    (
        {"filters": {"amountUsd": {"minimum": "2", "maximum": "1"}}},
        "definition.filters.amountUsd.maximum",
    ),
    ({"filters": {"amountUsd": {"minimum": "1e3"}}}, "definition.filters.amountUsd.minimum"),
    ({"filters": {"userIds": ["x"]}}, "definition.filters.userIds"),
    (
        {
            "filters": {"transactionTypes": ["swap"]},
            "measure": {"function": "count", "filters": {"transactionTypes": ["onramp"]}},
        },
        "definition.measure.filters.transactionTypes",
    ),
    ({"breakdowns": ["colour"]}, "definition.breakdowns"),
    ({"params": ["rails", "rails"]}, "definition.params"),
    ({"intervals": []}, "definition.intervals"),
]


@pytest.mark.parametrize(("changes", "member"), BAD)
async def test_a_bad_definition_is_refused_by_member(
    org: Tenant, changes: dict[str, Any], member: str
) -> None:
    body = template_body(definition={**COUNT, **changes})
    error = await refusal(org, "POST", TEMPLATES, body)
    assert member in error["details"], error
    assert error["details"][member].startswith(member)


@pytest.mark.parametrize(
    "definition",
    [
        {"subject": "transactions", "measure": {"function": "product"}},
        {"subject": "transactions", "measure": {"function": "count"}, "sql": "select 1"},
        {"subject": "transactions"},
    ],
)
async def test_an_unknown_measure_or_member_is_refused(
    org: Tenant, definition: dict[str, Any]
) -> None:
    error = await refusal(org, "POST", TEMPLATES, template_body(definition=definition))
    assert any(name.startswith("definition") for name in error["details"]), error


@pytest.mark.parametrize(
    "definition",
    [
        {"subject": "users", "measure": {"function": "count"}, "breakdowns": ["userType"]},
        {
            "subject": "approvals",
            "measure": {"function": "median"},
            "breakdowns": ["approvalStatus"],
        },
        {"subject": "deliveries", "measure": {"function": "successShare"}},
        {
            "subject": "balances",
            "measure": {"function": "sum", "of": "amountUsd"},
            "breakdowns": ["currency"],
        },
    ],
)
async def test_every_subject_is_calculated(org: Tenant, definition: dict[str, Any]) -> None:
    breakdowns = definition.get("breakdowns", [])
    params = {**JANUARY, "calculationInterval": "month", "breakdowns": breakdowns}
    found = await org.post(PREVIEW, {"definition": definition, "params": params})
    assert found["data"]
    assert all("value" in row for row in found["data"])


async def test_parameters_that_a_template_does_not_offer_are_refused(org: Tenant) -> None:
    await create(org, definition=FAILURES)
    params = {**JANUARY, "calculationInterval": "day", "countries": ["USA"], "breakdowns": ["rail"]}
    error = await refusal(org, "POST", PREVIEW, {"template": "OURS", "params": params})
    assert set(error["details"]) == {"calculationInterval", "countries", "breakdowns"}


async def test_a_download_has_the_transactions_behind_the_number(still_org: Tenant) -> None:
    payer, payee = await make_user(still_org), await make_user(still_org)
    await fund(still_org, payer, "100")
    made = await make_transfer(still_org, payer, payee)
    today = (await still_org.container.orgs.now(still_org.org_id)).date().isoformat()
    params = {
        "createdAfter": today,
        "createdBefore": f"{today}T23:59:59Z",
        "calculationInterval": "day",
    }
    for chain, expected in (("POLYGON", [made["id"]]), ("ETHEREUM", [])):
        definition = {**COUNT, "filters": {"chains": [chain]}}
        path = f"{PREVIEW}/download?content=transactions"
        answer = await still_org.send("POST", path, {"definition": definition, "params": params})
        rows = list(csv.DictReader(answer.text.splitlines()))
        assert [row["id"] for row in rows] == expected
