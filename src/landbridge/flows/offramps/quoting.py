"""What an offramp costs and what arrives: the quote, the fees on top, and the bounds of both."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.core.errors import FieldInvalid
from landbridge.core.money import Asset, Money
from landbridge.flows.offramps.asked import check_minimum
from landbridge.flows.offramps.fees import Fee, FeeLine, computed, total
from landbridge.quotes.pricing import UNITS_MAX, check_size, exact_in, exact_out, fresh_price
from landbridge.rates.port import RateSource


@dataclass(frozen=True, slots=True)
class Terms:
    """A quote: `amount` is converted (our fee is part of it), `fees` come on top."""

    amount: Money
    exchange_fee: Money
    fees: tuple[Fee, ...]
    receive: Money
    rate: Decimal

    @property
    def gross(self) -> Money:
        """What leaves the wallet."""
        return self.amount + total(self.fees, self.amount.asset)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be quoted: `money` is what is converted, or what is to arrive, by its asset."""

    money: Money
    source: Asset
    destination: Asset
    corridor: str | None
    payment_rail: str
    fees: Sequence[FeeLine]


@dataclass(frozen=True, slots=True)
class Quoting:
    """Makes quotes at present prices."""

    rates: RateSource
    price_age_max: timedelta

    async def terms(self, org_id: UUID, asked: Asked, at: datetime) -> Terms:
        """A quote; raises `RouteInvalid`, `QuoteNotReady` and, for amounts, `FieldInvalid`."""
        price = await fresh_price(
            self.rates,
            org_id,
            source=asked.source,
            destination=asked.destination,
            now=at,
            age_max=self.price_age_max,
            corridor=asked.corridor,
        )
        is_exact_in = asked.money.asset == asked.source
        field = "source.amount" if is_exact_in else "destination.amount"
        if is_exact_in:
            quote = exact_in(asked.money, asked.destination, price)
        else:
            quote = exact_out(asked.money, asked.source, price)
        if quote is None:
            raise FieldInvalid(f"{field} is too small: nothing would arrive", field=field)
        check_size(quote, field=field)
        check_minimum(quote.send_gross, asked.payment_rail, field=field)
        terms = Terms(
            amount=quote.send_gross,
            exchange_fee=quote.fee,
            fees=computed(asked.fees, quote.send_gross),
            receive=quote.receive,
            rate=price.rate.value,
        )
        if terms.gross.units > UNITS_MAX:
            raise FieldInvalid("developerFee.fees are too large", field="developerFee.fees")
        return terms
