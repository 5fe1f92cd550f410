"""Port to the markets of chains: what a pool gives for coins, before an order swaps them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from landbridge.platform.core.money import Asset, Money


class SwapProvider(StrEnum):
    """Provider of the liquidity of a swap, as configured for a pair."""

    TREASURY = "TREASURY"  # the organisation's own coins
    MARKET = "MARKET"  # a pool on the chain
    BEST = "BEST"  # the one with the better price after gas


@dataclass(frozen=True, slots=True)
class MarketQuote:
    """Coins sold, what the market gives for them now, and the least that an order may accept.

    `gas` is about what it costs more than two transfers, in the asset that was asked about: that
    bought for a sale, that sold for a purchase.
    """

    sold: Money
    expected: Money
    least: Money
    gas: Money


class MarketRefused(Exception):
    """The market does not take this swap; a sentence for customers."""


class Markets(Protocol):
    """Quotes of markets. Every method but `provider` asks a node, for a few seconds at most."""

    def provider(self, source: Asset, destination: Asset) -> SwapProvider:
        """Return which provider a pair has; the treasury if no market is configured for it."""
        ...

    async def quote_sale(self, sold: Money, into: Asset) -> MarketQuote:
        """Return what the market gives at least. Raises `MarketRefused` and `Unavailable`."""
        ...

    async def quote_purchase(self, bought: Money, out_of: Asset) -> MarketQuote:
        """Return what has to be sold for at least this. Raises as `quote_sale`."""
        ...


class NoMarkets:
    """Every pair is the treasury's."""

    def provider(self, source: Asset, destination: Asset) -> SwapProvider:
        """Return the treasury."""
        del source, destination
        return SwapProvider.TREASURY

    async def quote_sale(self, sold: Money, into: Asset) -> MarketQuote:
        """Refuse."""
        raise MarketRefused(f"{sold.asset.currency} has no market for {into.currency}")

    async def quote_purchase(self, bought: Money, out_of: Asset) -> MarketQuote:
        """Refuse."""
        raise MarketRefused(f"{out_of.currency} has no market for {bought.asset.currency}")
