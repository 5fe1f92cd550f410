"""Convertible pairs of currencies: exactly one of the two is a stablecoin."""

from landbridge.providers.chains.tokens import TOKENS
from landbridge.providers.rails.currencies import CORRIDORS, FIAT

_COINS = frozenset(currency for _, currency in TOKENS)
SOURCE_CODES = tuple(sorted(_COINS | FIAT.keys()))
# Includes the corridors: names of prices for the banks of one country, for example `usd-hka`.
DESTINATION_CODES = tuple(sorted(_COINS | FIAT.keys() | CORRIDORS.keys()))


def is_pair(source: str, destination: str) -> bool:
    """Return whether the first currency can have a price in the second."""
    return (
        source in SOURCE_CODES
        and destination in DESTINATION_CODES
        and source != destination
        and not _COINS.isdisjoint((source, destination))
    )
