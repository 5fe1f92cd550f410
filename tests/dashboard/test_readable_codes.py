"""Codes of the API are shown as people write them: chains, currencies and types of fees."""

from landbridge.payments.swaps.model import SwapStatus
from tests.dashboard.browsing import visit
from tests.tenants import Tenant, make_swap, make_user


async def test_wallets_name_chains_and_currencies(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    page = await (await visit(org)).load(f"/dashboard/users/{user}/wallets")
    options = [str(each) for each in page.tree.xpath("//select[@name='coin']/option/text()")]
    assert "USDC · Polygon" in options
    chains = page.tree.xpath("//table[caption='Addresses']//th[@scope='row']/text()")
    assert "Polygon" in chains
    assert "POLYGON" not in page.text


async def test_fees_of_a_payment_are_named(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    swap = await make_swap(org, user, "50", status=SwapStatus.COMPLETED)
    page = await (await visit(org)).load(f"/dashboard/transactions/{swap['id']}")
    (fee,) = page.tree.xpath("//table[caption='Fees']//th[@scope='row']")
    assert (fee.text, fee.get("title")) == ("Exchange fee", "EXCHANGE_FEE")
