"""Fees of pairs on their page."""

from decimal import Decimal

import pytest

from landbridge.core.money import Rate
from landbridge.rates.port import Price
from landbridge.web.caller import Role
from tests.dashboard.browsing import Opened, visit
from tests.tenants import Tenant, make_swap, make_user

FEES = "/dashboard/settings/fees"
SWAP = {"source": "usdc", "destination": "usdt"}
HOSTILE = "<script>alert(1)</script>"


def rows(page: Opened) -> list[list[str]]:
    """The cells of each row of the page's tables, without its time and its button."""
    found = page.tree.xpath("//main//tbody/tr")
    return [[" ".join(cell.text_content().split()) for cell in row][:-1] for row in found]


async def test_an_admin_sets_a_fee_and_removes_it(org: Tenant) -> None:
    admin = await visit(org)
    user = await make_user(org, funds="100")
    assert "No fees of pairs" in (await admin.see(FEES)).text
    await admin.done(FEES, {**SWAP, "fee": "1.25"})
    page = await admin.see(FEES)
    assert ["usdc", "usdt", "1.25 %"] in [row[:3] for row in rows(page)]
    quote = (await make_swap(org, user, amount="10"))["quoteInformation"]
    assert quote["sendNet"]["amount"] == "9.875"
    (fee,) = await org.house.fees.all(org.org_id)
    assert fee.fraction == Decimal("0.0125")
    log = await admin.see("/dashboard/audit-log", actorType="member", kind="FEE")
    assert "FEE set" in log.text
    assert FEES in log.links()
    await admin.done(f"{FEES}/remove", SWAP)
    assert "No fees of pairs" in (await admin.see(FEES)).text
    quote = (await make_swap(org, user, amount="10"))["quoteInformation"]
    assert quote["sendNet"]["amount"] == "9.99"


async def test_what_is_wrong_comes_back_as_it_was_typed(org: Tenant) -> None:
    admin = await visit(org)
    for wrong in ("11", "-1", "x", "", HOSTILE, "0.1234567"):
        again = await admin.send(FEES, {**SWAP, "fee": wrong})
        assert again.status == 422, wrong
        assert HOSTILE not in again.answer.text
        assert again.value("fee") == wrong
    for pair in ({"source": "usd", "destination": "eur"}, {"source": HOSTILE}, {}):
        assert (await admin.send(FEES, {**pair, "fee": "1"})).status == 422
        assert (await admin.send(f"{FEES}/remove", pair)).status == 400
    assert not await org.house.fees.all(org.org_id)


@pytest.mark.parametrize("role", [Role.MEMBER, Role.ANALYST])
async def test_others_change_nothing(org: Tenant, role: Role) -> None:
    await (await visit(org)).done(FEES, {**SWAP, "fee": "1"})
    somebody = await visit(org, role)
    assert (await somebody.send(FEES, {**SWAP, "fee": "0"})).status == 403
    assert (await somebody.send(f"{FEES}/remove", SWAP)).status == 403
    (fee,) = await org.house.fees.all(org.org_id)
    assert fee.fraction == Decimal("0.01")


async def test_prices_that_were_set_are_shown(org: Tenant, other_org: Tenant) -> None:
    for tenant, rate in ((org, "5.4321"), (other_org, "6.789")):
        await tenant.house.prices.set_price(
            tenant.org_id,
            source_currency="usdc",
            destination_currency="brl",
            price=Price(Rate(Decimal(rate)), Decimal("0.0015"), None),
            at=tenant.house.clock.stamp(),
        )
    page = await (await visit(org)).see(FEES)
    assert ["usdc", "brl", "5.4321", "0.15 %"] in rows(page)
    assert "6.789" not in page.text
    await (await visit(other_org)).done(FEES, {**SWAP, "fee": "9"})
    assert "No fees of pairs" in (await (await visit(org)).see(FEES)).text
