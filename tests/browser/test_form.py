"""The hosted form in a real browser, on a phone, from nothing to ACTIVE."""

from pathlib import Path
from typing import Any

from playwright.async_api import Page

from tests.app.processes.server_process import Served
from tests.browser.conftest import PHONE, Opened
from tests.browser.looking import fill_in, go, heading
from tests.customers.onboarding.person import (
    ADA,
    ADA_DETAILS,
    COMPANY,
    COMPANY_DETAILS,
    COMPANY_QUESTIONS,
    IMAGE,
    OWNER,
    PASSPORT,
)


async def test_a_person_verifies_themselves_on_a_phone(
    site: Served, opened: Opened, tmp_path: Path
) -> None:
    scan = tmp_path / "passport.jpg"
    scan.write_bytes(IMAGE[1])
    back = f"http://127.0.0.1:{site.port}/healthz"
    async with opened(PHONE) as page:
        await page.goto(_link(site, userType="INDIVIDUAL", rails=["USD"], redirectUrl=back))
        assert await heading(page) == "Terms of service"
        await _tap(page, "Accept terms")
        assert await heading(page) == "About you"
        await _mend(page, "Enter your first name", {**ADA, "email": "nobody"})
        await page.get_by_label("E-mail").fill("ada@example.com")
        await _tap(page, "Continue")
        assert await heading(page) == "Your details"
        await fill_in(page, ADA_DETAILS)
        await _tap(page, "Continue")
        assert await heading(page) == "Documents"
        await go(page, page.get_by_role("link", name="Add file"))
        assert await heading(page) == "Proof of identity"
        await fill_in(page, PASSPORT)
        await page.get_by_label("File", exact=True).set_input_files(scan)
        await _tap(page, "Upload file")
        assert await heading(page) == "Documents"
        await go(page, page.get_by_role("link", name="Continue"))
        assert await heading(page) == "Review your answers"
        await _tap(page, "Submit")
        await page.wait_for_url(f"{back}?userId=*")
        user = page.url.partition("userId=")[2]
    site.call("POST", "/v2/sandbox/clock/advance", {"seconds": 60})
    assert _status(site, user) == "ACTIVE"


async def test_a_business_verifies_itself_with_an_owner(
    site: Served, opened: Opened, tmp_path: Path
) -> None:
    scan = tmp_path / "paper.jpg"
    scan.write_bytes(IMAGE[1])
    async with opened(PHONE, scheme="dark") as page:
        url = _link(site, userType="BUSINESS", rails=["USD"])
        await page.goto(url)
        await _tap(page, "Accept terms")
        assert await heading(page) == "About the business"
        assert not await page.get_by_text("Who signs for it").is_visible()
        await fill_in(page, COMPANY)
        await _tap(page, "Continue")
        assert await heading(page) == "Business details"
        await fill_in(page, COMPANY_DETAILS)
        await _tap(page, "Continue")
        assert await heading(page) == "Additional questions"
        await fill_in(page, COMPANY_QUESTIONS)
        await _tap(page, "Continue")
        assert await heading(page) == "Beneficial owners and representatives"
        await go(page, page.get_by_role("link", name="Ada Example"))
        assert await heading(page) == "Ada Example"
        await fill_in(page, OWNER)
        await _tap(page, "Save")
        assert await heading(page) == "Beneficial owners and representatives"
        await go(page, page.get_by_role("link", name="Continue"))
        assert await heading(page) == "Documents"
        while await (missing := page.locator("li:has-text('Missing') a")).count():
            await go(page, missing.first)
            await _send_scan(page, scan)
        assert await heading(page) == "Documents"
        await go(page, page.get_by_role("link", name="Continue"))
        assert await heading(page) == "Review your answers"
        await _tap(page, "Submit")
        assert await heading(page) == "Thank you"
        site.call("POST", "/v2/sandbox/clock/advance", {"seconds": 120})
        await page.reload()
        assert await page.get_by_text("Approved").is_visible()


async def _mend(page: Page, message: str, answers: dict[str, str | list[str]]) -> None:
    """Send nothing, go by the summary to the first field, fill in all but one rightly."""
    await _tap(page, "Continue")
    summary = page.get_by_role("alert")
    await summary.get_by_role("link", name=message).tap()
    assert page.url.endswith("#firstName")
    first = page.get_by_label("First name")
    assert await first.evaluate(
        "each => each.getBoundingClientRect().top >= 0"
        " && each.getBoundingClientRect().bottom <= innerHeight"
    )
    assert await first.get_attribute("aria-invalid") == "true"
    await fill_in(page, answers)
    await _tap(page, "Continue")
    assert await heading(page) == "About you"
    assert await page.get_by_role("alert").get_by_role("link").count() == 1
    assert await first.input_value() == "Ada"


async def _send_scan(page: Page, scan: Path) -> None:
    types = page.locator("[name=type]")
    if await types.count():
        await types.first.check()
    await page.locator("[name=issuedCountry]").select_option("USA")
    await page.get_by_label("File", exact=True).set_input_files(scan)
    await _tap(page, "Upload file")


async def _tap(page: Page, name: str) -> None:
    await go(page, page.get_by_role("button", name=name, exact=True))


def _link(site: Served, **params: Any) -> str:
    status, created = site.call("POST", "/v2/kyc-link", params)
    assert status == 200, created
    return created["kycLinkUrl"]


def _status(site: Served, user: str) -> str:
    return site.call("GET", f"/v2/users/{user}/kyc/status?rails=USD")[1]["status"]
