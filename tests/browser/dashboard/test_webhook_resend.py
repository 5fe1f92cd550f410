"""A receiver that fails, and is sent to again by a press of a button."""

from playwright.async_api import Locator, Page, expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.people import OpenDashboard, unique_colleague
from tests.developers.webhooks.worker_steps import receiving, until

_LOOKS = 120


async def test_what_a_receiver_refused_is_sent_again(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    async with receiving() as receiver, open_dashboard() as page:
        receiver.answers = lambda _: 500
        name = unique_colleague("Till").name
        await page.goto("/dashboard/webhooks")
        await page.get_by_role("link", name="New endpoint").click()
        await page.get_by_label("URL", exact=True).fill(receiver.url)
        await page.get_by_label("Description").fill(name)
        await page.get_by_role("button", name="Create endpoint").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(name)
        # A new endpoint shows its keys first.
        endpoint = page.url.partition("?")[0].removesuffix("/keys")
        user = await sign_up(api, unique_colleague("Grace").name)
        await until(lambda: "USER.CREATE" in receiver.of(user))
        # Once or, when we were slow, again by now.
        (event,) = {
            each.id
            for each in receiver.received
            if (each.type, each.object_id) == ("USER.CREATE", user)
        }
        await page.goto(endpoint)
        row = page.get_by_role("row", name="USER.CREATE")
        await expect(row).to_contain_text("Responded 500")
        await row.get_by_role("link").click()
        await expect(page.get_by_role("region", name="Body")).to_contain_text(event)
        receiver.answers = lambda _: 200
        receiver.response_body = lambda _: "thanks a lot"
        known = len(receiver.received)
        await page.get_by_role("button", name="Resend").click()
        await until(lambda: event in [each.id for each in receiver.received[known:]])
        # The delivery is stored a moment later.
        attempts = page.get_by_role("region", name="Attempts")
        await _reload_until(page, attempts, "thanks a lot")
        await expect(attempts).to_contain_text("thanks a lot")
        await expect(page.get_by_role("main").locator(".facts .status")).to_have_attribute(
            "title", "DELIVERED"
        )
        await page.goto("/dashboard/webhooks")
        # Events of other tests were refused until a moment ago, and are sent again.
        listed = page.get_by_role("row", name=name)
        await _reload_until(page, listed, "Responded 200")
        await expect(listed).to_contain_text("Responded 200")
        # The endpoint of nobody is left behind for the other tests.
        await page.goto(endpoint)
        await page.get_by_role("button", name="Pause deliveries").click()
        await expect(page.get_by_text("Paused: events are queued")).to_be_visible()


async def _reload_until(page: Page, part: Locator, text: str) -> None:
    """Load the page again until this part of it has a text, for half a minute at most."""
    for _ in range(_LOOKS):
        if text in await part.inner_text():
            return
        await page.wait_for_timeout(250)
        await page.reload()
