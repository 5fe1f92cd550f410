"""Quote arithmetic of an onramp: the price, and the organisation's own fee on the amount paid.

A fixed fee is deducted first, a percentage together with the price's own spread. Every step rounds
against the customer, as all quotes do (payments/quotes/pricing.py).
"""

from dataclasses import replace
from decimal import Decimal

from landbridge.payments.engine.amounts import parse_amount
from landbridge.payments.engine.fees import FeeType, OrganisationFee
from landbridge.payments.quotes.pricing import Quote, check_size, exact_in, exact_out
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken
from landbridge.platform.core.money import Asset, Money
from landbridge.providers.rates.port import Price


def quote_onramp(
    amounts: tuple[Money | None, Money | None],
    *,
    fiat: Asset,
    coins: Asset,
    price: Price,
    fee: OrganisationFee | None,
) -> Quote:
    """Compute the quote from `amounts`: the amount paid or the amount delivered; one is None.

    Raises `FieldInvalid` for an invalid fee, if nothing remains after it, or if the amount exceeds
    what the ledger holds.
    """
    fixed, charged = _price_with_fee(price, fee, fiat)
    match amounts:
        case (Money() as send, None):
            field = "source.amount"
            remaining = send - fixed
            quote = exact_in(remaining, coins, charged) if remaining.units > 0 else None
        case (None, Money() as receive):
            field = "destination.amount"
            quote = exact_out(receive, fiat, charged)
        case _:
            raise InvariantBroken("an onramp has exactly one amount")
    if quote is None:
        raise FieldInvalid(
            "source.amount is too small: nothing would be left after the fee", field=field
        )
    with_fixed_fee = replace(
        quote, send_gross=quote.send_gross + fixed, fee=quote.fee + fixed, price=price
    )
    check_size(with_fixed_fee, field=field)
    return with_fixed_fee


def _price_with_fee(price: Price, fee: OrganisationFee | None, fiat: Asset) -> tuple[Money, Price]:
    """Return the fixed fee, and the price including the percentage fee."""
    if fee is None or not fee.value:
        return Money(0, fiat), price
    match fee.type:
        case FeeType.FIX:
            return parse_amount("fee.value", fee.value, fiat), price
        case FeeType.PERCENT:
            # The percentage is deducted from the whole amount, together with the price's spread.
            fraction = price.fee_fraction + fee.fraction()
            if fraction >= Decimal(1):
                raise FieldInvalid("fee.value: nothing would be left to convert", field="fee.value")
            return Money(0, fiat), replace(price, fee_fraction=fraction)
