"""A journey on a narrow phone at night: the menu opens, nothing is wider than the screen."""

import re
from dataclasses import dataclass

from playwright.async_api import Page, expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.conftest import PHONE
from tests.browser.dashboard.people import OpenDashboard, looked_for, unique_colleague

_WIDE = "document.documentElement.scrollWidth - window.innerWidth"
_COLOURS = """() => [document.body, document.querySelector('main h1')].map(each => {
    for (let at = each; at; at = at.parentElement) {
        const colour = getComputedStyle(at)[each === document.body ? 'backgroundColor' : 'color'];
        if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return getComputedStyle(document.documentElement).backgroundColor;
})"""


@dataclass(frozen=True, slots=True)
class PageColours:
    """How light the ground and the words on it are, of 255."""

    ground: float
    words: float


async def looked_at(page: Page) -> PageColours:
    """Nothing is cut off; how light it is."""
    assert await page.evaluate(_WIDE) <= 0, f"{page.url} is wider than the screen"
    ground, words = (_light(each) for each in await page.evaluate(_COLOURS))
    return PageColours(ground, words)


def _light(colour: str) -> float:
    """The mean of red, green and blue, or the lightness where it is told as such."""
    channels = [float(each) for each in re.findall(r"[\d.]+", colour)]
    if colour.startswith("oklch"):
        return channels[0] * 255
    assert colour.startswith("rgb"), colour
    return sum(channels[:3]) / 3


async def test_a_transfer_is_made_on_a_phone_at_night(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    name = unique_colleague("Payer").name
    await sign_up(api, name, funds="10")
    payee = unique_colleague("Payee").name
    await sign_up(api, payee)
    async with open_dashboard(viewport=PHONE, scheme="dark") as page:
        look = await looked_at(page)
        assert look.ground < 64
        assert look.words > 190
        users = page.get_by_role("navigation", name="Main").get_by_role("link", name="Users")
        await expect(users).to_be_hidden()
        await page.locator("details.menu > summary").click()
        await looked_at(page)
        await users.click()
        # With its scripts: they look for what is typed.
        await page.wait_for_url("**/dashboard/users")
        await page.get_by_label("Name, e-mail or user ID").fill(name.lower())
        await expect(page.locator("#users tbody tr")).to_have_count(1)
        await page.get_by_role("row", name=name).get_by_role("link").first.click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text(name)
        await looked_at(page)
        await page.goto(f"/dashboard/new/transfer?userId={page.url.rpartition('/')[2]}")
        await looked_at(page)
        async with looked_for(page, payee.lower()):
            await page.get_by_role("combobox", name="Recipient").press_sequentially(payee.lower())
        await page.get_by_role("option", name=payee).click()
        await page.get_by_label("Recipient gets").fill("3.5")
        await page.locator("button.main[value=review]").click()
        await expect(page.get_by_text("No payment has been created yet")).to_be_visible()
        await looked_at(page)
        await page.get_by_role("button", name="Create and send").click()
        await page.wait_for_url("**/dashboard/transactions/*")
        await expect(page.get_by_text("3.50 USDC").first).to_be_visible()
        assert await looked_at(page) == look


async def test_it_is_light_by_day(open_dashboard: OpenDashboard) -> None:
    async with open_dashboard() as page:
        by_day = await looked_at(page)
    assert by_day.ground > 200
    assert by_day.words < 64
