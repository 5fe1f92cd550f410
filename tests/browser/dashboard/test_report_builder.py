"""The builder of report templates: its chart changes as one chooses, with and without scripts."""

import re
from secrets import token_hex

from playwright.async_api import expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.conftest import PHONE
from tests.browser.dashboard.people import OpenDashboard, unique_colleague

_BUILDER = "/dashboard/reports/builder?subject=users"


async def test_the_chart_changes_as_one_chooses(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    await sign_up(api, unique_colleague("Ada").name)
    title = f"Users {token_hex(3)}"
    async with open_dashboard(viewport=PHONE, scheme="dark") as page:
        await page.goto(_BUILDER)
        preview = page.locator("#preview")
        await expect(preview).to_contain_text("Number of users, per day, week")
        await expect(preview.locator(".chart rect").first).to_be_visible()
        for each in ("Day", "Month", "Quarter", "Year"):
            await page.get_by_role("group", name="Intervals").get_by_label(each).uncheck()
        await expect(preview).to_contain_text("Number of users, per week, by user type")
        await page.get_by_label("Name", exact=True).fill(title)
        await page.get_by_label("Calculation").first.select_option("ratio")
        for fold in ("Filters of this number", "User types"):
            await page.locator("summary").get_by_text(fold, exact=True).first.click()
        await page.locator("#f-left-filters-userTypes-1").check()
        await expect(preview).to_contain_text("Number of users (user type Individual)")
        # The form keeps its values, and none of them is in the URL.
        await expect(page.get_by_label("Name", exact=True)).to_have_value(title)
        assert page.url.endswith(_BUILDER)
        await page.get_by_role("group", name="Intervals").get_by_label("Week").uncheck()
        await expect(preview.get_by_role("alert")).to_contain_text("at least one interval")
        await page.get_by_role("group", name="Intervals").get_by_label("Month").check()
        await expect(preview).to_contain_text("per month")
        assert await barriers(page) == []
        await page.get_by_role("button", name="Save template").click()
        await page.wait_for_url(re.compile(r"/dashboard/reports/templates/USERS_\w+$"))
        await expect(page.get_by_text("Template created")).to_be_visible()
        assert await barriers(page) == []
        await page.get_by_role("link", name="Open chart").click()
        await expect(page.get_by_role("heading", name=title)).to_be_visible()


async def test_without_scripts_a_button_renews_the_preview(open_dashboard: OpenDashboard) -> None:
    async with open_dashboard(scripts=False) as page:
        await page.goto(_BUILDER)
        await page.get_by_role("group", name="Intervals").get_by_label("Day").uncheck()
        await page.get_by_role("button", name="Update preview").click()
        await expect(page.locator("#preview")).to_contain_text("per week, month")
        await page.get_by_label("Name", exact=True).fill(f"Users {token_hex(3)}")
        await page.get_by_role("button", name="Save template").click()
        await expect(page.get_by_text("Template created")).to_be_visible()


async def test_the_guide_leads_from_a_question_to_a_weekly_file(
    open_dashboard: OpenDashboard,
) -> None:
    """Follow docs/guides/reporting.md, "By dashboard", with its labels and values."""
    suffix = token_hex(3)
    title, report = f"Failed payouts to Mexico {suffix}", f"Mexico {suffix}"
    words = (
        "Share of failures of transactions (type Offramp; bank country Mexico), per week, "
        "by user type"
    )
    async with open_dashboard() as page:
        await page.goto("/dashboard/reports")
        await page.get_by_role("link", name="Create template").click()
        await page.get_by_label("Calculation").first.select_option("Share of failures")
        for fold, value in (("transactionTypes", "offramp"), ("countries", "MEX")):
            values = page.locator(f"details:has(#f-filters-{fold})")
            await values.locator("summary").click()
            await values.locator(f"input[value={value}]").check()
        groups = page.get_by_role("group", name="Reports can be grouped by")
        await groups.get_by_label("Type", exact=True).uncheck()
        await groups.get_by_label("User type").check()
        for each in ("Day", "Month", "Quarter", "Year"):
            await page.get_by_role("group", name="Intervals").get_by_label(each).uncheck()
        await expect(page.locator("#preview")).to_contain_text(words)
        await page.get_by_label("Name", exact=True).fill(title)
        await page.get_by_role("button", name="Save template").click()
        await expect(page.get_by_text("Template created")).to_be_visible()
        await expect(page.get_by_text(words)).to_be_visible()
        await page.get_by_role("link", name="Open chart").click()
        await page.get_by_label("Group by").select_option("User type")
        await page.get_by_role("button", name="Apply").click()
        await page.get_by_label("Name", exact=True).fill(report)
        await page.get_by_role("button", name="Save", exact=True).click()
        await page.get_by_role("link", name="Schedules").click()
        await page.get_by_label("Name", exact=True).fill(report)
        await page.get_by_label("Saved report").select_option(report)
        await page.get_by_label("Frequency").select_option("Week")
        await page.get_by_label("Time", exact=True).fill("08:00")
        await page.get_by_role("button", name="Create schedule").click()
        await expect(page.get_by_role("heading", name=report)).to_be_visible()
        await expect(page.get_by_text("No files yet")).to_be_visible()
        await page.get_by_role("link", name="Schedules").first.click()
        row = page.get_by_role("row", name=report)
        await expect(row).to_contain_text("Week")
        await expect(row).to_contain_text("08:00")
