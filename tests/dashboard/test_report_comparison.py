"""Reports against the period before: total, average, change, common periods and tiles."""

from datetime import date, timedelta
from decimal import Decimal
from uuid import uuid4

import pytest

from landbridge.dashboard.charts import ChartKind, ChartSeries, build_chart, sparkline
from landbridge.dashboard.reports.comparison import ReportComparison
from landbridge.dashboard.reports.report_query import period_presets
from landbridge.payments.offramps.model import KIND as OFFRAMP
from tests.dashboard.browsing import DashboardPage, visit
from tests.reporting.metrics.record_history import Paid, put
from tests.tenants import Tenant, make_user

EXPLORE = "/dashboard/reports/explore"


@pytest.mark.parametrize(
    ("total", "before", "change"),
    [("15", "10", "50.0"), ("5", "10", "-50.0"), ("1", "3", "-66.7"), ("0", "0", None)],
)
def test_change_is_in_percent_of_the_period_before(
    total: str, before: str, change: str | None
) -> None:
    found = ReportComparison(Decimal(total), Decimal(), 30, Decimal(before))
    assert found.change == (None if change is None else Decimal(change))


def test_periods_end_today_or_with_the_last_month() -> None:
    params = {"createdAfter": "2026-03-01", "createdBefore": "2026-03-16", "limit": 5}
    found = {
        each.title: each for each in period_presets("FEES", params, date(2026, 3, 15), "feesUsd")
    }
    assert found["This month"].is_current
    assert [each.title for each in found.values() if each.is_current] == ["This month"]
    assert "createdAfter=2026-02-01&until=2026-02-28" in found["Last month"].query
    assert "createdAfter=2026-03-09&until=2026-03-15" in found["7 days"].query
    assert "limit=5" in found["This year"].query


def test_small_line_reaches_from_edge_to_edge() -> None:
    values = [Decimal(1), None, Decimal(4)]
    chart = build_chart(ChartKind.BARS, ["a", "b", "c"], [ChartSeries("x", values)], others="")
    assert sparkline(chart) == "0.0,23.5 60.0,31.0 120.0,1.0"


async def test_report_has_its_total_and_that_of_the_period_before(still_org: Tenant) -> None:
    for _ in range(3):
        await make_user(still_org)
    visitor = await visit(still_org)
    page = await visitor.load(EXPLORE, template="NEW_USERS")
    assert tiles_of(page) == [
        ("Total", "3"),
        ("Average of a day", "0.10"),
        ("The 30 days before", "0"),
    ]
    (current,) = page.tree.xpath("//ul[@class='chips']//a[@aria-current]/text()")
    assert current == "30 days"
    for link in page.tree.xpath("//ul[@class='chips']//a/@href"):
        await visitor.load(str(link))
    # There are no payments, so there is no rate.
    assert not (await visitor.load(EXPLORE, template="OUTCOMES")).tree.xpath("//dl[@class='tiles']")


async def test_a_reason_has_the_room_of_a_sentence(org: Tenant) -> None:
    at = org.container.clock.now() - timedelta(days=1)
    await put(org, [Paid(at, OFFRAMP, "CRYPTO_RETURNED", uuid4(), 100)])
    page = await (await visit(org)).load(EXPLORE, template="OUTCOMES", breakdowns="reason")
    assert page.tree.xpath("//td[@class='sentence']")


async def test_values_that_do_not_add_up_are_those_of_the_whole_period(org: Tenant) -> None:
    def ended(days: int, status: str) -> Paid:
        at = org.container.clock.now() - timedelta(days=days)
        return Paid(at, OFFRAMP, status, uuid4(), 100)

    records = [ended(1, "COMPLETED"), ended(1, "CRYPTO_RETURNED"), ended(2, "COMPLETED")]
    records += [ended(3, "COMPLETED"), ended(40, "CRYPTO_RETURNED"), ended(40, "COMPLETED")]
    await put(org, records)
    visitor = await visit(org)
    page = await visitor.load(EXPLORE, template="OUTCOMES", breakdowns="transactionType")
    # Three of four, and one of two: not averages of the rates of days.
    assert tiles_of(page) == [
        ("Whole period", "75.00 %"),
        ("The 30 days before", "50.00 % +50%"),
    ]
    # A day without payments has no rate, which is not a rate of zero.
    tips = page.tree.xpath("//*[@data-tip]/@data-tip")
    assert tips[-1].endswith(" · \u2013")
    assert tips[-2].endswith(" · Offramp 50 %")
    cells = page.tree.xpath("//details[@class='numbers']//td/text()")
    assert "50" in cells
    balances = await visitor.load(EXPLORE, template="BALANCES")
    assert [name for name, _ in tiles_of(balances)] == ["At the end", "The 30 days before"]
    listed = await visitor.load("/dashboard/reports")
    assert "Success rate 75.00 %" in listed.text


def tiles_of(page: DashboardPage) -> list[tuple[str, str]]:
    return [
        (each.xpath("string(dt)"), " ".join(each.xpath("string(dd)").split()))
        for each in page.tree.xpath("//dl[@class='tiles']/div")
    ]


async def test_page_of_reports_shows_numbers_of_saved_ones(still_org: Tenant) -> None:
    for _ in range(3):
        await make_user(still_org)
    visitor = await visit(still_org)
    query = {"template": "NEW_USERS", "name": "Growth"}
    await visitor.submit("/dashboard/reports/save", query)
    page = await visitor.load("/dashboard/reports")
    saved, offered = page.tree.xpath("//ul[@class='cards']")
    assert "Growth 3 New users" in " ".join(saved.text_content().split())
    assert saved.xpath(".//*[name()='polyline']")
    # A report without data says so.
    assert "No data for this period" in offered.text_content()
    assert len(offered.xpath(".//*[name()='polyline']")) < len(offered.xpath("li"))
