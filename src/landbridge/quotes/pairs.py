"""Which currencies are changed into which: a stablecoin is always one of the two."""

from landbridge.chains.tokens import TOKENS
from landbridge.rails.currencies import CORRIDORS, FIAT

_COINS = frozenset(currency for _, currency in TOKENS)
SENT = tuple(sorted(_COINS | FIAT.keys()))
# Fiat for one country's banks has a name of its own, as in `usd-hka`.
RECEIVED = tuple(sorted(_COINS | FIAT.keys() | CORRIDORS.keys()))


def is_pair(source: str, destination: str) -> bool:
    """Whether the first can have a price in the second."""
    return (
        source in SENT
        and destination in RECEIVED
        and source != destination
        and not _COINS.isdisjoint((source, destination))
    )
