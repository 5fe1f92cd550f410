"""The arithmetic of an onramp's quote: a price, and an organisation's own fee on what is sent.

A fixed fee is taken first, a percentage together with what the price itself takes. Rounded against
the customer at every step, as all quotes are (quotes/pricing.py).
"""

from dataclasses import replace
from decimal import Decimal

from landbridge.core.errors import Broken, FieldInvalid
from landbridge.core.money import Asset, Money
from landbridge.payments.amounts import parse_amount
from landbridge.payments.fees import Fee, FeeType
from landbridge.quotes.pricing import Quote, check_size, exact_in, exact_out
from landbridge.rates.port import Price


def quote_of(
    amounts: tuple[Money | None, Money | None],
    *,
    fiat: Asset,
    coins: Asset,
    price: Price,
    fee: Fee | None,
) -> Quote:
    """What is sent and what is delivered, for exactly one of the two amounts.

    Raises `FieldInvalid` for a fee that is none, where nothing would be left after it, or for too
    much for the books.
    """
    fixed, charged = _charged(price, fee, fiat)
    match amounts:
        case (Money() as send, None):
            field = "source.amount"
            rest = send - fixed
            quote = exact_in(rest, coins, charged) if rest.units > 0 else None
        case (None, Money() as receive):
            field = "destination.amount"
            quote = exact_out(receive, fiat, charged)
        case _:
            raise Broken("an onramp has exactly one amount")
    if quote is None:
        raise FieldInvalid(
            "source.amount is too small: nothing would be left after the fee", field=field
        )
    whole = replace(quote, send_gross=quote.send_gross + fixed, fee=quote.fee + fixed, price=price)
    check_size(whole, field=field)
    return whole


def _charged(price: Price, fee: Fee | None, fiat: Asset) -> tuple[Money, Price]:
    """The fee that is a sum, and the price with the fee that is a fraction."""
    if fee is None or not fee.value:
        return Money(0, fiat), price
    match fee.type:
        case FeeType.FIX:
            return parse_amount("fee.value", fee.value, fiat), price
        case FeeType.PERCENT:
            # Taken of the whole, together with the price's own.
            fraction = price.fee_fraction + fee.fraction()
            if fraction >= Decimal(1):
                raise FieldInvalid("fee.value: nothing would be left to convert", field="fee.value")
            return Money(0, fiat), replace(price, fee_fraction=fraction)
