"""Offramp quotes: computes and checks amounts and fees at current prices."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.payments.offramps.fees import FeeLine, OfframpFee, compute_fees, total
from landbridge.payments.offramps.request import check_minimum
from landbridge.payments.quotes.pricing import (
    UNITS_MAX,
    check_size,
    exact_in,
    exact_out,
    fresh_price,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Asset, Money
from landbridge.providers.rates.port import RateSource


@dataclass(frozen=True, slots=True)
class OfframpQuoteTerms:
    """Amounts of a quote: `amount` is converted and includes our fee, `fees` come on top."""

    amount: Money
    exchange_fee: Money
    fees: tuple[OfframpFee, ...]
    receive: Money
    rate: Decimal

    @property
    def gross(self) -> Money:
        """The coins debited from the wallet."""
        return self.amount + total(self.fees, self.amount.asset)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfframpQuoteRequest:
    """Quote request: `money` is the converted amount, or the received amount if it is fiat."""

    money: Money
    source: Asset
    destination: Asset
    corridor: str | None
    payment_rail: str
    fees: Sequence[FeeLine]


@dataclass(frozen=True, slots=True)
class OfframpQuoting:
    """Quotes offramps at current prices."""

    rates: RateSource
    price_age_max: timedelta

    async def terms(
        self, org_id: UUID, request: OfframpQuoteRequest, at: datetime
    ) -> OfframpQuoteTerms:
        """Quote an offramp; raises `RouteInvalid`, `QuoteNotReady` and `FieldInvalid` (amount)."""
        price = await fresh_price(
            self.rates,
            org_id,
            source=request.source,
            destination=request.destination,
            now=at,
            age_max=self.price_age_max,
            corridor=request.corridor,
        )
        is_exact_in = request.money.asset == request.source
        field = "source.amount" if is_exact_in else "destination.amount"
        if is_exact_in:
            quote = exact_in(request.money, request.destination, price)
        else:
            quote = exact_out(request.money, request.source, price)
        if quote is None:
            raise FieldInvalid(f"{field} is too small: nothing would arrive", field=field)
        check_size(quote, field=field)
        check_minimum(quote.send_gross, request.payment_rail, field=field)
        terms = OfframpQuoteTerms(
            amount=quote.send_gross,
            exchange_fee=quote.fee,
            fees=compute_fees(request.fees, quote.send_gross),
            receive=quote.receive,
            rate=price.rate.value,
        )
        if terms.gross.units > UNITS_MAX:
            raise FieldInvalid("developerFee.fees are too large", field="developerFee.fees")
        return terms
