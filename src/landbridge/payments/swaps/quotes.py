"""Quotes of swaps: of the organisation's treasury, of a market of the chain, or the better one.

The quote of a market is firm as well: its amount is the least that the market may give. The fee of
the organisation is that of the pair's price, with either provider.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.payments.quotes.errors import QuoteNotReady
from landbridge.payments.quotes.pricing import (
    Quote,
    check_size,
    current_price,
    exact_in,
    exact_out,
    fresh_price,
    gross_of,
    is_within_size,
)
from landbridge.payments.swaps.provider_choices import SwapProviderChoices
from landbridge.platform.core.errors import InvariantBroken, Unavailable
from landbridge.platform.core.money import RATE_DECIMALS, Asset, Money, Rate, Rounding, share
from landbridge.providers.chains.markets import MarketQuote, MarketRefused, Markets, SwapProvider
from landbridge.providers.rates.port import Price, RateSource


@dataclass(frozen=True, slots=True)
class SwapPair:
    """Coins sold and coins bought, with the one of the two amounts that is fixed."""

    source: Asset
    destination: Asset
    amount: Money

    @property
    def is_exact_in(self) -> bool:
        """Whether the amount sold (including the fee) is fixed, rather than the amount bought."""
        return self.amount.asset == self.source

    @property
    def field(self) -> str:
        """Name of the request field that has the amount."""
        return "source.amount" if self.is_exact_in else "destination.amount"


@dataclass(frozen=True, slots=True)
class ProvidedQuote:
    """Quote with its provider; `quote` is None if nothing would be left after the fee.

    `gas` is the cost of gas beyond that of the treasury, in the asset with the computed amount.
    """

    quote: Quote | None
    provider: SwapProvider
    gas: Money


# Raises `QuoteNotReady` if the treasury can't deliver this amount.
DeliveryCheck = Callable[[Money], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class SwapQuotes:
    """Quotes swaps of all organisations."""

    rates: RateSource
    markets: Markets
    choices: SwapProviderChoices
    price_age_max: timedelta

    async def find(
        self, org_id: UUID, pair: SwapPair, at: datetime, check_delivery: DeliveryCheck
    ) -> ProvidedQuote:
        """Return the quote of a swap by the pair's provider.

        Raises `RouteInvalid` for a pair without a price, and `QuoteNotReady`.
        """
        match await self.choices.provider(org_id, pair.source, pair.destination):
            case SwapProvider.TREASURY:
                return await self._of_treasury(org_id, pair, at, check_delivery)
            case SwapProvider.MARKET:
                return await self._of_market(org_id, pair)
            case SwapProvider.BEST:
                return await self._best(org_id, pair, at, check_delivery)

    async def check_market(self, sold: Money, least: Money) -> None:
        """Raise `QuoteNotReady` if the market now gives less than `least` for `sold`.

        If the market does not answer, do nothing: the chain checks the least amount again.
        """
        try:
            quoted = await self.markets.quote_sale(sold, least.asset)
        except Unavailable:
            return
        except MarketRefused as error:
            raise QuoteNotReady(str(error)) from error
        if quoted.expected < least:
            raise QuoteNotReady("the market gives less than the minimum of this quote now")

    async def _best(
        self, org_id: UUID, pair: SwapPair, at: datetime, check_delivery: DeliveryCheck
    ) -> ProvidedQuote:
        """Return the better quote after gas, or the only one if a provider has none."""
        try:
            treasury = await self._of_treasury(org_id, pair, at, check_delivery)
        except QuoteNotReady:
            return await self._of_market(org_id, pair)
        try:
            market = await self._of_market(org_id, pair)
        except QuoteNotReady:
            return treasury
        return market if _is_better(market, treasury, pair) else treasury

    async def _of_treasury(
        self, org_id: UUID, pair: SwapPair, at: datetime, check_delivery: DeliveryCheck
    ) -> ProvidedQuote:
        price = await fresh_price(
            self.rates,
            org_id,
            source=pair.source,
            destination=pair.destination,
            now=at,
            age_max=self.price_age_max,
        )
        if pair.is_exact_in:
            quote = exact_in(pair.amount, pair.destination, price)
        else:
            quote = exact_out(pair.amount, pair.source, price)
        if quote is not None:
            check_size(quote, field=pair.field)
            await check_delivery(quote.receive)
        return ProvidedQuote(quote, SwapProvider.TREASURY, Money(0, pair.amount.asset))

    async def _of_market(self, org_id: UUID, pair: SwapPair) -> ProvidedQuote:
        price = await current_price(
            self.rates, org_id, source=pair.source.currency, destination=pair.destination.currency
        )
        try:
            return await self._from_market(pair, price)
        except MarketRefused as error:
            raise QuoteNotReady(str(error)) from error
        except Unavailable as error:
            raise QuoteNotReady("the market does not answer; try again shortly") from error

    async def _from_market(self, pair: SwapPair, price: Price) -> ProvidedQuote:
        if pair.is_exact_in:
            fee = share(pair.amount, price.fee_fraction, Rounding.UP)
            net = pair.amount - fee
            if net.units <= 0:
                return ProvidedQuote(None, SwapProvider.MARKET, Money(0, pair.destination))
            found = await self.markets.quote_sale(net, pair.destination)
            quote = Quote(pair.amount, fee, found.least, _at_rate(price, found))
        else:
            found = await self.markets.quote_purchase(pair.amount, pair.source)
            gross = gross_of(found.sold, price)
            quote = Quote(gross, gross - found.sold, pair.amount, _at_rate(price, found))
        if not is_within_size(quote):
            # The amounts come from a node, so this is no error of the client.
            raise MarketRefused("the market answers amounts that no pool holds")
        return ProvidedQuote(quote, SwapProvider.MARKET, found.gas)


def _is_better(market: ProvidedQuote, treasury: ProvidedQuote, pair: SwapPair) -> bool:
    if market.quote is None or treasury.quote is None:
        return False
    if pair.is_exact_in:
        return market.quote.receive - market.gas > treasury.quote.receive
    return market.quote.send_gross + market.gas < treasury.quote.send_gross


def _at_rate(price: Price, found: MarketQuote) -> Price:
    """Return the price with the rate of the market's quote, rounded down."""
    sold, least = found.sold, found.least
    if not sold.units:
        raise InvariantBroken("a market that gives coins for nothing")
    scaled = least.units * 10 ** (sold.asset.decimals + RATE_DECIMALS)
    value = scaled // (sold.units * 10**least.asset.decimals)
    return replace(price, rate=Rate(Decimal(value).scaleb(-RATE_DECIMALS)), as_of=None)
