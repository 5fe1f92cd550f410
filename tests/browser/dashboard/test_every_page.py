"""Every page in a real browser: no barriers (axe, WCAG 2.2 AA), no overflow, no complaint.

The walk is split, so that each part ends well within the time of a command and the parts share
processes. The walk on a phone checks what colours and sizes decide.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import PATIENCE_MS
from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.conftest import PHONE, WIDE
from tests.browser.dashboard.people import OUTSIDE, OpenDashboard, accept, invite, unique_colleague
from tests.dashboard.world import World

# Kinds that other worlds may lack, but that this one must have.
_HERE = {
    "delivery",
    "request",
    "review-deposits",
    "review-bank-lines",
    "mail",
    "team-member",
    "review-deposit-screenings",
    "reconciliation-differences-one",
    "reconciliation-closes-one",
    "transactions-view",
}
_WAYS = pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
_PARTS = 6


@_WAYS
@pytest.mark.parametrize("part", range(_PARTS))
async def test_no_page_has_a_barrier(
    open_dashboard: OpenDashboard, world: World, viewport: dict[str, int], scheme: str, part: int
) -> None:
    pages = world.pages()
    assert not _HERE - pages.keys()
    async with open_dashboard(viewport=viewport, scheme=scheme) as page:
        chosen = dict(list(pages.items())[part::_PARTS])
        wrong = await _walk(page, chosen, looks_only=viewport is PHONE)
    assert not wrong, "\n".join(f"{name}: {each}" for name, each in wrong.items())


@_WAYS
async def test_no_page_without_sign_in_has_a_barrier(
    open_dashboard: OpenDashboard, viewport: dict[str, int], scheme: str
) -> None:
    async with open_dashboard(viewport=viewport, scheme=scheme) as page:
        wrong = await _walk(page, {"nowhere": "/dashboard/nowhere"}, status=404)
    async with open_dashboard(None, viewport=viewport, scheme=scheme) as page:
        wrong |= await _walk(page, OUTSIDE)
    assert not wrong, "\n".join(f"{name}: {each}" for name, each in wrong.items())


@_WAYS
async def test_pages_that_mails_lead_to_have_no_barrier(
    open_dashboard: OpenDashboard, viewport: dict[str, int], scheme: str
) -> None:
    colleague = unique_colleague("Mary")
    async with open_dashboard() as page:
        await invite(page, colleague, "member")
        invitation = await page.get_by_role("region", name="Link").inner_text()
    async with open_dashboard(None, viewport=viewport, scheme=scheme) as page:
        wrong = await _walk(page, {"invitation": invitation.strip()})
        await accept(page, invitation)
    async with open_dashboard(None) as page:
        await page.goto("/dashboard/forgot")
        await page.get_by_role("textbox", name="E-mail", exact=True).fill(colleague.email)
        await page.get_by_role("button", name="Send reset link").click()
        await expect(page.get_by_role("button", name="Send reset link")).to_have_count(0)
    async with open_dashboard() as page:
        reset = await _mailed(page, colleague.email, "/reset/")
    async with open_dashboard(None, viewport=viewport, scheme=scheme) as page:
        wrong |= await _walk(page, {"reset": reset})
    assert not wrong, wrong


async def _mailed(page: Page, email: str, part: str) -> str:
    """The link with this in it, of the newest mail to somebody; the worker sends it in a moment."""
    async with asyncio.timeout(PATIENCE_MS / 1000):
        while True:
            await page.goto("/dashboard/mailbox")
            mail = (
                page.get_by_role("row")
                .filter(has_text=email)
                .filter(has_text="Reset your Landbridge password")
            )
            if await mail.count():
                break
    await mail.first.get_by_role("link").first.click()
    return str(await page.locator(f'main a[href*="{part}"]').first.get_attribute("href"))


async def _walk(
    page: Page, pages: Mapping[str, str], *, status: int = 200, looks_only: bool = False
) -> dict[str, Any]:
    wrong: dict[str, Any] = {}
    for name, path in pages.items():
        answer = await page.goto(path)
        assert answer is not None
        assert answer.status == status, f"{name}: {answer.status}"
        if found := await barriers(page, looks_only=looks_only):
            wrong[name] = found
    return wrong
