"""Every page in a real browser: no barriers (axe, WCAG 2.2 AA), no overflow, no complaint."""

from collections.abc import Mapping
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page

from tests.browser.dashboard.conftest import PHONE, WIDE
from tests.browser.dashboard.people import Desk
from tests.dashboard.world import World

_RULES = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }
}
_FACTS = """() => ({
    headings: document.querySelectorAll('h1').length,
    wide: document.documentElement.scrollWidth - window.innerWidth,
    twice: [...document.querySelectorAll('[id]')].map(each => each.id)
        .filter((id, at, all) => all.indexOf(id) !== at),
    inline: document.querySelectorAll('script:not([src]), style, [style], [onclick]').length,
})"""
_OUTSIDE = {
    "sign-in": "/dashboard/sign-in",
    "forgot": "/dashboard/forgot",
}


@pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
async def test_no_page_has_a_barrier(
    desk: Desk, world: World, viewport: dict[str, int], scheme: str
) -> None:
    async with desk(viewport=viewport, scheme=scheme) as page:
        wrong = await _barriers(page, world.pages())
    async with desk(None, viewport=viewport, scheme=scheme) as page:
        wrong |= await _barriers(page, _OUTSIDE)
    assert not wrong, "\n".join(f"{name}: {each}" for name, each in wrong.items())


async def _barriers(page: Page, pages: Mapping[str, str]) -> dict[str, Any]:
    wrong: dict[str, Any] = {}
    for name, path in pages.items():
        answer = await page.goto(path)
        assert answer is not None
        assert answer.status == 200, f"{name}: {answer.status}"
        if found := await _looked_at(page):
            wrong[name] = found
    return wrong


async def _looked_at(page: Page) -> list[Any]:
    facts = await page.evaluate(_FACTS)
    found: list[Any] = [
        (fact, value)
        for fact, value in facts.items()
        if value != {"headings": 1, "wide": 0, "twice": [], "inline": 0}[fact]
    ]
    axe: Any = Axe()
    checked: Any = (await axe.run(page, options=_RULES)).response
    found += [
        (each["id"], [node["target"] for node in each["nodes"]][:3])
        for each in checked["violations"]
    ]
    return found
