"""The arithmetic of a quote, in whole units, rounded against the customer at every step.

The fee is taken from what is sent: `send_gross - fee = send_net`, and `send_net` times the rate is
what is received. Exact in: the customer receives what remains, rounded down. Exact out: the
customer is charged the least that yields it, rounded up. Nothing is lost in between: what rounding
leaves stays with the organisation's liquidity, less than one smallest unit per quote.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.core.errors import FieldInvalid
from landbridge.core.money import Asset, Money, Rounding, share
from landbridge.quotes.errors import QuoteNotReady, RouteInvalid
from landbridge.rates.errors import PriceWithheld
from landbridge.rates.port import Price, RateSource

# Books hold 38 digits: so large an amount may be moved a hundred million times.
UNITS_MAX = 10**30


@dataclass(frozen=True, slots=True)
class Quote:
    """What a conversion does: `send_gross` leaves the wallet, `receive` arrives."""

    send_gross: Money
    fee: Money
    receive: Money
    price: Price

    @property
    def send_net(self) -> Money:
        """What is left of `send_gross` after the fee."""
        return self.send_gross - self.fee


def exact_in(send: Money, into: Asset, price: Price) -> Quote | None:
    """What is received for exactly `send`; None if nothing would be."""
    fee = share(send, price.fee_fraction, Rounding.UP)
    receive = price.rate.convert(send - fee, into, Rounding.DOWN)
    return Quote(send, fee, receive, price) if receive.units > 0 else None


def exact_out(receive: Money, out_of: Asset, price: Price) -> Quote:
    """The least that has to be sent so that exactly `receive` arrives."""
    net = price.rate.invert(receive, out_of, Rounding.UP)
    kept_over, kept_under = (1 - price.fee_fraction).as_integer_ratio()
    # The least whole number that leaves `net` after its fee: what it is above `net` is that fee,
    # rounded up, since all of these are whole.
    gross = Money(-(-net.units * kept_under // kept_over), out_of)
    return Quote(gross, gross - net, receive, price)


def check_size(quote: Quote, *, field: str) -> None:
    """Raise `FieldInvalid`, naming the amount that was asked for, for sums beyond the books."""
    if max(quote.send_gross.units, quote.receive.units) > UNITS_MAX:
        raise FieldInvalid(f"{field} is too large", field=field)


async def check_quotable(rates: RateSource, *assets: Asset) -> None:
    """Raise `QuoteNotReady` while one of these is a stablecoin that is withheld.

    An open quote keeps its price, but is not accepted meanwhile: it was made of a better coin.
    """
    try:
        await rates.check_quotable(*(each.currency for each in assets))
    except PriceWithheld as error:
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
    """The price of a pair of assets, as `fresh_price_of` has it for their currencies.

    `corridor` stands for the destination's currency where its banks have a price of their own, as
    in `usd-hka`.
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
    """The price of a pair, if it is younger than `age_max` in the organisation's time.

    Raises `RouteInvalid` for a pair without a price, and `QuoteNotReady` for a stale one and for
    one that is withheld.
    """
    try:
        price = await rates.price(org_id, source_currency=source, destination_currency=destination)
    except PriceWithheld as error:
        raise QuoteNotReady(str(error)) from error
    if price is None:
        raise RouteInvalid(
            f"there is no price for {source} to {destination}; "
            "an operator sets one with `landbridge prices set`"
        )
    if price.as_of is not None and now - price.as_of > age_max:
        raise QuoteNotReady(
            f"the price of {source} in {destination} is from "
            f"{price.as_of:%Y-%m-%d %H:%M} UTC and too old to quote"
        )
    return price
