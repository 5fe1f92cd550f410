"""Port to the markets of chains: quotes of pools, before an order swaps coins."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from landbridge.platform.core.money import Asset, Money


class SwapProvider(StrEnum):
    """Provider of the liquidity of a swap, as configured for a pair."""

    TREASURY = "TREASURY"  # the organisation's own coins
    MARKET = "MARKET"  # a pool on the chain
    BEST = "BEST"  # the treasury or the market, whichever has the better price after gas


@dataclass(frozen=True, slots=True)
class MarketQuote:
    """Quote: coins sold, what the market gives for them now, and the least that an order accepts.

    `gas` estimates what the swap costs more than two transfers. It is in the asset of the request's
    other side: the asset bought for a sale, the asset sold for a purchase.
    """

    sold: Money
    expected: Money
    least: Money
    gas: Money


@dataclass(frozen=True, slots=True)
class MarketPair:
    """Pair with a market, in one direction, and its configured provider.

    `is_comparable` is True if the gas of the market can be valued in coins.
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
    """The market refuses this swap; the message is a sentence for customers."""


class Markets(Protocol):
    """Quotes of markets. Both coroutines ask a node, which takes a few seconds at most."""

    @property
    def is_connected(self) -> bool:
        """Return whether chains are connected, so that there can be markets."""
        ...

    @property
    def pairs(self) -> Sequence[MarketPair]:
        """Return the pairs with a market."""
        ...

    def provider(self, source: Asset, destination: Asset) -> SwapProvider:
        """Return the provider of a pair; the treasury if it has no configured market."""
        ...

    async def quote_sale(self, sold: Money, into: Asset) -> MarketQuote:
        """Return the least amount that a sale gives. Raises `MarketRefused` and `Unavailable`."""
        ...

    async def quote_purchase(self, bought: Money, out_of: Asset) -> MarketQuote:
        """Return the amount to sell for at least `bought`.

        Raises `MarketRefused` and `Unavailable`.
        """
        ...


class NoMarkets:
    """Adapter without markets: the treasury provides every pair."""

    is_connected = False
    pairs: Sequence[MarketPair] = ()

    def provider(self, source: Asset, destination: Asset) -> SwapProvider:
        """Return the treasury: there are no markets."""
        del source, destination
        return SwapProvider.TREASURY

    async def quote_sale(self, sold: Money, into: Asset) -> MarketQuote:
        """Raise `MarketRefused`: there are no markets."""
        raise MarketRefused(f"{sold.asset.currency} has no market for {into.currency}")

    async def quote_purchase(self, bought: Money, out_of: Asset) -> MarketQuote:
        """Raise `MarketRefused`: there are no markets."""
        raise MarketRefused(f"{out_of.currency} has no market for {bought.asset.currency}")
