"""Prices of pools: pure arithmetic in whole units."""

from decimal import Decimal
from math import isqrt

from landbridge.platform.core.money import Money

# A pool's price is a square root with 96 binary places; this is the factor of its square.
_PRICE_SQUARE = 2**192


def gives_rate(least_rate: Decimal, sold: Money, bought: Money) -> bool:
    """Return whether at least `least_rate` coins are received for each coin sold."""
    up, down = least_rate.as_integer_ratio()
    decimals = (sold.asset.decimals, bought.asset.decimals)
    return bought.units * 10 ** decimals[0] * down >= sold.units * 10 ** decimals[1] * up


def price_limit(least_rate: Decimal, *, is_first: bool, decimals: tuple[int, int]) -> int:
    """Return the price limit of a swap, in the form that the pool's contract takes.

    A pool's price is units of its second token per unit of its first. `is_first` is True if the
    first token is sold; `decimals` are those of the tokens sold and bought.
    """
    up, down = least_rate.as_integer_ratio()
    up, down = up * 10 ** decimals[1], down * 10 ** decimals[0]
    return isqrt(_PRICE_SQUARE * up // down) if is_first else isqrt(_PRICE_SQUARE * down // up)
