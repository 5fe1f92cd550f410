"""Codes of the API are shown as people write them: chains, currencies and types of fees."""

import re

import pytest

from landbridge.dashboard.change_labels import CHANGE_LABELS
from landbridge.dashboard.status_labels import STATUSES
from landbridge.payments.swaps.model import SwapStatus
from landbridge.payments.transactions.model import CURRENCIES
from landbridge.providers.chains.tokens import Network
from tests.dashboard.browsing import DashboardPage, visit
from tests.dashboard.world import build_with_linked_pages
from tests.payouts import make_account, make_payee
from tests.sources import ROOT
from tests.tenants import Tenant, make_swap, make_user

FEES = "/dashboard/settings/fees"
CODES = {each.value for each in Network} | set(CURRENCIES)


async def test_wallets_name_chains_and_currencies(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    page = await (await visit(org)).load(f"/dashboard/users/{user}/wallets")
    options = [str(each) for each in page.tree.xpath("//select[@name='coin']/option/text()")]
    assert "USDC · Polygon" in options
    chains = page.tree.xpath("//table[caption='Addresses']//th[@scope='row']/text()")
    assert "Polygon" in chains
    assert "POLYGON" not in page.text


async def test_forms_name_chains_and_currencies(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    admin = await visit(org)
    await admin.submit(FEES, {"source": "usdc", "destination": "usdt", "fee": "1"})
    forms = {
        FEES: {"USDC", "USDT", "EUR"},
        f"/dashboard/new/bridge?userId={user}": {"Polygon", "Base"},
        f"/dashboard/new/swap?userId={user}": {"USDC", "USDT"},
        f"/dashboard/sandbox?userId={user}": {"USDC · Polygon"},
        "/dashboard/settlement-rules": {"Polygon"},
        "/dashboard/settlement-rules/new": {"Polygon"},
        "/dashboard/transactions?currency=usdc": {"USDC"},
        f"/dashboard/users/{user}/virtual-accounts/new": {"USDC"},
    }
    for path, expected in forms.items():
        page = await admin.load(path)
        options = {str(each).strip() for each in page.tree.xpath("//option//text()")}
        assert expected <= options, path
        assert not codes_on(page), path
    rows = (await admin.load(FEES)).tree.xpath("//table[caption='Pair fees']//tbody/tr")
    assert [each.text_content() for each in rows[0]][:2] == ["USDC", "USDT"]


@pytest.mark.long
async def test_no_page_shows_the_code_of_a_chain_or_a_currency(org: Tenant) -> None:
    world, admin = await build_with_linked_pages(org), await visit(org)
    found = {
        name: sorted(codes)
        for name, path in world.pages().items()
        if (codes := codes_on(await admin.load(path)))
    }
    assert not found, "\n".join(f"{name}: {codes}" for name, codes in found.items())


def codes_on(page: DashboardPage) -> set[str]:
    """Return the codes of chains and currencies among the words of a page, outside of code."""
    texts = page.tree.xpath(
        "//body//text()[not(ancestor::*[self::code or self::pre or self::script"
        " or self::textarea])]"
    )
    return {each for text in texts for each in re.findall(r"[\w-]+", text) if each in CODES}


async def test_rails_are_named(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    admin = await visit(org)
    accounts = f"/dashboard/users/{user}/accounts"
    assert "Money out · Wire" in (await admin.load(accounts)).text
    page = await admin.load(f"{accounts}/{account}")
    assert page.tree.xpath("string(//dt[text()='Rail']/../dd)") == "Wire"
    assert page.tree.xpath("string(//dt[text()='Country']/../dd)") == "United States"


def test_every_change_has_a_label() -> None:
    named = re.compile(r"(?:change_type=|_record_change\([^)\"]*)\"([a-z_]+)\"")
    found = {
        each
        for file in (ROOT / "src" / "landbridge").rglob("*.py")
        for each in named.findall(file.read_text(encoding="utf-8"))
    }
    assert {"create", "sign_in", "rotate"} <= found
    assert {each for each in found - CHANGE_LABELS.keys() if each.upper() not in STATUSES} == set()


async def test_fees_of_a_payment_are_named(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    swap = await make_swap(org, user, "50", status=SwapStatus.COMPLETED)
    page = await (await visit(org)).load(f"/dashboard/transactions/{swap['id']}")
    (fee,) = page.tree.xpath("//table[caption='Fees']//th[@scope='row']")
    assert (fee.text, fee.get("title")) == ("Exchange fee", "EXCHANGE_FEE")
