"""Checks of every hosted page in a browser, at the width of a narrow phone."""

from collections.abc import Mapping
from typing import Any, cast

from playwright.async_api import Locator, Page

NARROW = {"width": 320, "height": 640}
# WCAG 2.2, 2.5.8 asks for 24 pixels; fingers are happier with 44.
TARGET_PX_MIN = 44

_FACTS = """() => ({
    headings: document.querySelectorAll('h1').length,
    language: document.documentElement.lang,
    title: document.title,
    scripts: document.scripts.length,
    wide: document.documentElement.scrollWidth - window.innerWidth,
    unlabelled: [...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
        .filter(each => ![...(each.labels ?? [])].some(label => label.textContent.trim()))
        .map(each => each.name),
    untied: [...document.querySelectorAll('[aria-describedby]')]
        .flatMap(each => each.getAttribute('aria-describedby').split(' '))
        .filter(id => !document.getElementById(id)),
    twice: [...document.querySelectorAll('[id]')].map(each => each.id)
        .filter((id, at, all) => all.indexOf(id) !== at),
    small: [...document.querySelectorAll('button, a.button, a.link, select, .choice, '
            + 'input:not([type=hidden]):not([type=radio]):not([type=checkbox])')]
        .map(each => [each.textContent.trim() || each.name, each.getBoundingClientRect().height])
        .filter(([_, height]) => height > 0 && height < TARGET),
})"""


async def look(page: Page) -> None:
    """Fail unless the page is in order."""
    before = page.viewport_size
    await page.set_viewport_size(cast("Any", NARROW))
    facts = await page.evaluate(_FACTS.replace("TARGET", str(TARGET_PX_MIN)))
    where = f"{facts['title']}: {facts}"
    assert facts["headings"] == 1, where
    assert facts["language"] == "en", where
    assert facts["title"], where
    assert facts["scripts"] == 0, where
    assert facts["wide"] <= 0, where
    for empty in ("unlabelled", "untied", "twice", "small"):
        assert facts[empty] == [], where
    if before is not None:
        await page.set_viewport_size(before)


async def fill_in(page: Page, answers: Mapping[str, str | list[str]]) -> None:
    """Type and choose what the page asks for, as a person does."""
    for name, entry in answers.items():
        inputs = page.locator(f'[name="{name}"]:not([type=hidden])')
        if not await inputs.count():
            continue
        kind = await inputs.first.get_attribute("type")
        if kind in {"radio", "checkbox"}:
            for value in [entry] if isinstance(entry, str) else entry:
                await page.locator(f'[name="{name}"][value="{value}"]').check()
        elif kind is None and await page.locator(f'select[name="{name}"]').count():
            await inputs.select_option(entry)
        else:
            await inputs.fill(str(entry))


async def go(page: Page, target: Locator) -> None:
    """Tap a button or a link, and wait for the page that it leads to."""
    async with page.expect_navigation():
        await target.tap()


async def heading(page: Page) -> str:
    """Check the page and return its heading."""
    await look(page)
    return str(await page.locator("h1").inner_text())
