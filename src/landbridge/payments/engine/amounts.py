"""Parses amounts of requests, and formats amounts for replies."""

from decimal import Context, Decimal

from landbridge.payments.quotes.pricing import UNITS_MAX
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import (
    UNITS_DIGITS_MAX,
    AmountError,
    Asset,
    Money,
    Rate,
    Rounding,
    units_as_decimal,
)
from landbridge.providers.rails.currencies import FIAT

# Precision for any amount of the ledger with two decimals; the default context has only 28 digits.
_CENTS = Context(prec=UNITS_DIGITS_MAX + 2)


def parse_amount(field: str, value: str | Decimal | int, asset: Asset) -> Money:
    """Parse the amount in `field`: above zero, within the asset's decimals and the ledger's digits.

    Raises `FieldInvalid`, naming the field.
    """
    try:
        money = Money.parse(value, asset)
    except AmountError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error
    if money.units <= 0:
        raise FieldInvalid(f"{field} must be above zero", field=field)
    if money.units > UNITS_MAX:
        raise FieldInvalid(f"{field} is too large", field=field)
    return money


def in_usd(money: Money) -> Decimal:
    """Return the value in dollars, with stablecoins at par, rounded down to cents.

    The result always has two decimals, as in `10.50`.
    """
    cents = Rate(Decimal(1)).convert(money, FIAT["usd"], Rounding.DOWN)
    dollars = units_as_decimal(cents.units, cents.asset.decimals)
    return dollars.quantize(Decimal("0.01"), context=_CENTS)


def insufficient_balance_text(needed: Money) -> str:
    """Return the message of an `InsufficientBalance`."""
    return (
        f"the wallet holds less than the {needed} {needed.asset.currency} needed for this payment"
    )
