"""A payment opens beside the list of payments, which stays as it was."""

from playwright.async_api import expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.people import OpenDashboard, unique_colleague
from tests.tenants import transfer_body


async def test_payment_opens_beside_the_list(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    payer = await sign_up(api, unique_colleague("Grace").name, funds="10")
    payee = await sign_up(api, unique_colleague("Payee").name)
    body = transfer_body(payer, payee, "1.25")
    payment = (await api.post("/v2/wallets/transfers", body))["transferDetails"]["id"]
    async with open_dashboard() as page:
        await page.goto(f"/dashboard/transactions?user={payer}")
        address, drawer = page.url, page.locator("#drawer")
        await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await expect(drawer.get_by_role("heading", level=1)).to_contain_text("1.25 USDC on Polygon")
        assert page.url == address
        await page.keyboard.press("Escape")
        await expect(drawer).to_be_hidden()
        await expect(page.locator("tr.at")).to_have_count(1)
        await page.keyboard.press("Enter")
        await drawer.get_by_role("link", name="Open page").click()
        await page.wait_for_url(f"**/dashboard/transactions/{payment}")
