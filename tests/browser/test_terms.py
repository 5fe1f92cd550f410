"""The terms page in a real browser."""

from typing import Any
from uuid import uuid4

from tests.app.processes.server_process import Served
from tests.browser.conftest import Opened
from tests.browser.looking import go, heading


def _link(site: Served, **params: str) -> tuple[str, str]:
    """The page of a new link, and its id."""
    key = str(uuid4())
    status, created = site.call("POST", "/v2/tos-link", {"idempotencyKey": key, **params})
    assert status == 200
    return created["url"], key


def _is_signed(site: Served, key: str) -> bool:
    link: Any = site.call("GET", f"/v2/tos-link/{key}")[1]
    return link["signed"]


async def test_terms_are_accepted_with_the_keyboard_alone(site: Served, opened: Opened) -> None:
    # Back to ourselves: no other host is reached from here.
    back = f"http://127.0.0.1:{site.port}/healthz"
    url, key = _link(site, redirectUrl=back)
    async with opened() as page:
        await page.goto(url)
        assert await heading(page) == "Terms of service"
        await page.keyboard.press("Tab")
        focused = page.locator(":focus")
        assert await focused.inner_text() == "Accept terms"
        outline = await focused.evaluate("each => getComputedStyle(each).outlineWidth")
        assert outline == "3px"
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"{back}?signedAgreementId={key}")
    assert _is_signed(site, key)


async def test_somebody_without_a_way_back_is_thanked(site: Served, opened: Opened) -> None:
    url, key = _link(site)
    async with opened({"width": 390, "height": 844}, scheme="dark") as page:
        await page.goto(url)
        assert await heading(page) == "Terms of service"
        await go(page, page.get_by_role("button", name="Accept terms"))
        assert await heading(page) == "Thank you"
    assert _is_signed(site, key)
