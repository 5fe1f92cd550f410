"""Faults of a rendered page: accessibility barriers (axe, WCAG 2.2 AA), overflow, script errors."""

from typing import Any

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page

_RULES = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }
}
# What colours, sizes and the width of the screen decide: all other rules read the document alone.
_LOOKS = {
    "runOnly": {
        "type": "rule",
        "values": ["color-contrast", "target-size", "scrollable-region-focusable", "region"],
    }
}
_FACTS = """() => ({
    headings: document.querySelectorAll('h1').length,
    wide: document.documentElement.scrollWidth - window.innerWidth,
    twice: [...document.querySelectorAll('[id]')].map(each => each.id)
        .filter((id, at, all) => all.indexOf(id) !== at),
    inline: document.querySelectorAll('script:not([src]), style, [style], [onclick]').length,
})"""
_RIGHT: dict[str, Any] = {"headings": 1, "wide": 0, "twice": [], "inline": 0}


async def barriers(page: Page, *, looks_only: bool = False) -> list[Any]:
    """Return the faults of the open page; empty if there are none.

    `looks_only` checks a page again, in another theme and width.
    """
    facts = await page.evaluate(_FACTS)
    found: list[Any] = [(fact, value) for fact, value in facts.items() if value != _RIGHT[fact]]
    axe: Any = Axe()
    checked: Any = (await axe.run(page, options=_LOOKS if looks_only else _RULES)).response
    found += [
        (each["id"], [node["target"] for node in each["nodes"]][:3])
        for each in checked["violations"]
    ]
    return found
