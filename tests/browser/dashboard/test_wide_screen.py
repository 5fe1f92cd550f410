"""Pages at 1280 px: one line for each item of the menu, each amount and each user."""

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import sign_up
from tests.browser.dashboard.people import OpenDashboard, unique_colleague
from tests.tenants import transfer_body

# Texts of a selector that take more than one line.
_WRAPPED = """selector => [...document.querySelectorAll(selector)].filter(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    const tops = [...range.getClientRects()].filter(box => box.width > 0).map(box => box.bottom);
    return Math.max(...tops) - Math.min(...tops) > 8;
}).map(each => each.textContent.trim())"""


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
