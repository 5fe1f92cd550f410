"""Coming in: by password, with codes of an app, and with a passkey that Chromium keeps."""

import time
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Page, expect
from pyotp.totp import TOTP

from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.people import (
    PASSWORD,
    OpenDashboard,
    join,
    sign_in,
    type_in,
    unique_colleague,
)

_DEVICE = {
    "options": {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
}


def path_of(page: Page) -> str:
    """Where the browser is."""
    return urlsplit(page.url).path


async def sign_out(page: Page) -> None:
    await page.get_by_role("button", name="Sign out").click()
    await page.wait_for_url("**/dashboard/sign-in*")


async def test_a_wrong_password_is_refused_and_the_right_one_leads_on(
    open_dashboard: OpenDashboard,
) -> None:
    mary = await join(open_dashboard, "member", "Mary")
    async with open_dashboard(None) as page:
        await page.goto("/dashboard/users?q=nobody-at-all")
        assert path_of(page) == "/dashboard/sign-in"
        await type_in(page, mary.email, "a-wrong-password")
        await expect(page.get_by_role("alert").first).to_contain_text("Wrong e-mail or password.")
        await expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
        await expect(page.get_by_label("E-mail")).to_have_value(mary.email)
        await expect(page.get_by_label("Password")).to_have_value("")
        await type_in(page, mary.email, PASSWORD)
        await page.wait_for_url("**/dashboard/users?q=nobody-at-all")
        await expect(page.get_by_label("Name, e-mail or user ID")).to_have_value("nobody-at-all")
        await expect(page.get_by_role("link", name=mary.name)).to_be_visible()
        await sign_out(page)
        await page.goto("/dashboard/users")
        assert path_of(page) == "/dashboard/sign-in"


async def test_nobody_is_led_to_another_site(open_dashboard: OpenDashboard) -> None:
    mary = await join(open_dashboard, "analyst", "Mary")
    async with open_dashboard(None) as page:
        await page.goto("/dashboard/sign-in?next=https://example.com/dashboard")
        await type_in(page, mary.email, PASSWORD)
        # Not a pattern that the address fits already, by where it says to go on.
        await page.wait_for_url(lambda url: urlsplit(url).path == "/dashboard")
        assert urlsplit(page.url).hostname == "localhost"


async def test_strangers_hear_the_same_as_members(open_dashboard: OpenDashboard) -> None:
    mary, outsider = await join(open_dashboard, "member", "Mary"), unique_colleague("Nobody")
    async with open_dashboard(None) as page:
        messages: list[str] = []
        for each in (mary, outsider):
            await page.goto("/dashboard/sign-in")
            await type_in(page, each.email, "a-wrong-password")
            messages.append(await page.get_by_role("alert").first.inner_text())
    assert messages[0] == messages[1]


async def test_codes_of_an_app_are_asked_for_once_set_up(open_dashboard: OpenDashboard) -> None:
    mary = await join(open_dashboard, "member", "Mary")
    async with open_dashboard(mary.email) as page:
        await page.goto("/dashboard/profile/second-factor")
        await page.get_by_role("button", name="Set up authenticator app").click()
        secret = await page.get_by_role("region", name="Key").inner_text()
        app, began = TOTP(secret.replace(" ", "").strip()), time.time()
        await page.get_by_label("Authentication code", exact=True).fill(app.at(began))
        await page.get_by_role("button", name="Turn on").click()
        await expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
        await expect(page.locator("ol.recovery li")).to_have_count(10)
        recovery = await page.locator("ol.recovery li").all_inner_texts()
        assert len(set(recovery)) == 10
        await sign_out(page)
        await sign_in_to_code(page, mary.email)
        assert not await barriers(page)
        # The code that set it up is used; that of the next half minute is not.
        await enter(page, app.at(began))
        await expect(page.get_by_role("alert").first).to_contain_text("Wrong or already used code.")
        await page.goto("/dashboard/users")
        assert path_of(page) == "/dashboard/sign-in/code"
        # That of now if this took longer: it is good for a half minute before and after.
        await enter(page, app.at(max(time.time(), began + app.interval)))
        await expect(page.get_by_role("heading", name="Users", exact=True)).to_be_visible()
        await sign_out(page)
        await sign_in_to_code(page, mary.email)
        await enter(page, recovery[0])
        await page.wait_for_url("**/dashboard")
        await page.goto("/dashboard/profile/second-factor")
        await expect(page.get_by_text("9 recovery codes left")).to_be_visible()


async def sign_in_to_code(page: Page, email: str) -> None:
    """To where the code is asked for, and no further."""
    await page.goto("/dashboard/sign-in")
    await type_in(page, email, PASSWORD)
    await page.wait_for_url("**/dashboard/sign-in/code*")


async def enter(page: Page, code: str) -> None:
    await page.get_by_label("Authentication code", exact=True).fill(code)
    await page.get_by_role("button", name="Continue").click()


async def test_a_passkey_opens_without_password(open_dashboard: OpenDashboard) -> None:
    mary = await join(open_dashboard, "member", "Mary")
    async with open_dashboard(None) as page:
        device: Any = await page.context.new_cdp_session(page)
        await device.send("WebAuthn.enable")
        added = await device.send("WebAuthn.addVirtualAuthenticator", _DEVICE)
        await sign_in(page, mary.email, PASSWORD)
        await page.goto("/dashboard/profile/passkeys")
        await page.get_by_label("Name", exact=True).fill("Work laptop")
        await page.get_by_role("button", name="Add").click()
        await expect(page.get_by_role("link", name="Work laptop")).to_be_visible()
        await expect(page.get_by_role("cell", name="Never")).to_be_visible()
        await page.get_by_role("link", name="Work laptop").click()
        await expect(page.get_by_label("Name", exact=True)).to_have_value("Work laptop")
        assert not await barriers(page)
        await sign_out(page)
        await page.goto("/dashboard/transactions")
        await page.get_by_role("button", name="Sign in with a passkey").click()
        await page.wait_for_url("**/dashboard/transactions")
        await expect(page.get_by_role("link", name=mary.name)).to_be_visible()
        await page.goto("/dashboard/profile/passkeys")
        await expect(page.get_by_role("cell", name="Never")).to_have_count(0)
        await page.get_by_role("button", name="Remove Work laptop").click()
        await page.get_by_role("alertdialog").get_by_role("button", name="Remove").click()
        await expect(page.get_by_text("No passkeys yet")).to_be_visible()
        await sign_out(page)
        await page.get_by_role("button", name="Sign in with a passkey").click()
        await expect(page.locator("[data-problem]")).to_contain_text("This passkey didn't work.")
        await device.send("WebAuthn.removeVirtualAuthenticator", added)
