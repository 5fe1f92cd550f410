"""Value in dollars beside amounts in other currencies."""

from datetime import date
from decimal import Decimal

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.dashboard.usd_values import total_usd
from landbridge.ledger.service import Ledger
from landbridge.providers.rails.currencies import FIAT_ASSETS
from landbridge.providers.rates.valuation import UsdRates
from tests import make
from tests.dashboard.browsing import DashboardPage, visit
from tests.payouts import make_account, make_offramp, make_payee, way
from tests.tenants import Tenant, make_user

PESOS = FIAT_ASSETS["mxn:BANK"]


def _values(page: DashboardPage) -> list[str]:
    found = page.tree.xpath("//span[contains(@class, 'worth')]")
    return [" ".join(each.text_content().split()) for each in found]


async def _in_transit(org: Tenant) -> None:
    """Leave 17,950 pesos, 1,000 dollars at the sandbox's rate, between two legs of a payment."""
    await org.container.database.rows(
        "insert into house_accounts (org_id, role, asset, rolled_up_units)"
        " values ($1, 'in_transit', 'mxn:BANK', 1795000)",
        org.org_id,
    )


async def test_balances_in_other_currencies_have_their_value(org: Tenant) -> None:
    await make_user(org, funds="100")
    await _in_transit(org)
    page = await (await visit(org)).load("/dashboard")
    assert "100.00" in page.text
    assert _values(page) == ["≈ 1,000.00 USD"]


async def test_a_payment_and_the_totals_have_their_value(org: Tenant) -> None:
    user = await make_payee(org, Rail.GLOBAL_NETWORK)
    account = await make_account(org, user, way("brazilGlobalNetwork"))
    created = await make_offramp(org, user, account, 20, destination={"currency": "brl"})
    admin = await visit(org)
    rates = await org.container.valuation.rates(["brl"], date(2026, 1, 31))
    received = (await org.get(f"/v2/transactions/{created['id']}"))["destination"]["amount"]
    worth = rates.value(Decimal(received), "brl")
    assert worth is not None
    page = await admin.load(f"/dashboard/transactions/{created['id']}")
    assert f"≈ {worth} USD" in _values(page)
    # Totals are of all pages; this one begins after the record, which is not a whole onramp.
    pesos = make.opening(
        org.org_id, kind="ONRAMP", units=1_795_00, asset=PESOS, at=org.container.clock.stamp()
    )
    await Ledger(org.container.database).create(pesos, make.TRANSITIONS)
    listed = await admin.load("/dashboard/transactions", cursor=pesos.at.isoformat())
    assert _values(listed) == ["≈ 100.00 USD"]


async def test_a_user_has_a_total_in_the_head(org: Tenant) -> None:
    user = await make_user(org, funds="1250.5")
    page = await (await visit(org)).load(f"/dashboard/users/{user}")
    (head,) = page.tree.xpath("//div[@class='heading']")
    assert "Total balance 1,250.50 USD" in " ".join(head.text_content().split())
    assert "New payment" in head.text_content()
    # Coins that count as dollars have no second figure.
    assert _values(page) == []


@pytest.mark.parametrize(("currency", "total"), [("usdc", "3.50"), ("eurc", None)])
def test_a_total_needs_all_rates(currency: str, total: str | None) -> None:
    amounts = [(Decimal(1), "usdt"), (Decimal("2.5"), currency)]
    found = total_usd(amounts, UsdRates({}))
    assert found == (None if total is None else Decimal(total))


async def test_nothing_is_shown_without_a_rate(org: Tenant) -> None:
    await org.container.database.rows(
        "insert into house_accounts (org_id, role, asset, rolled_up_units)"
        " values ($1, 'in_transit', 'cop:BANK', 100)",
        org.org_id,
    )
    admin = await visit(org)
    assert len(_values(await admin.load("/dashboard"))) == 1
    valuation = org.container.valuation
    object.__setattr__(valuation, "has_table", False)
    try:
        assert _values(await admin.load("/dashboard")) == []
    finally:
        object.__setattr__(valuation, "has_table", True)
