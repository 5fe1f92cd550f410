"""Vote on several approvals: the bar below the list, its sums, and the count of the menu."""

import re

from playwright.async_api import expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.conftest import PHONE
from tests.browser.dashboard.people import OpenDashboard, unique_colleague
from tests.tenants import transfer_body


async def test_the_sum_of_the_selection_is_exact_and_by_currency(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    payer = await sign_up(api, unique_colleague("Grace").name, funds="10")
    payee = await sign_up(api, unique_colleague("Payee").name)
    for amount in ("0.1", "0.2", "0.000001"):
        body = transfer_body(payer, payee, amount, requireApproval=True)
        await api.post("/v2/wallets/transfers", body)
    async with open_dashboard() as page:
        await page.goto("/dashboard/approvals")
        rows, shown = page.locator("input[name=approval]"), page.locator("output[data-ticked]")
        for index in range(3):
            await rows.nth(index).check()
        await expect(shown).to_contain_text(re.compile(r"Selected: 3 / \d+ · 0\.300001\sUSDC$"))
        # Beyond what a floating-point number can hold.
        await page.evaluate(
            """() => {
                const rows = document.querySelectorAll("input[name=approval]");
                Object.assign(rows[0].dataset, { amount: "9007199254740993.000001" });
                Object.assign(rows[1].dataset, { amount: "0.5", currency: "USDT" });
            }"""
        )
        await rows.nth(2).uncheck()
        text = r"Selected: 2 / \d+ · 9,007,199,254,740,993\.000001\sUSDC · 0\.50\sUSDT$"
        await expect(shown).to_have_text(re.compile(text))


async def test_the_vote_stays_in_view_and_covers_no_row_with_the_focus(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    payer = await sign_up(api, unique_colleague("Grace").name, funds="100")
    payee = await sign_up(api, unique_colleague("Payee").name)
    for _ in range(12):
        body = transfer_body(payer, payee, "1", requireApproval=True)
        await api.post("/v2/wallets/transfers", body)
    for viewport in (None, PHONE):
        async with open_dashboard(viewport=viewport) as page:
            await page.goto("/dashboard/approvals")
            bar = page.get_by_role("region", name="Vote", exact=True)
            await expect(bar.get_by_role("button", name="Approve")).to_be_in_viewport(ratio=1)
            rows = page.locator("input[name=approval]")
            for index in range(12):
                await rows.nth(index).focus()
                row, above = await rows.nth(index).bounding_box(), await bar.bounding_box()
                assert row is not None
                assert above is not None
                assert row["y"] + row["height"] <= above["y"], f"row {index} at {viewport}"
            await page.keyboard.press("v")
            await expect(bar.get_by_role("textbox")).to_be_focused()


async def test_the_menu_counts_again_when_a_part_renews_itself(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    async with open_dashboard() as page:
        await page.goto("/dashboard/approvals")
        count = page.locator('#menu a[href="/dashboard/approvals"] .many')
        before = await count.inner_text() if await count.count() else ""
        payer = await sign_up(api, unique_colleague("Grace").name, funds="10")
        payee = await sign_up(api, unique_colleague("Payee").name)
        body = transfer_body(payer, payee, "1", requireApproval=True)
        await api.post("/v2/wallets/transfers", body)
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        await expect(count).not_to_have_text(before or "0")
