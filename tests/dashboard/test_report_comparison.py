"""Reports against the period before: total, average, change, common periods and tiles."""

from datetime import date
from decimal import Decimal

import pytest

from landbridge.dashboard.charts import ChartKind, ChartSeries, build_chart, sparkline
from landbridge.dashboard.reports.comparison import ReportComparison
from landbridge.dashboard.reports.report_query import period_presets
from tests.dashboard.browsing import visit
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
    tiles = [
        (each.xpath("string(dt)"), each.xpath("string(dd)").strip())
        for each in page.tree.xpath("//dl[@class='tiles']/div")
    ]
    assert tiles == [("Total", "3"), ("Average of a day", "0.10"), ("The 30 days before", "0")]
    (current,) = page.tree.xpath("//ul[@class='chips']//a[@aria-current]/text()")
    assert current == "30 days"
    for link in page.tree.xpath("//ul[@class='chips']//a/@href"):
        await visitor.load(str(link))
    # Rates do not add up.
    assert not (await visitor.load(EXPLORE, template="OUTCOMES")).tree.xpath("//dl[@class='tiles']")


async def test_page_of_reports_shows_numbers_of_saved_ones(still_org: Tenant) -> None:
    for _ in range(3):
        await make_user(still_org)
    visitor = await visit(still_org)
    query = {"template": "NEW_USERS", "name": "Growth"}
    await visitor.submit("/dashboard/reports/save", query)
    page = await visitor.load("/dashboard/reports")
    saved, offered = page.tree.xpath("//ul[@class='cards']")
    assert "Growth New users 3" in " ".join(saved.text_content().split())
    assert saved.xpath(".//*[name()='polyline']")
    # A report without data has no numbers.
    assert len(offered.xpath(".//*[name()='polyline']")) < len(offered.xpath("li"))
