"""Questions before what cannot be undone: the page's own dialog, by mouse and by keyboard."""

from playwright.async_api import Locator, Page, expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.people import OpenDashboard, unique_colleague
from tests.tenants import transfer_body

_QUESTION = "Reject this payment? The held funds are released to the sender."


async def test_a_question_is_answered_in_the_page(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    payer = await sign_up(api, unique_colleague("Ada").name, funds="10")
    payee = await sign_up(api, unique_colleague("Payee").name)
    body = transfer_body(payer, payee, "1", requireApproval=True)
    created = (await api.post("/v2/wallets/transfers", body))["transferDetails"]
    approval = f"/v2/approvals/{created['approval']['id']}"
    async with open_dashboard() as page:
        await page.goto(f"/dashboard/approvals/{created['approval']['id']}")
        reject = page.get_by_role("button", name="Reject", exact=True)
        await page.get_by_label("Comment").fill("Unknown payee")
        dialog = await _open_dialog(page, reject, _QUESTION)
        assert not await barriers(page)
        # The first focus is on what changes nothing.
        await expect(dialog.get_by_role("button", name="Go back")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        await expect(reject).to_be_focused()
        await _open_dialog(page, reject, _QUESTION)
        await dialog.get_by_role("button", name="Go back").click()
        await expect(page.get_by_label("Comment")).to_have_value("Unknown payee")
        assert (await api.get(approval))["status"] == "PENDING"
        await _open_dialog(page, reject, _QUESTION)
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(reject).to_have_count(0)
        assert (await api.get(approval))["status"] == "REJECTED"


async def test_the_form_with_a_reason_is_the_question(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    user = await sign_up(api, unique_colleague("Ada").name)
    async with open_dashboard() as page:
        await page.goto(f"/dashboard/users/{user}")
        await page.get_by_role("link", name="Freeze", exact=True).click()
        await expect(page.get_by_label("Reason")).to_be_focused()
        await page.keyboard.type("Court order")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Unfreeze")).to_be_visible()
        assert (await api.get(f"/v2/users/{user}/freeze"))["frozen"]


async def test_only_a_rotation_without_overlap_is_asked_about(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    body = {"url": "http://127.0.0.1:9/rotated", "eventTypes": ["USER.CREATE"]}
    webhook = (await api.post("/v2/webhooks", body))["id"]
    async with open_dashboard() as page:
        await page.goto(f"/dashboard/webhooks/{webhook}/keys")
        rotate = page.get_by_role("button", name="Rotate key", exact=True)
        await page.get_by_label("New key starts signing").select_option("0")
        dialog = await _open_dialog(page, rotate, "The current key stops signing at once.")
        await dialog.get_by_role("button", name="Go back").click()
        await page.get_by_label("New key starts signing").select_option("86400")
        await rotate.click()
        await expect(page.get_by_text("Key rotated")).to_be_visible()
    await api.delete(f"/v2/webhooks/{webhook}")


async def _open_dialog(page: Page, button: Locator, question: str) -> Locator:
    """Press the button; return the dialog, whose button has the same text."""
    text = await button.inner_text()
    await button.click()
    dialog = page.get_by_role("alertdialog")
    await expect(dialog.get_by_text(question)).to_be_visible()
    await expect(dialog.get_by_role("button", name=text, exact=True)).to_be_visible()
    return dialog
