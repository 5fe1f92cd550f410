"""Amounts as they are asked for."""

from decimal import Decimal

from landbridge.core.errors import FieldInvalid
from landbridge.core.money import AmountError, Asset, Money
from landbridge.quotes.pricing import UNITS_MAX


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


def too_little(needed: Money) -> str:
    """The sentence of an `InsufficientBalance`."""
    return f"the wallet holds less than the {needed} {needed.asset.currency} that this takes"
