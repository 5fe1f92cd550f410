"""Each step of a quote's arithmetic against exact fractions, and the bounds of a quote."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.quotes.errors import QuoteNotReady
from landbridge.payments.quotes.pricing import (
    UNITS_MAX,
    Quote,
    check_quotable,
    check_size,
    exact_in,
    exact_out,
    fresh_price_of,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import RATE_DECIMALS, Asset, Money, Rate
from landbridge.providers.rates.errors import PriceUnavailable
from landbridge.providers.rates.port import Price

ASSETS = st.sampled_from([Asset("a", "X", decimals) for decimals in (0, 2, 6, 8, 18)])
# Small amounts are common: rounding decides whether anything arrives.
UNITS = st.integers(1, 1_000) | st.integers(1, 10**24)
RATES = st.integers(1, 10**24).map(lambda each: Rate(Decimal(each).scaleb(-RATE_DECIMALS)))
FRACTIONS = st.integers(0, 10**8 - 1).map(lambda each: Decimal(each).scaleb(-8))
PRICES = st.builds(Price, RATES, FRACTIONS, st.none())
COIN = Asset("a", "X", 6)
PRICE = Price(Rate(Decimal(1)), Decimal(0), None)
FIELD = "source.amount"


def _units_per_unit(source: Asset, into: Asset, price: Price) -> Fraction:
    """Return the units of `into` for one unit of `source`, without a fee and without rounding."""
    return Fraction(price.rate.value) * Fraction(10) ** (into.decimals - source.decimals)


@given(UNITS, ASSETS, ASSETS, PRICES)
def test_exact_in_quotes_nothing_exactly_if_nothing_would_arrive(
    sent: int, source: Asset, into: Asset, price: Price
) -> None:
    fee = ceil(sent * Fraction(price.fee_fraction))
    arrives = floor((sent - fee) * _units_per_unit(source, into, price))
    quote = exact_in(Money(sent, source), into, price)
    assert (quote is None) == (arrives == 0)
    if quote is not None:
        assert (quote.fee.units, quote.receive.units) == (fee, arrives)


@given(UNITS, ASSETS, ASSETS, PRICES)
def test_each_step_of_exact_in_loses_less_than_one_unit(
    sent: int, source: Asset, into: Asset, price: Price
) -> None:
    quote = exact_in(Money(sent, source), into, price)
    if quote is None:
        return
    assert 0 <= quote.fee.units - sent * Fraction(price.fee_fraction) < 1
    exact = quote.send_net.units * _units_per_unit(source, into, price)
    assert 0 <= exact - quote.receive.units < 1


@given(UNITS, ASSETS, ASSETS, PRICES)
def test_each_step_of_exact_out_charges_less_than_one_unit_more(
    target: int, source: Asset, out_of: Asset, price: Price
) -> None:
    quote = exact_out(Money(target, source), out_of, price)
    exact_net = target / _units_per_unit(out_of, source, price)
    assert 0 <= quote.send_net.units - exact_net < 1
    exact_gross = quote.send_net.units / (1 - Fraction(price.fee_fraction))
    assert 0 <= quote.send_gross.units - exact_gross < 1
    # The fee is the one that a quote of the gross amount charges.
    assert quote.fee.units == ceil(quote.send_gross.units * Fraction(price.fee_fraction))


@given(UNITS, ASSETS, ASSETS, PRICES)
def test_gross_of_exact_out_yields_the_amount(
    target: int, source: Asset, into: Asset, price: Price
) -> None:
    receive = Money(target, into)
    again = exact_in(exact_out(receive, source, price).send_gross, into, price)
    assert again is not None
    assert again.receive >= receive


@given(UNITS, UNITS, ASSETS, ASSETS, PRICES)
def test_more_sent_never_yields_less(
    sent: int, more: int, source: Asset, into: Asset, price: Price
) -> None:
    quotes = [exact_in(Money(each, source), into, price) for each in (sent, sent + more)]
    less, greater = (0 if each is None else each.receive.units for each in quotes)
    assert less <= greater


@given(UNITS, UNITS, ASSETS, ASSETS, PRICES)
def test_more_received_never_costs_less(
    target: int, more: int, source: Asset, into: Asset, price: Price
) -> None:
    costs = [exact_out(Money(each, into), source, price) for each in (target, target + more)]
    assert costs[0].send_gross <= costs[1].send_gross


@pytest.mark.parametrize(
    ("sent", "received"), [(UNITS_MAX, 1), (1, UNITS_MAX), (UNITS_MAX, UNITS_MAX)]
)
def test_quote_at_the_bound_of_the_ledger_is_accepted(sent: int, received: int) -> None:
    check_size(_quote(sent, received), field=FIELD)


@given(st.integers(1, 10**40), st.sampled_from(["send", "receive"]))
def test_quote_beyond_the_ledger_is_refused_under_its_field(excess: int, side: str) -> None:
    units = UNITS_MAX + excess
    quote = _quote(units, 1) if side == "send" else _quote(1, units)
    with pytest.raises(FieldInvalid) as refused:
        check_size(quote, field=FIELD)
    assert refused.value.field == FIELD


async def test_withheld_coin_and_withheld_price_are_not_quoted() -> None:
    rates = _WithheldRates()
    await check_quotable(rates, Asset("kept", "X", 6))
    with pytest.raises(QuoteNotReady, match="withheld"):
        await check_quotable(rates, Asset("kept", "X", 6), Asset("gone", "X", 6))
    with pytest.raises(QuoteNotReady, match="withheld"):
        await fresh_price_of(
            rates,
            UUID(int=0),
            source="gone",
            destination="kept",
            now=datetime(2026, 1, 5, tzinfo=UTC),
            age_max=timedelta(hours=1),
        )


def _quote(sent: int, received: int) -> Quote:
    return Quote(Money(sent, COIN), Money(0, COIN), Money(received, COIN), PRICE)


class _WithheldRates:
    """Price source that withholds the coin `gone`."""

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price | None:
        _ = org_id
        await self.check_quotable(source_currency, destination_currency)
        return PRICE

    async def check_quotable(self, *currencies: str) -> None:
        if "gone" in currencies:
            raise PriceUnavailable("gone is withheld")
