"""Report pages by role: charts, saved reports, files, statements, schedules."""

import json
from datetime import timedelta
from typing import Any

import pytest

from landbridge.dashboard.reports.names import TITLES
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.reporting.metrics.custom.templates import FAILURES, create
from tests.reporting.statements.ledger_entries import until_now
from tests.tenants import Tenant, fund, held, make_user

TEMPLATES = (
    *("GROSS_VOLUME", "TRANSACTION_COUNT", "NEW_USERS", "SWAP_VOLUME", "FEES", "OUTCOMES"),
    *("COMPLETION_TIME", "APPROVAL_TURNAROUND", "WEBHOOK_HEALTH", "BALANCES"),
)
UNKNOWN = "01a20146-cd55-76a3-8870-37bfb017078a"
HOSTILE = "<script>alert(1)</script>"


async def test_every_role_sees_report_templates(org: Tenant) -> None:
    for role in MemberRole:
        page = await (await visit(org, role)).load("/dashboard/reports")
        assert [f"/dashboard/reports/explore?template={each}" in page.links() for each in TEMPLATES]
        assert "No saved reports yet" in page.text


async def test_a_card_names_its_measure_only_where_its_title_does_not(still_org: Tenant) -> None:
    page = await (await visit(still_org)).load("/dashboard/reports")
    cards = {
        str(each.xpath("string(h3)")).strip(): each.xpath("p[@class='soft']/text()")
        for each in page.tree.xpath("//li[@class='card']")
    }
    assert "Gross volume" not in cards["Gross volume"]
    assert "Success rate" in cards["Outcomes"]
    assert not [title for title, texts in cards.items() if title in texts]


async def test_custom_template_is_listed_and_drawn(org: Tenant) -> None:
    await create(org, "MEXICO_FAILURES", definition=FAILURES, displayName="Failures in Mexico")
    visitor = await visit(org, MemberRole.ANALYST)
    listed = await visitor.load("/dashboard/reports")
    assert "Failures in Mexico" in listed.text
    page = await visitor.load(
        "/dashboard/reports/explore", template="MEXICO_FAILURES", breakdowns="userType"
    )
    assert page.tree.xpath('//select[@name="calculationInterval"]/option/@value') == ["week"]
    assert "User type" in page.text
    assert "All data" in page.text


@pytest.mark.parametrize("template", TEMPLATES)
async def test_each_template_is_drawn_by_each_breakdown(org: Tenant, template: str) -> None:
    await make_user(org)
    visitor = await visit(org, MemberRole.ANALYST)
    definition = (await org.get(f"/v2/reporting/templates/{template}"))["data"]
    for breakdown in ["", *definition["breakdownOptions"]]:
        page = await visitor.load(
            "/dashboard/reports/explore", template=template, breakdowns=breakdown
        )
        assert TITLES[template] in page.title
        assert "All data" in page.text


async def test_chart_has_a_table_of_the_same_numbers(still_org: Tenant) -> None:
    for _ in range(3):
        await make_user(still_org)
    page = await (await visit(still_org)).load("/dashboard/reports/explore", template="NEW_USERS")
    assert page.tree.xpath("//*[@class='hit']/@data-tip")[-1].endswith(" · New users 3")
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
async def test_invalid_report_shows_errors_above_the_form(
    org: Tenant, query: dict[str, str]
) -> None:
    page = await (await visit(org)).open("/dashboard/reports/explore", **query)
    assert page.status == 422, page.text
    assert page.tree.xpath('//*[@role="alert"]')
    assert HOSTILE not in page.response.text
    name, value = next(iter(query.items()))
    if name in {"createdAfter", "until"} and value.isascii():
        assert page.value(name) == value


async def test_unknown_report_is_not_found(org: Tenant) -> None:
    visitor = await visit(org)
    for path in (
        "/dashboard/reports/explore?template=NOTHING",
        "/dashboard/reports/saved/01a20146-cd55-76a3-8870-37bfb017078a",
        "/dashboard/reports/schedules/01a20146-cd55-76a3-8870-37bfb017078a",
    ):
        assert (await visitor.open(path)).status == 404, path


async def test_report_is_saved_renamed_downloaded_and_deleted(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.MEMBER)
    query = {"template": "TRANSACTION_COUNT", "breakdowns": "transactionStatus"}
    path = await visitor.submit("/dashboard/reports/save", {**query, "name": HOSTILE})
    page = await visitor.load(path)
    assert HOSTILE in page.text
    assert HOSTILE not in page.response.text
    assert (await visitor.send(path, {"name": ""})).status == 422
    assert await visitor.submit(path, {"name": "Monthly"}) == path
    assert "Monthly" in (await visitor.load("/dashboard/reports")).text
    file = await visitor.load(f"{path}/download", format="csv", content="results")
    assert file.response.text.startswith("periodStart,transactionStatus,transactionCount")
    assert "attachment" in file.response.headers["content-disposition"]
    assert await visitor.submit(f"{path}/delete") == "/dashboard/reports"
    assert (await visitor.open(path)).status == 404


async def test_saved_reports_of_other_organisations_are_not_found(
    org: Tenant, other_org: Tenant
) -> None:
    visitor, outsider = await visit(org), await visit(other_org)
    path = await visitor.submit(
        "/dashboard/reports/save", {"template": "NEW_USERS", "name": "Ours"}
    )
    assert (await outsider.open(path)).status == 404
    assert (await outsider.send(path, {"name": "Theirs"})).status == 404
    assert (await outsider.open(f"{path}/download")).status == 404
    assert (await outsider.send(f"{path}/delete")).status == 404


async def test_analyst_cannot_save_reports(org: Tenant) -> None:
    path = await (await visit(org)).submit(
        "/dashboard/reports/save", {"template": "NEW_USERS", "name": "Ours"}
    )
    analyst = await visit(org, MemberRole.ANALYST)
    assert "Save report" not in (await analyst.load("/dashboard/reports/explore")).text
    fields = {"template": "NEW_USERS", "name": "Mine"}
    assert (await analyst.send("/dashboard/reports/save", fields)).status == 403
    assert (await analyst.send(path, {"name": "Mine"})).status == 403
    assert (await analyst.send(f"{path}/delete")).status == 403
    assert (await analyst.send("/dashboard/reports/schedules", {"name": "Mine"})).status == 403
    assert (await analyst.load(f"{path}/download")).response.text.startswith("periodStart")


async def test_shown_report_can_be_downloaded(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.ANALYST)
    for form in ("csv", "parquet"):
        for content in ("results", "transactions"):
            file = await visitor.load(
                *("/dashboard/reports/download",),
                template="TRANSACTION_COUNT",
                format=form,
                content=content,
            )
            assert "attachment" in file.response.headers["content-disposition"]
    refused = await visitor.open("/dashboard/reports/download", format="pdf")
    assert refused.status == 400
    assert refused.response.headers["content-type"].startswith("text/plain")
    assert "format" in refused.response.text


async def test_statements_are_shown_and_printed(org: Tenant) -> None:
    user = await make_user(org)
    await fund(org, user, "25")
    assert await held(org, user)
    visitor = await visit(org, MemberRole.ANALYST)
    assert "Choose a user" in (await visitor.load("/dashboard/reports/statements")).text
    page = await visitor.load("/dashboard/reports/statements", userId=user)
    assert page.status == 200
    assert "Each line is a payment" in page.text
    page = await visitor.load(
        "/dashboard/reports/statements", userId=user, createdBefore=until_now()
    )
    assert "Wallet deposit" in page.text
    assert not [each for each in page.links() if "/dashboard/transactions/" in each]
    (to_steps,) = [each for each in page.links() if "detail=steps" in each]
    steps = await visitor.load(to_steps)
    assert "Each line is a movement of a payment." in steps.text
    files = [each for each in steps.links() if "/statements/file?" in each]
    assert len(files) == 2
    assert all("detail=steps" in each for each in files)
    now = {"userId": user, "timeZone": "UTC"}
    file = await visitor.load("/dashboard/reports/statements/file", **now, format="pdf")
    assert file.response.content.startswith(b"%PDF")
    wrong = await visitor.open("/dashboard/reports/statements", userId="nobody")
    assert wrong.status == 422
    assert wrong.value("userId") == "nobody"
    assert wrong.tree.xpath("//input[@id='f-userId'][@aria-invalid]")


async def test_statement_is_chosen_by_name_currency_and_period(org: Tenant) -> None:
    user = await make_user(org)
    await fund(org, user, "25")
    visitor = await visit(org, MemberRole.ANALYST)
    path = "/dashboard/reports/statements"
    query = {"userId": "ada", "createdBefore": until_now(), "currency": "usdc"}
    page = await visitor.load(path, **query)
    assert "Wallet deposit" in page.text
    assert page.tree.xpath("//select[@id='f-currency']/option[@selected]/@value") == ["usdc"]
    files = [each for each in page.links() if "/statements/file?" in each]
    assert all(f"userId={user}" in each for each in files)
    assert "No activity" in (await visitor.load(path, **query | {"currency": "usdt"})).text
    for link in page.tree.xpath("//ul[@class='chips']//a/@href"):
        chosen = await visitor.load(str(link))
        assert chosen.tree.xpath("//ul[@class='chips']//a[@aria-current]")
        assert chosen.tree.xpath("//input[@id='f-createdAfter']/@type") == ["date"]


async def test_statement_on_the_first_of_a_month_is_of_the_month_before(org: Tenant) -> None:
    user = await make_user(org)
    now = await org.container.orgs.now(org.org_id)
    first = (now.replace(day=1, hour=0, minute=0) + timedelta(days=32)).replace(day=1)
    seconds = int((first - now).total_seconds()) + 1
    await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})
    visitor = await visit(org, MemberRole.ANALYST)
    page = await visitor.load("/dashboard/reports/statements", userId=user)
    assert page.value("createdAfter") == str((first - timedelta(days=1)).date().replace(day=1))
    assert page.value("createdBefore") == str(first.date())


async def test_schedule_is_created_shown_and_deleted(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.MEMBER)
    saved = await visitor.submit(
        "/dashboard/reports/save", {"template": "NEW_USERS", "name": "Users"}
    )
    fields: dict[str, Any] = {
        "name": "Monthly users",
        "metricId": saved.rpartition("/")[2],
        "every": "month",
        "at": "06:00",
        "timeZone": "UTC",
        "format": "csv",
    }
    again = await visitor.send("/dashboard/reports/schedules", {**fields, "at": "25:00"})
    assert again.status == 422
    assert again.value("name") == "Monthly users"
    path = await visitor.submit("/dashboard/reports/schedules", fields)
    page = await visitor.load(path)
    assert "No files yet" in page.text
    assert not page.tree.xpath('//input[@name="recipientIds"]/@checked')
    assert "Monthly users" in (await visitor.load("/dashboard/reports/schedules")).text
    assert await visitor.submit(f"{path}/delete") == "/dashboard/reports/schedules"
    assert json.dumps(await org.get("/v2/reporting/schedules")).count("Monthly users") == 0


async def test_recipients_of_a_schedule_are_members_with_a_tick(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.MEMBER, name="Mia Member")
    ana = await visit(org, MemberRole.ANALYST, name="Ana Lyst")
    saved = await visitor.submit(
        "/dashboard/reports/save", {"template": "NEW_USERS", "name": "Users"}
    )
    fields: dict[str, Any] = {
        "name": "Monthly users",
        "metricId": saved.rpartition("/")[2],
        "every": "month",
        "at": "06:00",
        "timeZone": "UTC",
        "format": "csv",
        "recipientIds": str(ana.member_id),
    }
    path = await visitor.submit("/dashboard/reports/schedules", fields)
    ticked = '//input[@name="recipientIds"][@checked]/@value'
    page = await visitor.load(path)
    assert page.tree.xpath(ticked) == [str(ana.member_id)]
    assert "Mia Member" in page.text
    assert "Ana Lyst" in (await ana.load(path)).text
    refused = await visitor.send(path, {"recipientIds": UNKNOWN})
    assert refused.status == 422
    assert UNKNOWN in refused.text
    assert "#f-recipientIds" in refused.links()
    assert await visitor.submit(path, {}) == path
    assert (await visitor.load(path)).tree.xpath(ticked) == []
    assert (await ana.send(path, {})).status == 403
