"""Quote arithmetic in smallest units, rounded against the customer at every step.

The fee is deducted from the amount sent: `send_gross - fee = send_net`, and `send_net` times the
rate is the amount received. Exact in: the amount received is rounded down. Exact out: the customer
is charged the least amount that yields the amount received, rounded up. Rounding differences, less
than one smallest unit per quote, stay with the organisation's liquidity.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.payments.quotes.errors import QuoteNotReady, RouteInvalid
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Asset, Money, Rounding, share
from landbridge.providers.rates.errors import PriceUnavailable
from landbridge.providers.rates.port import Price, RateSource

# Largest amount of a quote: a hundred million of them fit into the 38 digits of the ledger.
UNITS_MAX = 10**30


@dataclass(frozen=True, slots=True)
class Quote:
    """Amounts of a conversion: `send_gross` is debited from the wallet, `receive` is delivered."""

    send_gross: Money
    fee: Money
    receive: Money
    price: Price

    @property
    def send_net(self) -> Money:
        """`send_gross` minus the fee."""
        return self.send_gross - self.fee


def exact_in(send: Money, into: Asset, price: Price) -> Quote | None:
    """Quote the amount received for exactly `send`; None if that amount is zero."""
    fee = share(send, price.fee_fraction, Rounding.UP)
    receive = price.rate.convert(send - fee, into, Rounding.DOWN)
    return Quote(send, fee, receive, price) if receive.units > 0 else None


def exact_out(receive: Money, out_of: Asset, price: Price) -> Quote:
    """Quote the least amount to send for exactly `receive`."""
    net = price.rate.invert(receive, out_of, Rounding.UP)
    gross = gross_of(net, price)
    return Quote(gross, gross - net, receive, price)


def gross_of(net: Money, price: Price) -> Money:
    """Return the least amount in smallest units that leaves `net` after its fee.

    The difference to `net` is the fee, rounded up to a smallest unit.
    """
    kept_over, kept_under = (1 - price.fee_fraction).as_integer_ratio()
    return Money(-(-net.units * kept_under // kept_over), net.asset)


def is_within_size(quote: Quote) -> bool:
    """Return whether the amounts of a quote are at most `UNITS_MAX`."""
    return max(quote.send_gross.units, quote.receive.units) <= UNITS_MAX


def check_size(quote: Quote, *, field: str) -> None:
    """Raise `FieldInvalid` for `field` if an amount of the quote is too large for the ledger."""
    if not is_within_size(quote):
        raise FieldInvalid(f"{field} is too large", field=field)


async def check_quotable(rates: RateSource, *assets: Asset) -> None:
    """Raise `QuoteNotReady` while prices of one of these stablecoins are withheld.

    They are withheld while the coin is off its peg. An open quote keeps its price, but can't be
    accepted during that time.
    """
    try:
        await rates.check_quotable(*(each.currency for each in assets))
    except PriceUnavailable as error:
        raise QuoteNotReady(str(error)) from error


async def fresh_price(
    rates: RateSource,
    org_id: UUID,
    *,
    source: Asset,
    destination: Asset,
    now: datetime,
    age_max: timedelta,
    corridor: str | None = None,
) -> Price:
    """Return the price of a pair of assets; raises as `fresh_price_of`.

    `corridor` replaces the destination's currency if its banks have a price of their own, for
    example `usd-hka`.
    """
    return await fresh_price_of(
        rates,
        org_id,
        source=source.currency,
        destination=corridor or destination.currency,
        now=now,
        age_max=age_max,
    )


async def fresh_price_of(
    rates: RateSource,
    org_id: UUID,
    *,
    source: str,
    destination: str,
    now: datetime,
    age_max: timedelta,
) -> Price:
    """Return the price of a pair if it is younger than `age_max` in the organisation's time.

    Raises `RouteInvalid` for a pair without a price, and `QuoteNotReady` for a stale or withheld
    price.
    """
    price = await current_price(rates, org_id, source=source, destination=destination)
    if price.as_of is not None and now - price.as_of > age_max:
        raise QuoteNotReady(
            f"the price of {source} in {destination} is from "
            f"{price.as_of:%Y-%m-%d %H:%M} UTC and too old to quote"
        )
    return price


async def current_price(rates: RateSource, org_id: UUID, *, source: str, destination: str) -> Price:
    """Return the price of a pair, however old it is.

    Raises `RouteInvalid` for a pair without a price, and `QuoteNotReady` for a withheld one.
    """
    try:
        price = await rates.price(org_id, source_currency=source, destination_currency=destination)
    except PriceUnavailable as error:
        raise QuoteNotReady(str(error)) from error
    if price is None:
        raise RouteInvalid(
            f"there is no price for {source} to {destination}; "
            "an operator sets one with `landbridge prices set`"
        )
    return price
