"""Pages at 1280 px: menu, amounts and users on one line, tables whole, headings at the top."""

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.people import OpenDashboard, unique_colleague
from tests.dashboard.world import World
from tests.tenants import transfer_body

# Texts of a selector that take more than one line.
_WRAPPED = """selector => [...document.querySelectorAll(selector)].filter(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    const tops = [...range.getClientRects()].filter(box => box.width > 0).map(box => box.bottom);
    return Math.max(...tops) - Math.min(...tops) > 8;
}).map(each => each.textContent.trim())"""

# Headings of cards that are further from the top of the card than its padding.
_LOW = """() => [...document.querySelectorAll('main .card')].flatMap(card => {
    const first = [...card.children].find(each => each.type !== 'hidden');
    if (!/^H[23]$/.test(first?.tagName ?? '')) return [];
    const space = first.getBoundingClientRect().top - card.getBoundingClientRect().top;
    return space > parseFloat(getComputedStyle(card).paddingTop) + 2 ? [first.textContent] : [];
})"""
_CUT = """() => [...document.querySelectorAll('main .table')]
    .filter(each => each.scrollWidth > each.clientWidth).map(each => each.ariaLabel)"""
_MENU_CUT = """() => [...document.querySelectorAll('#menu .label')]
    .filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent)"""


async def test_menu_amounts_and_names_take_one_line(
    open_dashboard: OpenDashboard, api: ScenarioClient
) -> None:
    name = unique_colleague("Wolfeschlegelsteinhausenbergerdorff").name
    payer = await sign_up(api, name, funds="90000000")
    payee = await sign_up(api, unique_colleague("Payee").name)
    for approval in (None, True):
        body = transfer_body(payer, payee, "12345678.123456", requireApproval=approval)
        await api.post("/v2/wallets/transfers", body)
    async with open_dashboard() as page:
        for path in (f"/dashboard/transactions?user={payer}", "/dashboard/approvals"):
            await page.goto(path)
            assert await page.evaluate(_WRAPPED, "#menu li > a > .label") == [], path
            assert await page.evaluate(_WRAPPED, "main .amount") == [], path
            assert await page.evaluate(_WRAPPED, "main td .name") == [], path
        await page.goto(f"/dashboard/transactions?user={payer}")
        user = page.locator("td .name").first
        assert (await user.get_attribute("title") or "").startswith(name)
        is_cut = "each => each.scrollWidth > each.clientWidth"
        assert await user.evaluate(is_cut)
        numeric = "each => getComputedStyle(each).fontVariantNumeric"
        assert await page.locator("main .amount").first.evaluate(numeric) == "tabular-nums"


async def test_balances_keys_users_and_the_current_item_of_the_menu_are_whole(
    open_dashboard: OpenDashboard, api: ScenarioClient, world: World
) -> None:
    assert world.user
    rich = await sign_up(api, unique_colleague("Rich").name, funds="198765432.123456")
    poor = await sign_up(api, unique_colleague("Payee").name)
    body = transfer_body(rich, poor, "98765432.123456", requireApproval=True)
    await api.post("/v2/wallets/transfers", body)
    async with open_dashboard() as page:
        for path in ("/dashboard", "/dashboard/keys", "/dashboard/users?q=ada@example.com"):
            await page.goto(path)
            assert await page.evaluate(_CUT) == [], path
        # The longest item is wider where it is current, and has a count.
        await page.goto("/dashboard/reviews/transfers")
        assert await page.locator("#menu [aria-current] .many").count() == 1
        assert await page.evaluate(_MENU_CUT) == []


async def test_headings_of_cards_are_at_their_top(
    open_dashboard: OpenDashboard, world: World
) -> None:
    pages = world.pages()
    async with open_dashboard() as page:
        for name in ("reconciliation-differences-one", "reconciliation-closes-one", "approval"):
            await page.goto(pages[name])
            assert await page.evaluate(_LOW) == [], name
