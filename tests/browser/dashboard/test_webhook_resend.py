"""A receiver that fails, and is sent to again by a press of a button."""

from playwright.async_api import expect

from landbridge.stories.client import Client
from landbridge.stories.people import sign_up
from tests.browser.dashboard.people import Desk, somebody
from tests.webhooks.carrying import receiving, until

_LOOKS = 120


async def test_what_a_receiver_refused_is_sent_again(desk: Desk, api: Client) -> None:
    async with receiving() as receiver, desk() as page:
        receiver.answers = lambda _: 500
        name = somebody("Till").name
        await page.goto("/dashboard/webhooks")
        await page.get_by_role("link", name="New endpoint").click()
        await page.get_by_label("Address", exact=True).fill(receiver.url)
        await page.get_by_label("Description").fill(name)
        await page.get_by_role("button", name="Create endpoint").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(name)
        # A new endpoint shows its keys first.
        endpoint = page.url.partition("?")[0].removesuffix("/keys")
        user = await sign_up(api, somebody("Grace").name)
        await until(lambda: "USER.CREATE" in receiver.of(user))
        # Once or, when we were slow, again by now.
        (event,) = {
            each.id
            for each in receiver.came
            if (each.type, each.object_id) == ("USER.CREATE", user)
        }
        await page.goto(endpoint)
        row = page.get_by_role("row", name="USER.CREATE")
        await expect(row).to_contain_text("Answered 500")
        await row.get_by_role("link").click()
        await expect(page.get_by_role("region", name="Body")).to_contain_text(event)
        receiver.answers = lambda _: 200
        receiver.says = lambda _: "thanks a lot"
        known = len(receiver.came)
        await page.get_by_role("button", name="Send again").click()
        await until(lambda: event in [each.id for each in receiver.came[known:]])
        # What came is written down a moment later.
        for _ in range(_LOOKS):
            if "thanks a lot" in await page.get_by_role("region", name="Attempts").inner_text():
                break
            await page.wait_for_timeout(250)
            await page.reload()
        await expect(page.get_by_role("region", name="Attempts")).to_contain_text("thanks a lot")
        await expect(page.get_by_role("main").locator(".facts .status")).to_have_text("DELIVERED")
        await page.goto("/dashboard/webhooks")
        await expect(page.get_by_role("row", name=name)).to_contain_text("Answered 200")
        # The endpoint of nobody is left behind for the other tests.
        await page.goto(endpoint)
        await page.get_by_role("button", name="Pause").click()
        await expect(page.get_by_text("Paused: events wait here")).to_be_visible()
