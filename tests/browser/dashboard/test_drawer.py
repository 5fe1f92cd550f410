"""A payment opens beside the list of payments or approvals, which stays as it was."""

from playwright.async_api import expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.people import OpenDashboard, unique_colleague
from tests.tenants import transfer_body

_IDS_TWICE = """() => [...document.querySelectorAll('[id]')].map(each => each.id)
    .filter((id, at, all) => all.indexOf(id) !== at)"""


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


async def test_approval_opens_beside_the_list_and_keeps_the_selection(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    name = unique_colleague("Grace").name
    payer = await sign_up(api, name, funds="10")
    payee = await sign_up(api, unique_colleague("Payee").name)
    for amount in ("1.25", "2.5"):
        body = transfer_body(payer, payee, amount, requireApproval=True)
        await api.post("/v2/wallets/transfers", body)
    async with open_dashboard() as page:
        await page.goto("/dashboard/approvals")
        rows, drawer = page.get_by_role("row", name=name), page.locator("#drawer")
        await rows.nth(1).get_by_role("checkbox").check()
        doubtful = rows.nth(0).get_by_role("link").first
        path = str(await doubtful.get_attribute("href"))
        await doubtful.click()
        await expect(drawer.get_by_role("heading", level=1)).to_contain_text("2.50 USDC on Polygon")
        await expect(drawer.get_by_role("heading", name="Votes")).to_be_visible()
        # Both parts have a vote; the label is of the one that is in front.
        await drawer.get_by_text("Comment", exact=False).first.click()
        await expect(drawer.get_by_label("Comment")).to_be_focused()
        assert not await page.evaluate(_IDS_TWICE)
        await page.keyboard.press("Escape")
        await expect(rows.nth(1).get_by_role("checkbox")).to_be_checked()
        await doubtful.click()
        await drawer.get_by_label("Comment").fill("Looks good to me")
        await drawer.get_by_role("button", name="Approve").click()
        await page.wait_for_url(f"**{path}")
        await expect(page.get_by_text("Looks good to me")).to_be_visible()
