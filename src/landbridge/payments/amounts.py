"""Amounts as they are asked for."""

from decimal import Decimal

from landbridge.core.errors import FieldInvalid
from landbridge.core.money import AmountError, Asset, Money, Rate, Rounding, units_as_decimal
from landbridge.quotes.pricing import UNITS_MAX
from landbridge.rails.currencies import FIAT


def parse_amount(field: str, told: str | Decimal | int, asset: Asset) -> Money:
    """The amount in `field`: above zero, within the asset's decimals and the books' digits.

    Raises `FieldInvalid`, naming the field.
    """
    try:
        money = Money.parse(told, asset)
    except AmountError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error
    if money.units <= 0:
        raise FieldInvalid(f"{field} must be above zero", field=field)
    if money.units > UNITS_MAX:
        raise FieldInvalid(f"{field} is too large", field=field)
    return money


def in_usd(coins: Money) -> Decimal:
    """Dollars of stablecoins, or dollars, at par, rounded down to cents; `10.50` keeps its two."""
    cents = Rate(Decimal(1)).convert(coins, FIAT["usd"], Rounding.DOWN)
    return units_as_decimal(cents.units, cents.asset.decimals).quantize(Decimal("0.01"))


def too_little(needed: Money) -> str:
    """The sentence of an `InsufficientBalance`."""
    return f"the wallet holds less than the {needed} {needed.asset.currency} that this takes"
