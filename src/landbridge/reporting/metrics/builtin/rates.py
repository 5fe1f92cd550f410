"""Shares of a whole."""

from decimal import ROUND_HALF_UP, Decimal

_PLACES = Decimal("0.0001")


def share(part: int, whole: int) -> Decimal | None:
    """Return `part` of `whole` as a number from 0 to 1 with four decimals; None if whole is 0."""
    if not whole:
        return None
    return (Decimal(part) / whole).quantize(_PLACES, ROUND_HALF_UP)
