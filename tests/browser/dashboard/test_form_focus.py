"""A refused form has the focus in its wrong field, also inside a closed section."""

import re

from playwright.async_api import expect

from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.people import OpenDashboard
from tests.dashboard.world import World


async def test_refused_forms_focus_their_field(open_dashboard: OpenDashboard, world: World) -> None:
    async with open_dashboard() as page:
        await page.goto("/dashboard/settings/limits")
        await page.get_by_role("button", name="Add rule").click()
        rows = await page.get_by_label("Name", exact=True).count()
        name = page.get_by_label("Name", exact=True).nth(rows - 1)
        await name.fill("not a name")
        await page.get_by_role("button", name="Apply rules").click()
        await expect(name).to_be_focused()
        await expect(name).to_have_accessible_description(re.compile("must have 1 to 50 letters"))
        assert not await barriers(page)
        await page.goto(f"/dashboard/users/{world.user}/wallets")
        await page.get_by_text("Register address", exact=True).first.click()
        await page.locator("#f-name").fill("Treasury")
        await page.get_by_label("Your reference").fill("1")
        await page.get_by_label("Address", exact=True).fill("nowhere")
        await page.get_by_role("button", name="Register address").click()
        await expect(page.get_by_label("Address", exact=True)).to_be_focused()
