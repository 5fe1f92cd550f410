"""The guard of the peg: a stablecoin that is off its dollar is not quoted.

Two bounds, so that a price that trembles at one of them does not switch quoting on and off: it
stops beyond the bound, and starts again within half of it.
"""

from decimal import Decimal

from landbridge.rates.sandbox import STABLECOINS

# The sandbox's own test coin is traded nowhere, so nothing is observed of it.
GUARDED = STABLECOINS - {"usdHifi"}


def deviation(usd: Decimal) -> Decimal:
    """How far a price is from a dollar, as a fraction of it."""
    return abs(usd - 1)


def is_off_peg(usd: Decimal, *, was_off: bool, bound: Decimal) -> bool:
    """Whether a coin at this price is not to be quoted; `bound` is a fraction of a dollar."""
    away = deviation(usd)
    return 2 * away > bound if was_off else away > bound
