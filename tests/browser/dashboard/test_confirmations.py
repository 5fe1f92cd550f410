"""Questions before what cannot be undone: the page's own dialog, by mouse and by keyboard."""

from playwright.async_api import Locator, Page, expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.people import OpenDashboard, unique_colleague


async def test_a_question_is_answered_in_the_page(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    user = await sign_up(api, unique_colleague("Ada").name)
    async with open_dashboard() as page:
        await page.goto(f"/dashboard/users/{user}")
        freeze = page.get_by_role("button", name="Freeze", exact=True)
        await page.get_by_text("Freeze user", exact=True).click()
        await page.get_by_label("Reason").fill("Court order")
        dialog = await _open_dialog(page, freeze, "Freeze this user?")
        assert not await barriers(page)
        # The first focus is on what changes nothing.
        await expect(dialog.get_by_role("button", name="Go back")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        await expect(freeze).to_be_focused()
        await _open_dialog(page, freeze, "Freeze this user?")
        await dialog.get_by_role("button", name="Go back").click()
        await expect(page.get_by_label("Reason")).to_have_value("Court order")
        assert not (await api.get(f"/v2/users/{user}/freeze"))["frozen"]
        await _open_dialog(page, freeze, "Freeze this user?")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Unfreeze")).to_be_visible()
        assert (await api.get(f"/v2/users/{user}/freeze"))["frozen"]


async def _open_dialog(page: Page, button: Locator, question: str) -> Locator:
    """Press the button; return the dialog, whose button has the same text."""
    text = await button.inner_text()
    await button.click()
    dialog = page.get_by_role("alertdialog")
    await expect(dialog.get_by_text(question)).to_be_visible()
    await expect(dialog.get_by_role("button", name=text, exact=True)).to_be_visible()
    return dialog
