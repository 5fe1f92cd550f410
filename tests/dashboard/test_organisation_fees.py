"""Pair fees on their page."""

from decimal import Decimal

import pytest

from landbridge.platform.core.money import Rate
from landbridge.platform.http.caller import MemberRole
from landbridge.providers.rates.port import Price
from tests.dashboard.browsing import DashboardPage, visit
from tests.tenants import Tenant, make_swap, make_user

FEES = "/dashboard/settings/fees"
SWAP = {"source": "usdc", "destination": "usdt"}
HOSTILE = "<script>alert(1)</script>"


def rows(page: DashboardPage) -> list[list[str]]:
    """Return the cells of each row of the page's tables, without time and button."""
    found = page.tree.xpath("//main//tbody/tr")
    return [[" ".join(cell.text_content().split()) for cell in row][:-1] for row in found]


async def test_admin_sets_and_removes_a_fee(org: Tenant) -> None:
    admin = await visit(org)
    user = await make_user(org, funds="100")
    assert "No pair fees" in (await admin.load(FEES)).text
    await admin.submit(FEES, {**SWAP, "fee": "1.25"})
    page = await admin.load(FEES)
    assert ["USDC", "USDT", "1.25 %"] in [row[:3] for row in rows(page)]
    quote = (await make_swap(org, user, amount="10"))["quoteInformation"]
    assert quote["sendNet"]["amount"] == "9.875"
    (fee,) = await org.container.pair_fees.all(org.org_id)
    assert fee.fraction == Decimal("0.0125")
    log = await admin.load("/dashboard/audit-log", actorType="member", kind="FEE")
    assert "Fee: change" in log.response.text
    assert FEES in log.links()
    await admin.submit(f"{FEES}/remove", SWAP)
    assert "No pair fees" in (await admin.load(FEES)).text
    quote = (await make_swap(org, user, amount="10"))["quoteInformation"]
    assert quote["sendNet"]["amount"] == "9.99"


async def test_invalid_fee_keeps_the_form_values(org: Tenant) -> None:
    admin = await visit(org)
    for wrong in ("11", "-1", "x", "", HOSTILE, "0.1234567"):
        again = await admin.send(FEES, {**SWAP, "fee": wrong})
        assert again.status == 422, wrong
        assert HOSTILE not in again.response.text
        assert again.value("fee") == wrong
    for pair in ({"source": "usd", "destination": "eur"}, {"source": HOSTILE}, {}):
        assert (await admin.send(FEES, {**pair, "fee": "1"})).status == 422
        assert (await admin.send(f"{FEES}/remove", pair)).status == 400
    assert not await org.container.pair_fees.all(org.org_id)


@pytest.mark.parametrize("role", [MemberRole.MEMBER, MemberRole.ANALYST])
async def test_only_admins_change_fees(org: Tenant, role: MemberRole) -> None:
    await (await visit(org)).submit(FEES, {**SWAP, "fee": "1"})
    visitor = await visit(org, role)
    assert (await visitor.send(FEES, {**SWAP, "fee": "0"})).status == 403
    assert (await visitor.send(f"{FEES}/remove", SWAP)).status == 403
    (fee,) = await org.container.pair_fees.all(org.org_id)
    assert fee.fraction == Decimal("0.01")


async def test_fixed_prices_are_shown(org: Tenant, other_org: Tenant) -> None:
    for tenant, rate in ((org, "5.4321"), (other_org, "6.789")):
        await tenant.container.prices.set_price(
            tenant.org_id,
            source_currency="usdc",
            destination_currency="brl",
            price=Price(Rate(Decimal(rate)), Decimal("0.0015"), None),
            at=tenant.container.clock.stamp(),
        )
    page = await (await visit(org)).load(FEES)
    assert ["USDC", "BRL", "5.4321", "0.15 %"] in rows(page)
    assert "6.789" not in page.text
    await (await visit(other_org)).submit(FEES, {**SWAP, "fee": "9"})
    assert "No pair fees" in (await (await visit(org)).load(FEES)).text
