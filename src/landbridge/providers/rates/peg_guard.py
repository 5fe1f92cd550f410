"""Peg guard: a stablecoin that is off its dollar is not quoted.

Two bounds prevent flapping: quoting stops beyond the bound, and resumes within half of it.
"""

from decimal import Decimal

from landbridge.providers.rates.sandbox import STABLECOINS

# The sandbox's own test coin has no market, so there are no observations of it.
GUARDED = STABLECOINS - {"usdHifi"}


def deviation(usd: Decimal) -> Decimal:
    """Return the deviation of a price from a dollar, as a fraction of it."""
    return abs(usd - 1)


def is_off_peg(usd: Decimal, *, was_off: bool, bound: Decimal) -> bool:
    """Whether a coin at this price must not be quoted; `bound` is a fraction of a dollar."""
    distance = deviation(usd)
    return 2 * distance > bound if was_off else distance > bound
