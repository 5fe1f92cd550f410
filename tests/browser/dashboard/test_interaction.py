"""Interaction to next paint on the list of payments with 100 rows, as Chromium measures it.

The target is 200 ms on an idle machine. The bound here is wide, because tests share machines: it is
for handlers that do the work of a whole list at each key. `-rP` shows the figures.
"""

from collections.abc import Awaitable, Callable, Mapping

from playwright.async_api import Page

from tests.browser.dashboard.people import OpenDashboard
from tests.dashboard.world import World

ROWS, BOUND_MS = 100, 1_000
# Entries have an interaction only for keys and pointers; those below 16 ms are not reported.
_OBSERVE = """() => {
    window.interactions = [];
    new PerformanceObserver(list => {
        const found = list.getEntries().filter(each => each.interactionId);
        interactions.push(...found.map(each => each.duration));
    }).observe({ type: 'event', durationThreshold: 16 });
}"""
_FILL = """count => {
    const body = document.querySelector('#transactions tbody'), rows = [...body.rows];
    for (let at = rows.length; at < count; at++)
        body.append(rows[at % rows.length].cloneNode(true));
    return body.rows.length;
}"""
# A link leads to another document, which would end the observation before the paint.
_STAY = """() => window.addEventListener('click', event => {
    if (event.target.closest('a')) event.preventDefault();
})"""
# Entries are queued when the frame was presented, shortly after the two that this waits for.
_WORST = """async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    await new Promise(done => setTimeout(done, 200));
    return Math.max(0, ...interactions.splice(0));
}"""


async def test_the_list_with_a_hundred_rows_answers_at_once(
    open_dashboard: OpenDashboard, world: World
) -> None:
    assert world.payments
    async with open_dashboard() as page:
        await page.goto("/dashboard/transactions?type=WALLET.SWAP")
        await page.evaluate(_OBSERVE)
        assert await page.evaluate(_FILL, ROWS) == ROWS
        found = {name: await _measure(page, act) for name, act in _ACTIONS.items()}
    worst = ", ".join(f"{name} {value:.0f} ms" for name, value in found.items())
    print(f"interaction to next paint with {ROWS} rows: {worst}")  # noqa: T201  the measurement
    assert max(found.values()) < BOUND_MS, worst


async def _measure(page: Page, act: Callable[[Page], Awaitable[None]]) -> float:
    await act(page)
    return float(await page.evaluate(_WORST))


async def _move(page: Page) -> None:
    for key in "jjjjjkkk":
        await page.keyboard.press(key)


async def _open_drawer(page: Page) -> None:
    await page.locator("#transactions tbody th a").nth(50).click()
    await page.locator("#drawer #payment").wait_for()


async def _close_drawer(page: Page) -> None:
    await page.keyboard.press("Escape")
    await page.locator("#drawer").wait_for(state="hidden")


async def _change_tab(page: Page) -> None:
    await page.evaluate(_STAY)
    await page.locator("#views a").nth(4).click()


async def _remove_chip(page: Page) -> None:
    await page.locator(".chips a[aria-label]").first.click()


async def _filter(page: Page) -> None:
    async with page.expect_response("**/dashboard/transactions?*"):
        await page.locator("#f-user").press_sequentially("ad")


_ACTIONS: Mapping[str, Callable[[Page], Awaitable[None]]] = {
    "j and k": _move,
    "open drawer": _open_drawer,
    "close drawer": _close_drawer,
    "tab": _change_tab,
    "chip": _remove_chip,
    "filter": _filter,
}
