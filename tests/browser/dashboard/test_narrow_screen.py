"""Pages on a 360 px screen with long names and large amounts: no sideways scrolling."""

from typing import Any

from playwright.async_api import Page, expect

from tests.browser.dashboard.conftest import PHONE
from tests.browser.dashboard.people import OpenDashboard
from tests.dashboard.world import World

# Names and e-mails become long words, and every amount has twelve digits before its point.
_LENGTHEN = """() => {
    const word = 'Wolfeschlegelsteinhausenbergerdorffvoralternwarengewissenhaft';
    const words = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    while (words.nextNode()) words.currentNode.data = words.currentNode.data
        .replace(/\\b[\\w.]+@[\\w.]+/g, `${word}@${word}.example.com`)
        .replace(/\\b(Ada|Grace|Mary|Approval|Example Ltd|Every month|By status)\\b/g, word);
    for (const each of document.querySelectorAll('main data.amount'))
        each.textContent = '123,456,789,012.123456';
}"""
_FAULTS = """() => {
    const isCut = each => {
        const { left, right, width } = each.getBoundingClientRect();
        return width > 0 && each.checkVisibility() && (left < 0 || right > window.innerWidth);
    };
    const cut = [...document.querySelectorAll('main data.amount, main td.number')].filter(isCut);
    const wide = document.documentElement.scrollWidth - window.innerWidth;
    return [...(wide > 0 ? [`${wide} px too wide`] : []), ...cut.map(each => each.textContent)];
}"""


async def _faults(page: Page) -> Any:
    await page.evaluate(_LENGTHEN)
    return await page.evaluate(_FAULTS)


async def test_no_page_scrolls_sideways_and_amounts_are_on_screen(
    open_dashboard: OpenDashboard, world: World
) -> None:
    wrong: dict[str, Any] = {}
    async with open_dashboard(viewport=PHONE) as page:
        for name, path in world.pages().items():
            await page.goto(path)
            if faults := await _faults(page):
                wrong[name] = faults
    assert not wrong


async def test_the_choice_of_users_and_the_review_do_not_scroll_sideways(
    open_dashboard: OpenDashboard, world: World
) -> None:
    async with open_dashboard(viewport=PHONE) as page:
        await page.goto(f"/dashboard/new/transfer?userId={world.user}")
        await page.get_by_role("combobox", name="Recipient").fill("ada approval")
        await page.get_by_label("Recipient gets").fill("3.5")
        await page.locator("button.main[value=review]").click()
        await expect(page.get_by_role("group", name="Matching users")).to_be_visible()
        assert not await _faults(page)
        await page.get_by_role("combobox", name="Recipient").fill(world.business)
        await page.locator("button.main[value=review]").click()
        await expect(page.get_by_text("No payment has been created yet")).to_be_visible()
        assert not await _faults(page)
