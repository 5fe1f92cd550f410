"""Reports as pages: charts, saved ones, files, statements, schedules; by role."""

import json
from typing import Any

import pytest

from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.tenants import Tenant, fund, held, make_user

TEMPLATES = (
    *("GROSS_VOLUME", "TRANSACTION_COUNT", "NEW_USERS", "SWAP_VOLUME", "FEES", "OUTCOMES"),
    *("COMPLETION_TIME", "APPROVAL_TURNAROUND", "WEBHOOK_HEALTH", "BALANCES"),
)
HOSTILE = "<script>alert(1)</script>"


async def test_everybody_sees_what_can_be_measured(org: Tenant) -> None:
    for role in Role:
        page = await (await visit(org, role)).see("/dashboard/reports")
        assert [f"/dashboard/reports/explore?template={each}" in page.links() for each in TEMPLATES]
        assert "Nothing is saved yet" in page.text


@pytest.mark.parametrize("template", TEMPLATES)
async def test_each_template_is_drawn_by_each_breakdown(org: Tenant, template: str) -> None:
    await make_user(org)
    somebody = await visit(org, Role.ANALYST)
    told = (await org.get(f"/v2/reporting/templates/{template}"))["data"]
    for breakdown in ["", *told["breakdownOptions"]]:
        page = await somebody.see(
            "/dashboard/reports/explore", template=template, breakdowns=breakdown
        )
        assert told["displayName"] in page.title
        assert "All numbers" in page.text


async def test_the_chart_has_a_table_of_the_same_numbers(org: Tenant) -> None:
    for _ in range(3):
        await make_user(org)
    page = await (await visit(org)).see("/dashboard/reports/explore", template="NEW_USERS")
    assert "New Users: 3" in page.answer.text
    assert page.tree.xpath('//details[@class="numbers"]//td/text()')[0] == "3"


@pytest.mark.parametrize(
    "query",
    [
        {"createdAfter": "yesterday"},
        {"createdAfter": "2026-13-01"},
        {"until": "9998-12-30"},
        {"until": "soon"},
        {"calculationInterval": "hour"},
        {"breakdowns": "colour"},
        {"limit": "x"},
        {"timeZone": "Mars/Olympus"},
        {"userIds": HOSTILE},
    ],
)
async def test_what_is_wrong_is_said_above_the_form(org: Tenant, query: dict[str, str]) -> None:
    page = await (await visit(org)).open("/dashboard/reports/explore", **query)
    assert page.status == 422, page.text
    assert page.tree.xpath('//*[@role="alert"]')
    assert HOSTILE not in page.answer.text
    name, value = next(iter(query.items()))
    if name in {"createdAfter", "until"} and value.isascii():
        assert page.value(name) == value


async def test_a_report_that_is_not_there_is_not_found(org: Tenant) -> None:
    somebody = await visit(org)
    for path in (
        "/dashboard/reports/explore?template=NOTHING",
        "/dashboard/reports/saved/01a20146-cd55-76a3-8870-37bfb017078a",
        "/dashboard/reports/schedules/01a20146-cd55-76a3-8870-37bfb017078a",
    ):
        assert (await somebody.open(path)).status == 404, path


async def test_a_report_is_saved_renamed_downloaded_and_deleted(org: Tenant) -> None:
    somebody = await visit(org, Role.MEMBER)
    asked = {"template": "TRANSACTION_COUNT", "breakdowns": "transactionStatus"}
    place = await somebody.done("/dashboard/reports/save", {**asked, "name": HOSTILE})
    page = await somebody.see(place)
    assert HOSTILE in page.text
    assert HOSTILE not in page.answer.text
    assert (await somebody.send(place, {"name": ""})).status == 422
    assert await somebody.done(place, {"name": "Monthly"}) == place
    assert "Monthly" in (await somebody.see("/dashboard/reports")).text
    file = await somebody.see(f"{place}/download", format="csv", content="results")
    assert file.answer.text.startswith("periodStart,transactionStatus,transactionCount")
    assert "attachment" in file.answer.headers["content-disposition"]
    assert await somebody.done(f"{place}/delete") == "/dashboard/reports"
    assert (await somebody.open(place)).status == 404


async def test_nobody_sees_what_others_saved(org: Tenant, other_org: Tenant) -> None:
    somebody, stranger = await visit(org), await visit(other_org)
    place = await somebody.done(
        "/dashboard/reports/save", {"template": "NEW_USERS", "name": "Ours"}
    )
    assert (await stranger.open(place)).status == 404
    assert (await stranger.send(place, {"name": "Theirs"})).status == 404
    assert (await stranger.open(f"{place}/download")).status == 404
    assert (await stranger.send(f"{place}/delete")).status == 404


async def test_an_analyst_saves_nothing(org: Tenant) -> None:
    place = await (await visit(org)).done(
        "/dashboard/reports/save", {"template": "NEW_USERS", "name": "Ours"}
    )
    analyst = await visit(org, Role.ANALYST)
    assert "Save it" not in (await analyst.see("/dashboard/reports/explore")).text
    told = {"template": "NEW_USERS", "name": "Mine"}
    assert (await analyst.send("/dashboard/reports/save", told)).status == 403
    assert (await analyst.send(place, {"name": "Mine"})).status == 403
    assert (await analyst.send(f"{place}/delete")).status == 403
    assert (await analyst.send("/dashboard/reports/schedules", {"name": "Mine"})).status == 403
    assert (await analyst.see(f"{place}/download")).answer.text.startswith("periodStart")


async def test_what_is_shown_can_be_downloaded(org: Tenant) -> None:
    somebody = await visit(org, Role.ANALYST)
    for form in ("csv", "parquet"):
        for content in ("results", "transactions"):
            file = await somebody.see(
                *("/dashboard/reports/download",),
                template="TRANSACTION_COUNT",
                format=form,
                content=content,
            )
            assert "attachment" in file.answer.headers["content-disposition"]
    refused = await somebody.open("/dashboard/reports/download", format="pdf")
    assert refused.status == 400
    assert refused.answer.headers["content-type"].startswith("text/plain")
    assert "format" in refused.answer.text


async def test_statements_are_shown_and_printed(org: Tenant) -> None:
    user = await make_user(org)
    await fund(org, user, "25")
    assert await held(org, user)
    somebody = await visit(org, Role.ANALYST)
    assert "Whose statement" in (await somebody.see("/dashboard/reports/statements")).text
    day = (await org.house.orgs.now(org.org_id)).date()
    page = await somebody.see("/dashboard/reports/statements", userId=user)
    assert page.status == 200
    now = {"userId": user, "createdAfter": str(day.replace(day=1)), "timeZone": "UTC"}
    file = await somebody.see("/dashboard/reports/statements/file", **now, format="pdf")
    assert file.answer.content.startswith(b"%PDF")
    wrong = await somebody.open("/dashboard/reports/statements", userId="nobody")
    assert wrong.status == 422
    assert wrong.value("userId") == "nobody"


async def test_a_schedule_is_made_looked_at_and_ended(org: Tenant) -> None:
    somebody = await visit(org, Role.MEMBER)
    saved = await somebody.done(
        "/dashboard/reports/save", {"template": "NEW_USERS", "name": "Users"}
    )
    told: dict[str, Any] = {
        "name": "Monthly users",
        "metricId": saved.rpartition("/")[2],
        "every": "month",
        "at": "06:00",
        "timeZone": "UTC",
        "format": "csv",
    }
    again = await somebody.send("/dashboard/reports/schedules", {**told, "at": "25:00"})
    assert again.status == 422
    assert again.value("name") == "Monthly users"
    place = await somebody.done("/dashboard/reports/schedules", told)
    assert "Nothing yet" in (await somebody.see(place)).text
    assert "Monthly users" in (await somebody.see("/dashboard/reports/schedules")).text
    assert await somebody.done(f"{place}/delete") == "/dashboard/reports/schedules"
    assert json.dumps(await org.get("/v2/reporting/schedules")).count("Monthly users") == 0
