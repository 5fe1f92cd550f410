"""Parts updated by scripts: lists that filter while typing, running times, pages that refresh."""

import asyncio
import re
from uuid import uuid4

from playwright.async_api import Locator, Page, Route, expect

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import bank_account, sign_up, verified
from tests.browser.dashboard.people import OpenDashboard, unique_colleague
from tests.dashboard.world import World
from tests.tenants import transfer_body

_SHOWN = re.compile(r"(?:(\d+)m )?(\d+)s")


async def test_users_are_found_while_one_types(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    family = unique_colleague("Noether").name
    for first in ("a", "b"):
        await sign_up(api, f"{family}{first}")
    async with open_dashboard() as page:
        await page.goto("/dashboard/users")
        field, rows = page.get_by_label("Name, e-mail or user ID"), page.locator("#users tbody tr")
        await field.press_sequentially(family.lower())
        await expect(rows).to_have_count(2)
        await field.press_sequentially("b")
        await expect(rows).to_have_count(1)
        await expect(field).to_be_focused()
        # The address follows, so that a colleague can be sent it.
        assert page.url.endswith(f"/dashboard/users?q={family.lower()}b")
        await page.reload()
        await expect(rows).to_have_count(1)
        await field.press_sequentially("c")
        await expect(page.get_by_text("No matching users")).to_be_visible()


async def test_results_on_their_way_have_a_skeleton(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    name = unique_colleague("Emmy").name
    await sign_up(api, name)
    async with open_dashboard() as page:
        answered = asyncio.Event()

        async def answer_later(route: Route) -> None:
            await answered.wait()
            await route.continue_()

        await page.route("**/dashboard/search?part=1*", answer_later)
        await page.route("**/dashboard/new/users?q=*", answer_later)
        await page.keyboard.press("Control+k")
        await page.keyboard.type(name)
        await expect(page.locator("#palette-loading .skeleton")).to_be_visible()
        answered.set()
        await expect(page.locator("#palette-found").get_by_role("option")).to_have_count(1)
        await expect(page.locator("#palette-loading")).to_be_hidden()
        answered.clear()
        await page.goto("/dashboard/transactions")
        await page.get_by_role("combobox", name="User").press_sequentially(name)
        suggestions = page.locator("#f-user-suggestions")
        await expect(suggestions.locator(".skeleton")).to_be_visible()
        answered.set()
        await expect(suggestions.get_by_role("option")).to_have_count(1)
        await expect(suggestions.locator(".skeleton")).to_have_count(0)


async def test_approvals_count_what_is_selected(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    # Of its own: those of other tests may fill the first page.
    payer = await sign_up(api, unique_colleague("Grace").name, funds="10")
    payee = await sign_up(api, unique_colleague("Payee").name)
    body = transfer_body(payer, payee, "1", requireApproval=True)
    created = (await api.post("/v2/wallets/transfers", body))["transferDetails"]
    async with open_dashboard() as page:
        await page.goto("/dashboard/approvals")
        approval = created["approval"]["id"]
        await expect(page.locator(f'a[href="/dashboard/approvals/{approval}"]')).to_be_visible()
        rows = page.locator("input[name=approval]")
        count = await rows.count()
        await page.get_by_role("checkbox", name="Select all").check()
        shown = page.locator("output[data-ticked]")
        await expect(shown).to_have_text(re.compile(rf"^Selected: {count} / {count} · .*USDC"))
        await rows.first.uncheck()
        await expect(shown).to_contain_text(f"Selected: {count - 1} / {count}")


async def test_the_palette_finds_people_and_payments(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    name = unique_colleague("Grace").name
    user = await sign_up(api, name, funds="10")
    wallets = (await api.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    payment = await _transfer(api, user, await sign_up(api, unique_colleague("Payee").name))
    found = (await api.get(f"/v2/wallets/transfers/{payment}"))["transferDetails"]
    expected = {
        wallets["POLYGON"]["address"]: f"/dashboard/users/{user}",
        user: f"/dashboard/users/{user}",
        payment: f"/dashboard/transactions/{payment}",
        found["receipt"]["transactionHash"]: f"/dashboard/transactions/{payment}",
    }
    async with open_dashboard() as page:
        for text, there in expected.items():
            await page.goto("/dashboard")
            await page.get_by_role("button", name="Search or go to").click()
            await page.get_by_role("dialog").get_by_role("combobox").fill(text)
            await page.locator(f'#palette-found [role=option][data-to^="{there}"]').first.click()
            await page.wait_for_url(f"**{there}**")


async def _transfer(api: ScenarioClient, payer: str, payee: str) -> str:
    """A transfer that has arrived."""
    body = {
        "requestId": str(uuid4()),
        "source": {"userId": payer},
        "destination": {"userId": payee},
        "amount": 1,
        "currency": "usdc",
        "chain": "POLYGON",
    }
    created = await api.post("/v2/wallets/transfers", body)
    await api.pass_time(60)
    return str(created["transferDetails"]["id"])


async def test_the_time_of_a_quote_runs(open_dashboard: OpenDashboard, api: ScenarioClient) -> None:
    payment = await _quoted(api)
    async with open_dashboard() as page:
        # The browser's time is ours to move on: a busy one may count late.
        await page.clock.install()
        await page.goto(f"/dashboard/transactions/{payment}")
        before = await _left(page)
        await page.clock.run_for(2100)
        assert 1 <= before - await _left(page) <= 20


async def _left(page: Page) -> int:
    """Seconds, as the card of the quote shows them."""
    text = await page.locator("#payment-actions time[data-left]").inner_text()
    shown = _SHOWN.fullmatch(text)
    assert shown, text
    return int(shown[1] or 0) * 60 + int(shown[2])


async def _quoted(api: ScenarioClient) -> str:
    """An offramp that waits for its quote to be accepted."""
    user = await verified(api, funds="100")
    account = await bank_account(api, user)
    body = {
        "requestId": str(uuid4()),
        "source": {"userId": user, "amount": 50, "currency": "usdc", "chain": "POLYGON"},
        "destination": {"userId": user, "currency": "usd", "accountId": account},
    }
    created = await api.post("/v2/offramps", body)
    assert created["transferDetails"]["status"] == "OPEN_QUOTE", created
    return str(created["transferDetails"]["id"])


async def test_the_overview_renews_itself_while_it_is_in_view(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    async with open_dashboard() as page:
        await page.clock.install()
        await page.goto("/dashboard")
        made = page.locator("#attention .updated time")
        before = await made.get_attribute("datetime")
        name = unique_colleague("Payer").name
        await _transfer(api, await sign_up(api, name, funds="10"), await sign_up(api, "Payee"))
        recent = page.locator("#recent").get_by_role("link", name=name)
        await page.evaluate(
            "Object.defineProperty(document, 'hidden', {get: () => window.isAway, set: () => {}})"
        )
        await page.evaluate("window.isAway = true")
        await page.clock.run_for(60_000)
        await expect(recent).to_have_count(0)
        await page.evaluate(
            "window.isAway = false; document.dispatchEvent(new Event('visibilitychange'))"
        )
        await expect(recent.first).to_be_visible()
        await expect(made).not_to_have_attribute("datetime", before or "")


async def test_entries_of_a_part_are_kept(open_dashboard: OpenDashboard, world: World) -> None:
    assert world.approval
    async with open_dashboard() as page:
        await page.clock.install()
        await page.goto("/dashboard/approvals")
        chosen = page.locator("#approvals tbody input[type=checkbox]").first
        await chosen.check()
        await page.evaluate("document.activeElement.blur()")
        made = await page.locator("#approvals .updated time").get_attribute("datetime")
        await page.clock.run_for(60_000)
        await expect(chosen).to_be_checked()
        await expect(page.locator("#approvals .updated time")).to_have_attribute(
            "datetime", made or ""
        )


async def test_a_chart_shows_values_at_the_pointer_and_by_keys(
    open_dashboard: OpenDashboard, world: World
) -> None:
    assert world.user
    async with open_dashboard() as page:
        await page.goto("/dashboard/reports/explore?template=NEW_USERS")
        tip = page.locator(".tip")
        await expect(tip).to_be_hidden()
        await page.locator(".hit").last.hover()
        await expect(tip).to_be_visible()
        shown = await tip.inner_text()
        await page.mouse.move(0, 0)
        await expect(tip).to_be_hidden()
        await page.locator("svg[data-tips]").focus()
        await page.keyboard.press("ArrowLeft")
        await expect(tip).to_have_text(shown)
        await page.keyboard.press("ArrowLeft")
        await expect(tip).not_to_have_text(shown)
        await page.keyboard.press("Escape")
        await expect(tip).to_be_hidden()


async def test_the_page_of_a_payment_renews_itself(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    payment = await _quoted(api)
    async with open_dashboard() as page:
        await page.goto(f"/dashboard/transactions/{payment}")
        status = page.locator("#payment .heading .status")
        await expect(status).to_have_attribute("title", "OPEN_QUOTE")
        await page.evaluate("window.isTheSamePage = true")
        # The chosen tab keeps the focus, and the page renews itself all the same.
        await page.get_by_role("link", name="JSON").click()
        await expect(page.locator("#payment > pre")).to_be_visible()
        await api.post(f"/v2/offramps/{payment}/quote/accept")
        await expect(status).not_to_have_attribute("title", "OPEN_QUOTE")
        await expect(page.get_by_role("button", name="Accept quote")).to_have_count(0)
        for _ in range(6):
            await api.pass_time(86400)
        await expect(status).to_have_attribute("title", "COMPLETED")
        assert await page.evaluate("window.isTheSamePage")
        await expect(page.locator("#payment > pre")).to_contain_text("COMPLETED")
        await expect(page.locator("#payment[data-poll]")).to_have_count(0)


async def test_tabs_of_a_payment_replace_only_their_part(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    payment = await _quoted(api)
    path = f"/dashboard/transactions/{payment}"
    async with open_dashboard() as page:
        await page.goto(path)
        await page.evaluate("window.isTheSamePage = true")
        tabs = tabs_of(page)
        await tabs.get_by_role("link", name="Overview").focus()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**{path}/timeline")
        current = tabs.locator("[aria-current=page]")
        await expect(current).to_have_text("Timeline")
        await expect(current).to_be_focused()
        assert (await page.title()).startswith("Timeline")
        await tabs.get_by_role("link", name="Journal entries").click()
        await expect(current).to_have_text("Journal entries")
        await page.go_back()
        await expect(current).to_have_text("Timeline")
        await page.go_back()
        await expect(page.get_by_role("heading", name="Amounts and fees")).to_be_visible()
        assert await page.evaluate("window.isTheSamePage")
        # A link that is older than the tabs.
        await page.goto("/dashboard")
        await page.goto(f"{path}#notes")
        await page.wait_for_url(f"**{path}/notes")
    async with open_dashboard(scripts=False) as page:
        await page.goto(path)
        await tabs_of(page).get_by_role("link", name="Events").click()
        await expect(tabs_of(page).locator("[aria-current=page]")).to_have_text("Events")


def tabs_of(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Payment", exact=True)
