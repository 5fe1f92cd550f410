"""Providers that an organisation chooses: who may, what is refused, what quotes follow."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pytest

from landbridge.payments.quotes.errors import QuoteNotReady
from landbridge.payments.swaps.provider_choices import SwapProviderChoice, SwapProviderChoices
from landbridge.payments.swaps.quotes import SwapPair, SwapQuotes
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.http.caller import KeyScope
from landbridge.providers.chains.markets import (
    MarketPair,
    MarketQuote,
    MarketRefused,
    SwapProvider,
)
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.dashboard.browsing import visit
from tests.platform.http.test_key_scopes import make_key
from tests.tenants import Tenant

PATH = "/v2/organization/swap-providers"
FEES = "/dashboard/settings/fees"
USDC, USDT = (TOKENS[Chain.POLYGON, each].asset for each in ("usdc", "usdt"))
_PAIR = {"chain": "POLYGON", "sourceCurrency": "usdc", "destinationCurrency": "usdt"}


@dataclass
class PoolMarkets:
    """Market of usdc and usdt on POLYGON that gives 99 for 100, without a node."""

    configured: SwapProvider = SwapProvider.BEST
    is_comparable: bool = True
    has_pool: bool = True
    is_connected: bool = True

    @property
    def pairs(self) -> list[MarketPair]:
        ways = (("usdc", "usdt"), ("usdt", "usdc")) if self.has_pool else ()
        return [MarketPair("POLYGON", *way, self.configured, self.is_comparable) for way in ways]

    def provider(self, source: Asset, destination: Asset) -> SwapProvider:
        del source, destination
        return self.configured if self.has_pool else SwapProvider.TREASURY

    async def quote_sale(self, sold: Money, into: Asset) -> MarketQuote:
        if not self.has_pool:
            raise MarketRefused(f"{sold.asset.currency} has no market for {into.currency}")
        given = Money(sold.units * 99 // 100, into)
        return MarketQuote(sold, given, given, Money(0, into))

    async def quote_purchase(self, bought: Money, out_of: Asset) -> MarketQuote:
        raise MarketRefused(f"{out_of.currency} has no market for {bought.asset.currency}")


async def test_an_organisation_without_choices_has_none(org: Tenant) -> None:
    found = (await org.get(PATH))["data"]
    assert found == {"choices": [], "pairs": [], "version": 0}


async def test_the_treasury_can_be_chosen_without_a_market(org: Tenant, other_org: Tenant) -> None:
    choice = {**_PAIR, "provider": "TREASURY"}
    for version in (1, 1):  # the same choices again are no change
        answer = await org.send("PUT", PATH, {"choices": [choice]})
        assert (answer.status_code, answer.json()["data"]["version"]) == (200, version)
    assert (await org.get(PATH))["data"]["choices"] == [choice]
    assert (await other_org.get(PATH))["data"]["choices"] == []
    entries = (await org.get("/v2/audit-log", kind="SWAP_PROVIDERS"))["entries"]
    assert [each["facts"] for each in entries] == [{"POLYGON usdc usdt": "TREASURY"}]


@pytest.mark.parametrize("provider", ["MARKET", "BEST"])
async def test_a_provider_that_the_pair_lacks_is_refused(org: Tenant, provider: str) -> None:
    answer = await org.send("PUT", PATH, {"choices": [{**_PAIR, "provider": provider}]})
    assert answer.status_code == 400
    assert "usdc to usdt on POLYGON has no market" in answer.text


@pytest.mark.parametrize(
    "changes",
    [
        {"provider": "market"},
        {"chain": "OPTIMISM"},
        {"destinationCurrency": "usdc"},
        {"destinationCurrency": "usdg"},
        {"sourceCurrency": "eur"},
    ],
)
async def test_a_pair_that_does_not_exist_is_refused(org: Tenant, changes: dict[str, str]) -> None:
    body = {"choices": [{**_PAIR, "provider": "TREASURY", **changes}]}
    assert (await org.send("PUT", PATH, body)).status_code == 400


async def test_a_pair_is_chosen_once(org: Tenant) -> None:
    body = {"choices": [{**_PAIR, "provider": "TREASURY"}] * 2}
    assert "is chosen twice" in (await org.send("PUT", PATH, body)).text


async def test_only_admins_choose(org: Tenant) -> None:
    for scope in (KeyScope.READ, KeyScope.PAY, KeyScope.REVIEW):
        headers = {"Authorization": f"Bearer {await make_key(org, scope)}"}
        answer = await org.client.put(PATH, json={"choices": []}, headers=headers)
        assert answer.status_code == 403


async def test_quotes_follow_the_choice(org: Tenant) -> None:
    quotes = _quotes(org, PoolMarkets(SwapProvider.MARKET))
    assert await _provider(org, quotes) is SwapProvider.MARKET
    for provider in (SwapProvider.TREASURY, SwapProvider.MARKET):
        await _choose(org, quotes, provider)
        assert await _provider(org, quotes) is provider
    # The treasury gives more here.
    await _choose(org, quotes, SwapProvider.BEST)
    assert await _provider(org, quotes) is SwapProvider.TREASURY
    await quotes.choices.set_for(org.caller, [])
    assert await _provider(org, quotes) is SwapProvider.MARKET


async def test_a_choice_is_for_one_direction(org: Tenant) -> None:
    quotes = _quotes(org, PoolMarkets(SwapProvider.MARKET))
    await _choose(org, quotes, SwapProvider.TREASURY)
    choices = quotes.choices
    assert await choices.provider(org.org_id, USDT, USDC) is SwapProvider.MARKET


async def test_a_chosen_market_that_is_gone_says_why(org: Tenant) -> None:
    quotes = _quotes(org, PoolMarkets(SwapProvider.MARKET))
    await _choose(org, quotes, SwapProvider.MARKET)
    with pytest.raises(QuoteNotReady, match="usdc has no market for usdt"):
        await _provider(org, _quotes(org, PoolMarkets(has_pool=False)))


async def test_best_needs_a_value_of_gas(org: Tenant) -> None:
    quotes = _quotes(org, PoolMarkets(SwapProvider.MARKET, is_comparable=False))
    with pytest.raises(FieldInvalid, match="no value of gas"):
        await _choose(org, quotes, SwapProvider.BEST)


async def test_a_form_that_another_admin_has_overtaken_changes_nothing(org: Tenant) -> None:
    choices = _quotes(org, PoolMarkets()).choices
    await choices.set_for(org.caller, [_choice(SwapProvider.TREASURY)], instead_of=0)
    with pytest.raises(ResourceConflict, match="changed meanwhile"):
        await choices.set_for(org.caller, [], instead_of=0)
    await choices.set_for(org.caller, [], instead_of=1)


async def test_an_admin_chooses_beside_the_fees(org: Tenant) -> None:
    admin = await visit(org)
    assert "no chain has a market" in (await admin.load(FEES)).text
    await org.send("PUT", PATH, {"choices": [{**_PAIR, "provider": "TREASURY"}]})
    page = await admin.load(FEES)
    assert "USDC to USDT on Polygon" in page.text
    form = {"version": page.value("version"), "POLYGON-usdc-usdt": ""}
    assert await admin.submit("/dashboard/settings/swap-providers", form) == FEES
    assert (await org.get(PATH))["data"]["choices"] == []
    await org.send("PUT", PATH, {"choices": [{**_PAIR, "provider": "TREASURY"}]})
    refused = await admin.send("/dashboard/settings/swap-providers", {**form, "version": "1"})
    assert refused.status == 409
    assert (await org.get(PATH))["data"]["version"] == 3


def _quotes(org: Tenant, markets: PoolMarkets) -> SwapQuotes:
    container = org.container
    choices = SwapProviderChoices(container.database, markets, container.clock)
    return replace(container.swaps.quotes, markets=markets, choices=choices)


def _choice(provider: SwapProvider) -> SwapProviderChoice:
    return SwapProviderChoice("POLYGON", "usdc", "usdt", provider)


async def _choose(org: Tenant, quotes: SwapQuotes, provider: SwapProvider) -> None:
    await quotes.choices.set_for(org.caller, [_choice(provider)])


async def _provider(org: Tenant, quotes: SwapQuotes) -> SwapProvider:
    async def can_deliver(_receive: Money) -> Any:
        return None

    pair = SwapPair(USDC, USDT, Money.parse(Decimal(10), USDC))
    at = org.container.clock.now()
    return (await quotes.find(org.org_id, pair, at, can_deliver)).provider
