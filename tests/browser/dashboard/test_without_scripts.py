"""Where no script runs, everything works: pages are sent and forms are answered."""

from playwright.async_api import expect

from landbridge.stories.client import Client
from landbridge.stories.people import sign_up
from tests.browser.dashboard.people import Desk, somebody

_PAGE = 25


async def test_a_list_is_filtered_by_a_button(desk: Desk, api: Client) -> None:
    name = somebody("Grace").name
    user = await sign_up(api, name)
    async with desk(scripts=False) as page:
        await page.get_by_role("link", name="Users", exact=True).click()
        await page.get_by_label("Name, e-mail or id").fill(name.lower())
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


async def test_payments_are_filtered_by_a_button(desk: Desk, api: Client) -> None:
    user = await sign_up(api, somebody("Grace").name)
    async with desk(scripts=False) as page:
        await page.goto("/dashboard/transactions")
        await page.get_by_label("User", exact=True).fill(user)
        await page.get_by_role("button", name="Show").click()
        await expect(page.get_by_text("No such payments")).to_be_visible()
        await expect(page.get_by_label("User", exact=True)).to_have_value(user)


async def test_a_transfer_is_made(desk: Desk, api: Client) -> None:
    payer = await sign_up(api, somebody("Payer").name, funds="10")
    payee = somebody("Payee").name
    await sign_up(api, payee)
    async with desk(scripts=False) as page:
        await page.goto(f"/dashboard/new/transfer?userId={payer}")
        # Nothing was filled in: the server says so, for the browser is not asked to.
        await page.locator("button.main[value=review]").click()
        await expect(page.get_by_role("alert")).to_contain_text("did not work")
        await page.get_by_label("To", exact=True).select_option("user")
        await page.get_by_label("User who is paid").fill(f"{payee.lower()}@example.com")
        await page.get_by_label("Amount that arrives").fill("11")
        await page.locator("button.main[value=review]").click()
        # More than there is: the form comes back as it was.
        await expect(page.get_by_role("alert")).to_contain_text("did not work")
        await expect(page.get_by_label("User who is paid")).to_have_value(
            f"{payee.lower()}@example.com"
        )
        await page.get_by_label("Amount that arrives").fill("2.5")
        await page.locator("button.main[value=review]").click()
        await expect(page.get_by_text("Nothing has been made yet")).to_be_visible()
        await page.get_by_role("button", name="Create and send").click()
        await page.wait_for_url("**/dashboard/transactions/*")
        await page.get_by_role("button", name="+1 minute").click()
        await expect(page.locator("#payment .heading .status")).to_have_text("COMPLETED")


async def test_one_pages_on_and_back(desk: Desk, api: Client) -> None:
    family = somebody("Lovelace").name
    for place in range(_PAGE + 1):
        await sign_up(api, f"{family}{place}")
    async with desk(scripts=False) as page:
        await page.goto(f"/dashboard/users?q={family.lower()}")
        rows = page.locator("#users tbody tr")
        seen = await rows.count()
        await page.get_by_role("link", name="Older").click()
        await expect(rows).to_have_count(_PAGE + 1 - seen)
        await page.get_by_role("link", name="Newest").click()
        await expect(rows).to_have_count(seen)
