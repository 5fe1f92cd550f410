"""Choices of organisations: which provider swaps a pair."""

from dataclasses import dataclass

import msgspec

from landbridge.platform.core.money import Asset
from landbridge.providers.chains.markets import SwapProvider


class SwapProviderChoice(msgspec.Struct, frozen=True, order=True):
    """Provider of a pair of one chain, in one direction."""

    chain: str
    source: str
    destination: str
    provider: SwapProvider

    @property
    def pair(self) -> tuple[str, str, str]:
        """Return chain, source and destination."""
        return self.chain, self.source, self.destination


@dataclass(frozen=True, slots=True)
class SwapProviderPolicy:
    """Choices in force; `version` is 0 if none were ever set."""

    choices: tuple[SwapProviderChoice, ...] = ()
    version: int = 0

    def provider(self, source: Asset, destination: Asset) -> SwapProvider | None:
        """Return the provider chosen for a pair; None if the chains file decides."""
        pair = source.chain, source.currency, destination.currency
        return next((each.provider for each in self.choices if each.pair == pair), None)
