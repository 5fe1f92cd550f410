"""Nodes of markets answer absurd amounts: the client is not blamed, and the treasury quotes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from landbridge.payments.quotes.errors import QuoteNotReady
from landbridge.payments.swaps.provider_choices import SwapProviderChoices
from landbridge.payments.swaps.quotes import SwapPair, SwapQuotes
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Asset, Money, Rate
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.markets import (
    MarketPair,
    MarketQuote,
    MarketRefused,
    SwapProvider,
)
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.rates.port import Price

USDC, USDT = (TOKENS[Chain.POLYGON, each].asset for each in ("usdc", "usdt"))


@dataclass(frozen=True)
class LyingMarkets:
    """Markets of one provider that answer this many units; no organisation chooses another."""

    provided_by: SwapProvider
    units: int
    is_connected: bool = False
    pairs: Sequence[MarketPair] = ()

    def provider(self, source: Asset, destination: Asset) -> SwapProvider:
        del source, destination
        return self.provided_by

    async def quote_sale(self, sold: Money, into: Asset) -> MarketQuote:
        least = Money(self.units, into)
        return MarketQuote(sold, least, least, Money(0, into))

    async def quote_purchase(self, bought: Money, out_of: Asset) -> MarketQuote:
        raise MarketRefused(f"{bought} {out_of.currency} are not quoted")


class Par:
    """Rates at par, with a fee of a thousandth."""

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price:
        del org_id, source_currency, destination_currency
        return Price(Rate(Decimal(1)), Decimal("0.001"), None)

    async def check_quotable(self, *currencies: str) -> None:
        del currencies


async def anything(money: Money) -> None:
    del money


@pytest.mark.parametrize("units", [10**38, 2**256 - 1])
async def test_absurd_amounts_of_a_market_are_no_quote(database: Database, units: int) -> None:
    def quotes_of(provider: SwapProvider) -> SwapQuotes:
        markets = LyingMarkets(provider, units)
        choices = SwapProviderChoices(database, markets, Clock(node=1))
        return SwapQuotes(Par(), markets, choices, timedelta(hours=1))

    pair, at = SwapPair(USDC, USDT, Money(10**6, USDC)), datetime.now(UTC)
    with pytest.raises(QuoteNotReady, match="no pool holds"):
        await quotes_of(SwapProvider.MARKET).find(new_id(), pair, at, anything)
    found = await quotes_of(SwapProvider.BEST).find(new_id(), pair, at, anything)
    assert found.provider is SwapProvider.TREASURY
