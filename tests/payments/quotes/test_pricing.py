"""Arithmetic of a quote: the customer never gains, and nothing is lost."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.quotes.errors import QuoteNotReady, RouteInvalid
from landbridge.payments.quotes.pricing import exact_in, exact_out, fresh_price
from landbridge.platform.core.money import RATE_DECIMALS, Asset, Money, Rate
from landbridge.providers.rates.port import Price
from landbridge.providers.rates.sandbox import PAR

ASSETS = [Asset("a", "X", decimals) for decimals in (0, 2, 6, 8, 18)]
assets = st.sampled_from(ASSETS)
units = st.integers(1, 10**24)
rates = st.integers(1, 10**24).map(lambda each: Rate(Decimal(each).scaleb(-RATE_DECIMALS)))
fees = st.integers(0, 10**8 - 1).map(lambda each: Decimal(each).scaleb(-8))
prices = st.builds(Price, rates, fees, st.none())


def _fair(send: Money, into: Asset, price: Price) -> Fraction:
    """Return the target units without rounding."""
    net = Fraction(send.units) * (1 - Fraction(price.fee_fraction))
    return net * Fraction(price.rate.value) * 10**into.decimals / 10**send.asset.decimals


@given(units, assets, assets, prices)
def test_exact_in_never_overpays_the_customer(
    sent: int, source: Asset, into: Asset, price: Price
) -> None:
    send = Money(sent, source)
    quote = exact_in(send, into, price)
    fair = _fair(send, into, price)
    if quote is None:
        # Too little to be worth a unit, once the fee has been rounded up.
        step = Fraction(price.rate.value) * 10**into.decimals / 10**source.decimals
        assert fair < 1 + step
        return
    assert 0 < quote.receive.units <= fair
    assert quote.send_gross == send
    assert quote.fee >= Money(0, source)
    assert quote.send_net + quote.fee == quote.send_gross
    # Rounding keeps less than one unit of the fee and one unit of the target.
    step = Fraction(price.rate.value) * 10**into.decimals / 10**source.decimals
    assert fair - quote.receive.units < 1 + step


@given(units, assets, assets, prices)
def test_exact_out_charges_enough_and_at_most_one_unit_more(
    target_units: int, source: Asset, into: Asset, price: Price
) -> None:
    receive = Money(target_units, into)
    quote = exact_out(receive, source, price)
    assert quote.receive == receive
    assert quote.send_net + quote.fee == quote.send_gross
    assert quote.send_gross > Money(0, source)
    assert _fair(quote.send_gross, into, price) >= target_units
    # One unit less would not do.
    less = quote.send_gross - Money(1, source)
    if less.units:
        cheaper = exact_in(less, into, price)
        assert cheaper is None or cheaper.receive < receive


@given(units, assets, assets, prices)
def test_exact_in_and_exact_out_agree(sent: int, source: Asset, into: Asset, price: Price) -> None:
    forward = exact_in(Money(sent, source), into, price)
    if forward is None:
        return
    back = exact_out(forward.receive, source, price)
    assert back.send_gross <= forward.send_gross
    again = exact_in(back.send_gross, into, price)
    assert again is not None
    assert again.receive >= forward.receive


@given(units, assets, assets, rates)
def test_round_trip_never_gains(sent: int, source: Asset, into: Asset, rate: Rate) -> None:
    there = exact_in(Money(sent, source), into, Price(rate, Decimal(0), None))
    if there is None:
        return
    back = exact_out(there.receive, source, Price(rate, Decimal(0), None))
    assert back.send_gross.units <= sent


@given(units, units, assets, assets, prices)
def test_two_swaps_never_give_more_than_one(
    first: int, second: int, source: Asset, into: Asset, price: Price
) -> None:
    both = exact_in(Money(first + second, source), into, price)
    parts = [exact_in(Money(each, source), into, price) for each in (first, second)]
    received = sum(each.receive.units for each in parts if each is not None)
    assert received <= (0 if both is None else both.receive.units)


def test_the_sandbox_is_at_par_with_ten_basis_points() -> None:
    send = Money(10_000_000, ASSETS[2])
    quote = exact_in(send, ASSETS[2], PAR)
    assert quote is not None
    assert (quote.fee.units, quote.receive.units) == (10_000, 9_990_000)


class _Prices:
    """Price source with one pair and the age of its price."""

    def __init__(self, price: Price) -> None:
        self._price = price

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price | None:
        _ = org_id
        return self._price if (source_currency, destination_currency) == ("a", "b") else None

    async def check_quotable(self, *currencies: str) -> None:
        """Accept every currency."""


NOW = datetime(2026, 1, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)


async def _fresh(as_of: datetime | None, destination: str = "b") -> Price:
    return await fresh_price(
        _Prices(Price(Rate(Decimal(1)), Decimal(0), as_of)),
        UUID(int=0),
        source=Asset("a", "X", 6),
        destination=Asset(destination, "X", 6),
        now=NOW,
        age_max=HOUR,
    )


async def test_price_may_be_as_old_as_the_bound() -> None:
    assert (await _fresh(NOW - HOUR)).as_of == NOW - HOUR
    assert (await _fresh(None)).as_of is None
    with pytest.raises(QuoteNotReady):
        await _fresh(NOW - HOUR - timedelta(microseconds=1))


async def test_a_pair_without_a_price_is_no_route() -> None:
    with pytest.raises(RouteInvalid):
        await _fresh(None, destination="c")
