"""A person is verified by a reviewer, at a server where somebody looks at everybody."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from landbridge.sandbox.scenarios.client import ScenarioClient, connected
from landbridge.sandbox.scenarios.people import introduce, sign_up
from tests.app.processes.server_process import KEY, Served
from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.conftest import dashboard_opener, served_here
from tests.conftest import new_database
from tests.customers.onboarding.person import IMAGE


@pytest.fixture
async def strict(server_dsn: str, tmp_path: Path) -> AsyncIterator[Served]:
    """A server at which people decide on people."""
    async with new_database(server_dsn, is_migrated=False) as dsn:
        with served_here(tmp_path / "data", database_url=dsn, identity="manual") as server:
            yield server


async def test_a_person_is_looked_at_and_approved(
    browser: Browser, strict: Served, tmp_path: Path
) -> None:
    scan = tmp_path / IMAGE[0]
    scan.write_bytes(IMAGE[1])
    async with (
        connected(f"http://127.0.0.1:{strict.port}", KEY) as api,
        dashboard_opener(browser, strict)() as page,
    ):
        user = await sign_up(api, "Grace")
        await introduce(api, user)
        await _add_a_scan(page, user, scan)
        path = f"/v2/users/{user}/kyc"
        await api.post(f"{path}/submissions", {"rails": "USD"})
        assert await _status(api, user) != "ACTIVE"
        await page.goto("/dashboard/reviews")
        await page.get_by_role("main").get_by_role("link", name="Verifications").click()
        await page.get_by_role("row", name="grace@example.com").get_by_role("link").click()
        submitted_data = page.get_by_role("region", name="Submitted data")
        await expect(submitted_data).to_contain_text("1 Main Street")
        papers = page.get_by_role("region", name="Documents")
        await expect(papers.get_by_role("link", name="https://example.com")).to_be_visible()
        picture = papers.get_by_role("img")
        await picture.scroll_into_view_if_needed()
        await expect(picture).to_have_js_property("complete", value=True)
        assert await picture.evaluate("each => each.naturalWidth") > 0
        assert not await barriers(page)
        await page.get_by_role("button", name="Submit and open next").click()
        # Nothing was chosen: the browser asks for it.
        assert page.url.rpartition("/")[0].endswith("/reviews/kyc")
        await page.get_by_label("Approve").check()
        await page.get_by_label("Note").fill("Face and name fit.")
        await page.get_by_role("button", name="Submit and open next").click()
        await page.wait_for_url("**/dashboard/reviews/kyc")
        await expect(page.get_by_text("You're all caught up")).to_be_visible()
        assert await _status(api, user) == "ACTIVE"
        await page.goto(f"/dashboard/users/{user}/compliance?rails=USD")
        await expect(page.get_by_text("ACTIVE").first).to_be_visible()


async def _add_a_scan(page: Page, user: str, scan: Path) -> None:
    """The file of a document, beside the one that is a link."""
    await page.goto(f"/dashboard/users/{user}/compliance/documents/new?type=DRIVERS")
    await page.locator("input[type=file]").set_input_files(scan)
    await page.get_by_label("Issuing country").fill("USA")
    await page.get_by_label("Document number").fill("D1234567")
    await page.get_by_role("button", name="Add document").click()
    await page.wait_for_url("**/compliance*")


async def _status(api: ScenarioClient, user: str) -> str:
    return str((await api.get(f"/v2/users/{user}/kyc/status", rails="USD"))["status"])
