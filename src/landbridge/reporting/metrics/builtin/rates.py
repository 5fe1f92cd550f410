"""Shares of a whole."""

from decimal import ROUND_HALF_UP, Decimal

_PLACES = Decimal("0.0001")


def share(part: int, whole: int) -> Decimal | None:
    """Return a share from 0 to 1 with four decimals; None if the total is zero."""
    if not whole:
        return None
    return (Decimal(part) / whole).quantize(_PLACES, ROUND_HALF_UP)
