"""Fees and billing: what a month earned and cost, by type and by user, and its file."""

import csv
import io
from decimal import Decimal

from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import DashboardPage, visit
from tests.reporting.metrics.record_history import fold
from tests.reporting.metrics.test_zones import set_zone
from tests.tenants import Tenant, make_swap, make_user

FEES = "/dashboard/fees"


async def test_a_month_lists_its_fees_by_type_and_by_user(still_org: Tenant) -> None:
    ada = await make_user(still_org, funds="100")
    bob = await make_user(still_org, firstName="Bob", email="bob@example.com", funds="100")
    for user, amount in ((ada, "10"), (ada, "20"), (bob, "5")):
        await make_swap(still_org, user, amount, status=SwapStatus.COMPLETED)
    # A quote has no fee yet.
    await make_swap(still_org, bob, "7")
    for role in (MemberRole.ADMIN, MemberRole.MEMBER):
        assert _rows(await (await visit(still_org, role)).load(FEES), "By user")
    visitor = await visit(still_org, MemberRole.ANALYST)
    page = await visitor.load(FEES)
    (by_type,) = _rows(page, "By type")
    assert (by_type[0], by_type[2]) == ("Swap", "3")
    by_user = [(each[0], each[2]) for each in _rows(page, "By user")]
    assert by_user == [("Ada Example", "2"), ("Bob Example", "1")]
    assert "No gas and no write-offs" in page.text
    rows = list(csv.DictReader(io.StringIO((await visitor.open(f"{FEES}/csv")).response.text)))
    assert sorted((each["userName"], each["feeCount"]) for each in rows) == [
        ("Ada Example", "2"),
        ("Bob Example", "1"),
    ]
    total = sum(Decimal(each["fees"]) for each in rows)
    assert total > 0
    template = "/dashboard/reports/explore"
    report = await visitor.load(template, template="FEES")
    (shown,) = report.tree.xpath("//dl[@class='tiles']/div[dt='Total']//data/@value")
    assert Decimal(shown) == total
    assert str(total) in " ".join(page.tree.xpath("//dl[@class='tiles']//dd//text()"))


async def test_users_are_listed_by_the_amount_that_they_paid(still_org: Tenant) -> None:
    ada = await make_user(still_org, funds="100")
    bob = await make_user(still_org, firstName="Bob", email="bob@example.com", funds="10000")
    for user, amount in ((ada, "5"), (ada, "6"), (ada, "7"), (bob, "5000")):
        await make_swap(still_org, user, amount, status=SwapStatus.COMPLETED)
    page = await (await visit(still_org)).load(FEES)
    by_user = [(each[0], each[2]) for each in _rows(page, "By user")]
    assert by_user == [("Bob Example", "1"), ("Ada Example", "3")]


async def test_other_months_are_chosen_by_their_name(still_org: Tenant) -> None:
    user = await make_user(still_org, funds="100")
    await make_swap(still_org, user, "10", status=SwapStatus.COMPLETED)
    admin = await visit(still_org)
    first = await admin.load(FEES)
    current, earlier, *_ = first.tree.xpath("//select[@id='f-month']/option/@value")
    assert _rows(await admin.load(FEES, month=current), "By type")
    empty = await admin.load(FEES, month=earlier)
    assert "No fees" in empty.text
    old = await admin.load(FEES, month="2001-02")
    assert old.tree.xpath("//option[@selected]/@value") == ["2001-02"]
    for wrong in ("2001-13", "x", "9999-12"):
        refused = await admin.open(FEES, month=wrong)
        assert refused.status == 422
        assert refused.tree.xpath("//select[@id='f-month'][@aria-invalid]")
        assert (await admin.open(f"{FEES}/csv", month=wrong)).status == 400


async def test_a_month_that_begins_before_the_calendar_is_refused(org: Tenant) -> None:
    """In zones ahead of UTC, as Samoa's was then, year 1 begins before it does in UTC."""
    await set_zone(org, "Pacific/Pago_Pago")
    await fold(org)
    admin = await visit(org)
    assert (await admin.open(FEES, month="0001-01")).status == 422
    assert (await admin.open(f"{FEES}/csv", month="0001-01")).status == 400


def _rows(page: DashboardPage, caption: str) -> list[list[str]]:
    rows = page.tree.xpath(f"//table[caption='{caption}']/tbody/tr")
    return [[" ".join(cell.text_content().split()) for cell in row] for row in rows]
