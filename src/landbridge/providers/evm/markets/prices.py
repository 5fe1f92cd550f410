"""Prices of pools: pure arithmetic in whole units."""

from decimal import Decimal
from math import isqrt

from landbridge.platform.core.money import Money

# Prices of pools are square roots with 96 binary places.
_PRICE_SQUARE = 2**192


def gives_rate(least_rate: Decimal, sold: Money, bought: Money) -> bool:
    """Whether one coin is sold for at least `least_rate` coins."""
    up, down = least_rate.as_integer_ratio()
    decimals = (sold.asset.decimals, bought.asset.decimals)
    return bought.units * 10 ** decimals[0] * down >= sold.units * 10 ** decimals[1] * up


def price_limit(least_rate: Decimal, *, is_first: bool, decimals: tuple[int, int]) -> int:
    """Return the price beyond which a pool shall not swap, as its contract takes it.

    A pool's price is units of its second token for one of its first. `is_first` is whether the coin
    sold is the first; `decimals` are of the coins sold and bought.
    """
    up, down = least_rate.as_integer_ratio()
    up, down = up * 10 ** decimals[1], down * 10 ** decimals[0]
    return isqrt(_PRICE_SQUARE * up // down) if is_first else isqrt(_PRICE_SQUARE * down // up)
