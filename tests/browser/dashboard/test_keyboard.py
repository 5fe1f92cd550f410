"""A day at the keyboard: nothing here touches the mouse, and the focus is always to be seen."""

from urllib.parse import urlsplit

from playwright.async_api import Page, expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.people import (
    ADMIN,
    PASSWORD,
    OpenDashboard,
    looked_for,
    unique_colleague,
)

# How the focus looks: the outline of what has it, or a shadow or border in its place.
_FOCUS = """() => {
    const each = document.activeElement;
    if (!each || each === document.body) return null;
    const style = getComputedStyle(each), box = each.getBoundingClientRect();
    return {
        name: (each.textContent.trim() || each.name || each.id).slice(0, 40),
        isMarked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1
            || style.boxShadow !== 'none',
        isThere: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
    };
}"""
_STEPS = 60


async def _tab(page: Page) -> str:
    """One step on; what has the focus now must be marked, and on the screen."""
    await page.keyboard.press("Tab")
    found = await page.evaluate(_FOCUS)
    if found is None:
        return ""
    assert found["isMarked"], f"nobody sees where the focus is: {found}"
    assert found["isThere"], f"the focus is off the screen: {found}"
    return str(found["name"])


async def _tab_to(page: Page, name: str) -> None:
    for _ in range(_STEPS):
        if await _tab(page) == name:
            return
    raise AssertionError(f"{name} is not reached")


def _path(page: Page) -> str:
    return urlsplit(page.url).path


async def test_signing_in_and_out_again(open_dashboard: OpenDashboard) -> None:
    async with open_dashboard(None) as page:
        await page.goto("/dashboard/sign-in")
        await expect(page.get_by_label("E-mail")).to_be_focused()
        await page.keyboard.type(ADMIN)
        assert await _tab(page) == "password"
        await page.keyboard.type(PASSWORD)
        assert await _tab(page) == "Sign in"
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/dashboard")
        # The first step leads past the menu.
        assert await _tab(page) == "Skip to content"
        await page.keyboard.press("Enter")
        await expect(page.locator("main")).to_be_focused()
        await page.goto("/dashboard")
        await _tab_to(page, "Sign out")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/dashboard/sign-in*")


async def test_going_places_by_name_and_by_letters(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    name = unique_colleague("Grace").name
    user = await sign_up(api, name)
    async with open_dashboard() as page:
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("dialog")).to_be_visible()
        await page.keyboard.type("settings")
        await expect(page.get_by_role("option", name="Settings")).to_have_attribute(
            "aria-selected", "true"
        )
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/dashboard/settings")
        await page.keyboard.press("Control+k")
        await page.keyboard.type(f"{name.lower()}@example.com")
        await expect(page.locator("#palette-found").get_by_role("option")).to_have_attribute(
            "data-to", f"/dashboard/users/{user}"
        )
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**/dashboard/users/{user}")
        for letter, there in (
            ("w", "webhooks"),
            ("t", "transactions"),
            ("u", "users"),
            ("k", "keys"),
        ):
            await page.keyboard.press("g")
            await page.keyboard.press(letter)
            await page.wait_for_url(f"**/dashboard/{there}")
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("dialog")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_be_hidden()


async def test_walking_a_list(open_dashboard: OpenDashboard, api: ScenarioClient) -> None:
    family = unique_colleague("Hopper").name
    users = [await sign_up(api, f"{family}{index}") for index in range(3)]
    async with open_dashboard() as page:
        await page.goto("/dashboard/users")
        await page.keyboard.press("/")
        await expect(page.get_by_label("Name, e-mail or user ID")).to_be_focused()
        async with looked_for(page, family.lower()):
            await page.keyboard.type(family.lower())
        rows = page.locator("#users tbody tr")
        await expect(rows).to_have_count(len(users))
        # Where one types, letters are letters.
        assert family.lower() in page.url
        await page.keyboard.press("Tab")
        await page.evaluate("document.activeElement.blur()")
        for key, at in (("j", 0), ("j", 1), ("j", 2), ("j", 2), ("k", 1)):
            await page.keyboard.press(key)
            await expect(rows.nth(at)).to_have_class("at")
            await expect(page.locator("#users tr.at")).to_have_count(1)
        chosen = await rows.nth(1).get_by_role("link").first.get_attribute("href")
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**{chosen}")
        assert _path(page).rpartition("/")[2] in users


async def test_the_list_of_shortcuts(open_dashboard: OpenDashboard) -> None:
    async with open_dashboard() as page:
        await page.keyboard.press("?")
        shown = page.get_by_role("dialog")
        await expect(shown.get_by_role("heading")).to_have_text("Keyboard shortcuts")
        # While it is open, letters lead nowhere.
        await page.keyboard.press("g")
        await page.keyboard.press("u")
        await page.keyboard.press("Escape")
        await expect(shown).to_be_hidden()
        assert _path(page) == "/dashboard"


async def test_everything_on_a_form_is_reached(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    payer = await sign_up(api, unique_colleague("Payer").name, funds="10")
    payee = unique_colleague("Payee").name
    await sign_up(api, payee)
    async with open_dashboard() as page:
        await page.goto(f"/dashboard/new/transfer?userId={payer}")
        await _tab_to(page, "toUser")
        async with looked_for(page, payee.lower()):
            await page.keyboard.type(payee.lower())
        await expect(page.get_by_role("option", name=payee)).to_be_visible()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("combobox", name="Recipient")).to_have_value(
            f"{payee.lower()}@example.com"
        )
        await _tab_to(page, "amount")
        await page.keyboard.type("1.25")
        await page.keyboard.press("Enter")
        create = page.get_by_role("button", name="Create and send")
        await expect(create).to_be_focused()
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/dashboard/transactions/*")
        await expect(page.get_by_text("1.25 USDC").first).to_be_visible()
