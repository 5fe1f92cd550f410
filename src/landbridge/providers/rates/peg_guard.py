"""Peg guard: a stablecoin that is off its peg to the dollar is not quoted.

Two bounds prevent flapping: quotes stop beyond the bound, and resume within half of it.
"""

from decimal import Decimal

from landbridge.providers.rates.sandbox import STABLECOINS

# The sandbox's own test coin has no market, and so no observations.
GUARDED = STABLECOINS - {"usdHifi"}


def deviation(usd: Decimal) -> Decimal:
    """Return the deviation of a price from a dollar, as a fraction of it."""
    return abs(usd - 1)


def is_off_peg(usd: Decimal, *, was_off: bool, bound: Decimal) -> bool:
    """Return whether a coin at this price must not be quoted; `bound` is a fraction of a dollar."""
    distance = deviation(usd)
    return 2 * distance > bound if was_off else distance > bound
