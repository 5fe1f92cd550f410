"""Where no script runs, everything works: pages are sent and forms are answered."""

from playwright.async_api import expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.people import OpenDashboard, unique_colleague

_PAGE = 25


async def test_a_list_is_filtered_by_a_button(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    name = unique_colleague("Grace").name
    user = await sign_up(api, name)
    async with open_dashboard(scripts=False) as page:
        await page.get_by_role("link", name="Users", exact=True).click()
        await page.get_by_label("Name, e-mail or user ID").fill(name.lower())
        await page.get_by_role("button", name="Search").click()
        await page.wait_for_url(f"**q={name.lower()}*")
        await expect(page.locator("#users tbody tr")).to_have_count(1)
        await page.get_by_role("row", name=name).get_by_role("link").first.click()
        await page.wait_for_url(f"**/dashboard/users/{user}")
        await page.get_by_role("link", name="Search", exact=True).click()
        await page.get_by_role("searchbox").fill(f"{name.lower()}@example.com")
        await page.get_by_role("button", name="Search").click()
        await expect(page.locator("#found").get_by_role("link")).to_have_attribute(
            "href", f"/dashboard/users/{user}"
        )


async def test_payments_are_filtered_by_a_button(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    user = await sign_up(api, unique_colleague("Grace").name)
    async with open_dashboard(scripts=False) as page:
        await page.goto("/dashboard/transactions")
        await page.get_by_label("User", exact=True).fill(user)
        await page.get_by_role("button", name="Apply").click()
        await expect(page.get_by_text("No payments found")).to_be_visible()
        await expect(page.get_by_label("User", exact=True)).to_have_value(user)


async def test_a_transfer_is_made(open_dashboard: OpenDashboard, api: ScenarioClient) -> None:
    payer = await sign_up(api, unique_colleague("Payer").name, funds="10")
    payee = unique_colleague("Payee").name
    await sign_up(api, payee)
    async with open_dashboard(scripts=False) as page:
        await page.goto(f"/dashboard/new/transfer?userId={payer}")
        # Nothing was filled in: the server says so, for the browser is not asked to.
        await page.locator("button.main[value=review]").click()
        await expect(page.get_by_role("alert")).to_contain_text(
            "Enter a name, an e-mail or a user ID."
        )
        await page.get_by_label("To", exact=True).select_option("user")
        await page.get_by_label("Recipient", exact=True).fill(f"{payee.lower()}@example.com")
        await page.get_by_label("Recipient gets").fill("11")
        await page.locator("button.main[value=review]").click()
        # More than there is: the form comes back as it was.
        await expect(page.get_by_role("alert")).to_contain_text("the wallet holds less than")
        await expect(page.get_by_label("Recipient", exact=True)).to_have_value(
            f"{payee.lower()}@example.com"
        )
        await page.get_by_label("Recipient gets").fill("2.5")
        await page.locator("button.main[value=review]").click()
        await expect(page.get_by_text("No payment has been created yet")).to_be_visible()
        await page.get_by_role("button", name="Create and send").click()
        await page.wait_for_url("**/dashboard/transactions/*")
        await page.get_by_role("button", name="+1 minute").click()
        await expect(page.locator("#payment .heading .status")).to_have_attribute(
            "title", "COMPLETED"
        )


async def test_one_pages_on_and_back(open_dashboard: OpenDashboard, api: ScenarioClient) -> None:
    family = unique_colleague("Lovelace").name
    for index in range(_PAGE + 1):
        await sign_up(api, f"{family}{index}")
    async with open_dashboard(scripts=False) as page:
        await page.goto(f"/dashboard/users?q={family.lower()}")
        rows = page.locator("#users tbody tr")
        row_count = await rows.count()
        await page.get_by_role("link", name="Older").click()
        await expect(rows).to_have_count(_PAGE + 1 - row_count)
        await page.get_by_role("link", name="Newest").click()
        await expect(rows).to_have_count(row_count)
