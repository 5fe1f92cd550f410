"""Port to the markets of chains: what a pool gives for coins, before an order swaps them."""

from collections.abc import Sequence
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


@dataclass(frozen=True, slots=True)
class MarketPair:
    """Pair with a market, in one direction, and its configured provider.

    `is_comparable` is whether the gas of the market has a value in coins.
    """

    chain: str
    source: str
    destination: str
    provider: SwapProvider
    is_comparable: bool

    @property
    def pair(self) -> tuple[str, str, str]:
        """Return chain, source and destination."""
        return self.chain, self.source, self.destination


class MarketRefused(Exception):
    """The market does not take this swap; a sentence for customers."""


class Markets(Protocol):
    """Quotes of markets. The two coroutines ask a node, for a few seconds at most."""

    @property
    def is_connected(self) -> bool:
        """Whether chains are connected, so that there can be markets."""
        ...

    @property
    def pairs(self) -> Sequence[MarketPair]:
        """Return the pairs with a market."""
        ...

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

    is_connected = False
    pairs: Sequence[MarketPair] = ()

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
