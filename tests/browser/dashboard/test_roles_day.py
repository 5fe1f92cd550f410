"""A day of an organisation: people are invited, one asks for a payout, one agrees, one looks."""

import re
from urllib.parse import urlsplit

from playwright.async_api import Locator, Page, expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import bank_account, verified
from tests.browser.dashboard.people import (
    Colleague,
    OpenDashboard,
    accept,
    invite,
    join,
    unique_colleague,
)

_CALL = re.compile("approval", re.IGNORECASE)
_LINK = "a[href*='/dashboard/invitations/']"
_LOOKS = 120


async def test_an_admin_invites_a_member_and_an_analyst(open_dashboard: OpenDashboard) -> None:
    invited = {"member": unique_colleague("Mary"), "analyst": unique_colleague("Ann")}
    links: dict[str, str] = {}
    async with open_dashboard() as page:
        for role, each in invited.items():
            await invite(page, each, role)
            await expect(page.get_by_role("heading", level=1)).to_contain_text(each.name)
            links[role] = await _mailed(page, each)
    for role, each in invited.items():
        async with open_dashboard(None) as page:
            await accept(page, links[role])
            await expect(page.locator(".me")).to_contain_text(role.capitalize())
            await page.goto("/dashboard/team")
            await expect(page.get_by_role("row", name=each.email)).to_be_visible()
            await expect(page.get_by_role("link", name="Invite member")).to_have_count(0)
            # A link opens once.
            await page.goto(links[role])
            await expect(page.get_by_role("heading", level=1)).to_have_text("Link expired")


async def _mailed(page: Page, to: Colleague) -> str:
    """The link in the mail to somebody, as soon as it came."""
    for _ in range(_LOOKS):  # the page does not renew itself
        await page.goto("/dashboard/mailbox")
        mail = page.get_by_role("row", name=to.email).get_by_role("link")
        if await mail.count():
            await mail.first.click()
            return str(await page.locator(_LINK).get_attribute("href"))
        await page.wait_for_timeout(250)
    raise AssertionError(f"no mail came to {to.email}")


async def test_a_payout_from_asking_to_being_paid(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    mary, ann = (
        await join(open_dashboard, "member", "Mary"),
        await join(open_dashboard, "analyst", "Ann"),
    )
    user = await verified(api, funds="500")
    await bank_account(api, user)
    async with open_dashboard(mary.email) as hers:
        payment = await _ask(hers, user)
        await hers.goto("/dashboard/approvals")
        await expect(hers.get_by_role("button", name="Approve")).to_have_count(0)
        async with open_dashboard() as his:
            await _approve(his, payment, mary)
        await _see_it_paid(hers, payment)
    async with open_dashboard(ann.email) as page:
        await page.goto(payment)
        await expect(page.get_by_text("Looks good to me")).to_be_visible()
        assert await _buttons(page) == []
        await page.goto("/dashboard/new/offramp")
        await expect(page.get_by_role("button", name="Review")).to_have_count(0)


async def _ask(page: Page, user: str) -> str:
    """A member begins an offramp; the address of its page."""
    await page.get_by_role("link", name="New offramp").click()
    # With its scripts: they find users while one types.
    await page.wait_for_url("**/dashboard/new/offramp*")
    await page.get_by_label("User", exact=True).fill(user)
    found = page.get_by_role("region", name="Users").get_by_role("link")
    await expect(found).to_have_count(1)
    await found.click()
    await page.get_by_label("Amount", exact=True).fill("100.5")
    await page.get_by_role("button", name="Review").click()
    await expect(page.get_by_text("No payment has been created yet")).to_be_visible()
    await expect(page.get_by_text("Your payments need approval by an admin")).to_be_visible()
    await page.get_by_role("button", name="Submit for approval").click()
    await page.wait_for_url("**/dashboard/transactions/*")
    await expect(_status(page)).to_have_attribute("title", "PENDING_APPROVAL")
    return page.url


def _status(page: Page) -> Locator:
    """Return the status that a payment's page shows."""
    return page.locator("#payment .heading .status")


async def _approve(page: Page, payment: str, asked_by: Colleague) -> None:
    """An admin finds it on the overview, and agrees."""
    await page.locator(".calls").get_by_role("link", name=_CALL).click()
    approval: Locator = page.locator("main")
    if urlsplit(page.url).path == "/dashboard/approvals":  # several wait
        row = page.get_by_role("row", name=asked_by.name)
        await expect(row).to_have_count(1)
        await row.get_by_role("link").first.click()
        approval = page.locator("#drawer")
    await expect(approval.get_by_role("link", name="Open payment")).to_have_attribute(
        "href", urlsplit(payment).path
    )
    await approval.get_by_label("Comment").fill("Looks good to me")
    await approval.get_by_role("button", name="Approve").click()
    await expect(page.get_by_text("Looks good to me")).to_be_visible()
    await expect(page.get_by_role("button", name="Approve")).to_have_count(0)


async def _see_it_paid(page: Page, payment: str) -> None:
    """The member takes the quote, and lets time pass by the buttons of the sandbox."""
    await page.goto(payment)
    await page.get_by_role("button", name="Accept quote").click()
    await expect(page.get_by_role("status").first).to_be_visible()
    for button in ("+1 minute", "+1 hour", "+1 day", "+1 day", "+1 day", "+1 day"):
        if await _status(page).inner_text() == "COMPLETED":
            break
        await page.get_by_role("button", name=button).click()
        if button == "+1 day":
            await page.get_by_role("alertdialog").get_by_role("button", name=button).click()
        await page.wait_for_load_state()
    await expect(_status(page)).to_have_attribute("title", "COMPLETED")


async def _buttons(page: Page) -> list[str]:
    """Return the buttons of the page's content, except those that copy."""
    found = await page.locator("main button:visible, .sandbox button:visible").all()
    return [
        await each.inner_text() for each in found if await each.get_attribute("data-copy") is None
    ]
