"""A payment that waits for travel rule data: no barrier on its pages, and the form is taken."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from landbridge.sandbox.scenarios.client import connected
from landbridge.sandbox.scenarios.people import sign_up
from tests.app.processes.server_process import KEY, Served
from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.conftest import PHONE, WIDE, dashboard_opener, served_here
from tests.conftest import new_database
from tests.tenants import transfer_body

OUTSIDE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
_PATIENCE_S = 120.0


@dataclass(frozen=True)
class WaitingPayment:
    """A server with the travel rule, and a payment that waits."""

    server: Served
    payment: str
    screening: str


@pytest.fixture(scope="module")
async def waiting_payment(
    browser: Browser, server_dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[WaitingPayment]:
    folder = tmp_path_factory.mktemp("travel")
    async with new_database(server_dsn, is_migrated=False) as dsn:
        with served_here(folder / "d", database_url=dsn, travel_rule="on") as server:
            await _choose_jurisdiction(browser, server)
            async with connected(f"http://127.0.0.1:{server.port}", KEY) as api:
                ada = await sign_up(api, funds="100")
                body = {"chain": "POLYGON", "name": "Bob", "referenceId": "bob-1"}
                await api.post(f"/v2/users/{ada}/wallets/external", {"address": OUTSIDE, **body})
                sent = transfer_body(ada, {"walletAddress": OUTSIDE}, "10")
                made = await api.post("/v2/wallets/transfers", sent)
                found: list[Any] = []
                async with asyncio.timeout(_PATIENCE_S):
                    while not found:
                        await asyncio.sleep(0.2)
                        found = (await api.get("/v2/travel-rule/waiting"))["transfers"]
            payment = str(made["transferDetails"]["id"])
            yield WaitingPayment(server, payment, str(found[0]["screeningId"]))


async def _choose_jurisdiction(browser: Browser, server: Served) -> None:
    async with dashboard_opener(browser, server)() as page:
        await page.goto("/dashboard/settings/travel-rule")
        await page.get_by_label("Jurisdiction").select_option("EU")
        await page.get_by_role("button", name="Save jurisdiction").click()
        await expect(page.get_by_text("Jurisdiction saved")).to_be_visible()


@pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
async def test_no_page_of_a_payment_that_waits_has_a_barrier(
    browser: Browser, waiting_payment: WaitingPayment, viewport: dict[str, int], scheme: str
) -> None:
    wrong: dict[str, Any] = {}
    opener = dashboard_opener(browser, waiting_payment.server)
    form = f"/dashboard/travel-rule/{waiting_payment.screening}"
    payment = f"/dashboard/transactions/{waiting_payment.payment}"
    screening = f"/dashboard/reviews/payment-screenings/{waiting_payment.screening}"
    async with opener(viewport=viewport, scheme=scheme) as page:
        for path in (payment, screening, form):
            await page.goto(path)
            # The other test may have supplied a part before.
            await expect(page.get_by_text("Missing").first).to_be_visible()
            if found := await barriers(page):
                wrong[path] = found
        # A refused form has its sentences beside the inputs.
        await page.get_by_label("Type of wallet").select_option("HOSTED")
        await page.get_by_label("Provider of a hosted wallet").fill("")
        await page.get_by_label("Owner of the wallet").select_option("USER")
        await page.get_by_role("button", name="Save data").click()
        await expect(page.get_by_label("Provider of a hosted wallet")).to_be_focused()
        if found := await barriers(page):
            wrong["refused"] = found
    assert not wrong, wrong


async def test_the_form_sends_the_payment_on(
    browser: Browser, waiting_payment: WaitingPayment
) -> None:
    opener = dashboard_opener(browser, waiting_payment.server)
    async with opener(viewport=PHONE) as page:
        await page.goto(f"/dashboard/transactions/{waiting_payment.payment}")
        await page.get_by_role("link", name="Supply the data").first.click()
        await page.get_by_label("Type of wallet").select_option("HOSTED")
        await page.get_by_label("Provider of a hosted wallet").fill("Example Exchange")
        await page.get_by_label("Owner of the wallet").select_option("THIRD_PARTY")
        await page.get_by_label("First name").fill("Bob")
        await page.get_by_label("Last name").fill("Builder")
        await page.get_by_role("button", name="Save data").click()
        await expect(page.get_by_text("Travel rule data saved.")).to_be_visible()
        # What the sandbox's person lacks, in words.
        missing = page.get_by_text("Missing travel rule data")
        await expect(missing.first).to_be_visible()
