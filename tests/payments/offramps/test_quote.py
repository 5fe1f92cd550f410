"""Terms of an offramp's quote: its amounts, and every refusal at its exact bound."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.offramps.fees import (
    FeeLine,
    OfframpFeeType,
    total,
    validate_fee_value,
)
from landbridge.payments.offramps.quote import (
    OfframpQuoteRequest,
    OfframpQuoteTerms,
    OfframpQuoting,
)
from landbridge.payments.quotes.errors import QuoteNotReady, RouteInvalid
from landbridge.payments.quotes.pricing import UNITS_MAX
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Asset, Money, Rate
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rates.port import Price
from tests.payments.reached_states import result_of

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
USDC, USDT = TOKENS[Chain.POLYGON, "usdc"].asset, TOKENS[Chain.POLYGON, "usdt"].asset
USD = FIAT["usd"]
AGE_MAX = timedelta(hours=1)
PAR = Price(Rate(Decimal(1)), Decimal(0), None)
FIATS = st.sampled_from([FIAT["usd"], FIAT["ugx"]])
PRICES = st.builds(
    Price,
    st.integers(10**15, 10**22).map(lambda units: Rate(Decimal(units).scaleb(-18))),
    st.integers(0, 5_000).map(lambda units: Decimal(units).scaleb(-5)),
    st.none(),
)
PERCENTAGES = st.integers(1, 10**4).map(lambda units: Decimal(units).scaleb(-4))
FLATS = st.integers(1, 10**9).map(lambda units: Decimal(units).scaleb(-6))
LINES = st.lists(
    st.tuples(st.just(OfframpFeeType.PERCENTAGE), PERCENTAGES)
    | st.tuples(st.just(OfframpFeeType.FLAT), FLATS),
    max_size=4,
)


class _Rates:
    """Price source with one price for dollars and for other currencies."""

    def __init__(self, price: Price | None) -> None:
        self._price = price

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price | None:
        _ = org_id, source_currency, destination_currency
        return self._price

    async def check_quotable(self, *currencies: str) -> None:
        """Accept every currency."""


def _terms(
    money: Money,
    *,
    price: Price | None = PAR,
    source: Asset = USDC,
    fiat: Asset = USD,
    rail: str = "wire",
    fees: list[FeeLine] | None = None,
) -> OfframpQuoteTerms:
    request = OfframpQuoteRequest(
        money=money,
        source=source,
        destination=fiat,
        corridor=None,
        payment_rail=rail,
        fees=fees or [],
    )
    return result_of(OfframpQuoting(_Rates(price), AGE_MAX).terms(UUID(int=1), request, AT))


def _accepted(money: Money, *, price: Price, fiat: Asset) -> OfframpQuoteTerms | FieldInvalid:
    """Return the terms, or the refusal of the amount."""
    try:
        return _terms(money, price=price, fiat=fiat)
    except FieldInvalid as refusal:
        return refusal


def _line(kind: OfframpFeeType, value: Decimal) -> FeeLine:
    return FeeLine(type=kind, value=value, wallet_address="0xf")


def _flat(units: int) -> FeeLine:
    return _line(OfframpFeeType.FLAT, Money(units, USDC).decimal)


@given(st.integers(10**6, 10**18), PRICES, FIATS)
def test_amount_is_converted_unless_nothing_would_arrive(
    units: int, price: Price, fiat: Asset
) -> None:
    rate = Fraction(price.rate.value) * Fraction(10) ** (fiat.decimals - USDC.decimals)
    fee = ceil(units * Fraction(price.fee_fraction))
    arrives = floor((units - fee) * rate)
    terms = _accepted(Money(units, USDC), price=price, fiat=fiat)
    if isinstance(terms, FieldInvalid):
        assert arrives == 0
        assert (terms.field, "nothing would arrive" in terms.message) == ("source.amount", True)
    else:
        assert terms.gross.units == terms.amount.units == units
        assert (terms.exchange_fee.units, terms.receive.units) == (fee, arrives)
        assert arrives > 0


@given(st.integers(10**6, 10**18), LINES)
def test_fees_come_on_top_of_the_amount(
    units: int, lines: list[tuple[OfframpFeeType, Decimal]]
) -> None:
    terms = _terms(Money(units, USDC), fees=[_line(*each) for each in lines])
    assert terms.amount.units == units
    assert terms.gross == terms.amount + total(terms.fees, USDC)
    assert [(each.line.type, each.line.value) for each in terms.fees] == lines
    for fee in terms.fees:
        is_flat = fee.line.type is OfframpFeeType.FLAT
        assert fee.money.units == ceil(Fraction(fee.line.value) * (10**6 if is_flat else units))


@given(st.integers(1, 10**12), PRICES, FIATS)
def test_amount_to_pay_out_is_exact_and_costs_the_least(
    units: int, price: Price, fiat: Asset
) -> None:
    receive = Money(units, fiat)
    terms = _accepted(receive, price=price, fiat=fiat)
    if isinstance(terms, FieldInvalid):
        assert (terms.field, "minimum" in terms.message) == ("destination.amount", True)
        return
    assert terms.receive == receive
    # The same coins pay out as much; one unit less does not.
    assert _terms(terms.amount, price=price, fiat=fiat).receive >= receive
    less = _accepted(terms.amount - Money(1, USDC), price=price, fiat=fiat)
    assert isinstance(less, FieldInvalid) or less.receive < receive


@pytest.mark.parametrize(
    ("source", "rail", "least"),
    [(USDC, "wire", 1), (USDC, "swift", 5), (USDT, "wire", 10), (USDT, "swift", 10)],
)
def test_minimum_may_be_converted_and_no_unit_less(source: Asset, rail: str, least: int) -> None:
    bound = Money(least * 10**6, source)
    assert _terms(bound, source=source, rail=rail).amount == bound
    assert _terms(Money(least * 100, USD), source=source, rail=rail).amount == bound
    below = [Money(bound.units - 1, source), Money(least * 100 - 1, USD)]
    for money, field in zip(below, ("source.amount", "destination.amount"), strict=True):
        with pytest.raises(FieldInvalid, match="minimum") as refused:
            _terms(money, source=source, rail=rail)
        assert refused.value.field == field


def test_amount_of_which_nothing_arrives_is_refused() -> None:
    price = Price(Rate(Decimal("0.001")), Decimal(0), None)
    assert _terms(Money(10**9, USDC), price=price, fiat=FIAT["ugx"]).receive.units == 1
    with pytest.raises(FieldInvalid, match="nothing would arrive") as refused:
        _terms(Money(10**9 - 1, USDC), price=price, fiat=FIAT["ugx"])
    assert refused.value.field == "source.amount"


def test_amounts_beyond_the_ledger_are_refused() -> None:
    low = Price(Rate(Decimal("0.000001")), Decimal(0), None)
    assert _terms(Money(UNITS_MAX, USDC), price=low).amount.units == UNITS_MAX
    with pytest.raises(FieldInvalid) as refused:
        _terms(Money(UNITS_MAX + 1, USDC), price=low)
    assert refused.value.field == "source.amount"
    with pytest.raises(FieldInvalid) as refused:
        _terms(Money(UNITS_MAX, USD), price=low)
    assert refused.value.field == "destination.amount"


def test_fees_may_reach_the_bound_of_the_ledger_and_no_unit_more() -> None:
    amount = Money(10**6, USDC)
    most = UNITS_MAX - amount.units
    assert _terms(amount, fees=[_flat(most)]).gross.units == UNITS_MAX
    with pytest.raises(FieldInvalid) as refused:
        _terms(amount, fees=[_flat(most), _flat(1)])
    assert refused.value.field == "developerFee.fees"


def test_missing_or_old_price_is_refused() -> None:
    amount = Money(10**6, USDC)
    with pytest.raises(RouteInvalid):
        _terms(amount, price=None)
    old = AT - AGE_MAX
    assert _terms(amount, price=Price(Rate(Decimal(1)), Decimal(0), old)).amount == amount
    older = old - timedelta(microseconds=1)
    with pytest.raises(QuoteNotReady):
        _terms(amount, price=Price(Rate(Decimal(1)), Decimal(0), older))


@given(st.integers(-(10**5), 10**5))
def test_percentage_of_a_fee_is_above_zero_and_at_most_the_whole(units: int) -> None:
    value = Decimal(units).scaleb(-4)
    if 0 < units <= 10**4:
        assert validate_fee_value("f", OfframpFeeType.PERCENTAGE, value, USDC) == value
    else:
        _refused_fee(OfframpFeeType.PERCENTAGE, value)


@given(st.integers(-(10**12), 10**12))
def test_flat_fee_is_above_zero(units: int) -> None:
    value = Money(units, USDC).decimal
    if units > 0:
        assert validate_fee_value("f", OfframpFeeType.FLAT, value, USDC) == value
    else:
        _refused_fee(OfframpFeeType.FLAT, value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (OfframpFeeType.PERCENTAGE, "0.00001"),
        (OfframpFeeType.PERCENTAGE, "0.12345"),
        (OfframpFeeType.PERCENTAGE, "NaN"),
        (OfframpFeeType.FLAT, "0.0000001"),
        (OfframpFeeType.FLAT, "1e30"),
        (OfframpFeeType.FLAT, "Infinity"),
    ],
)
def test_fee_that_is_too_precise_or_too_large_is_refused(kind: OfframpFeeType, value: str) -> None:
    _refused_fee(kind, Decimal(value))


def _refused_fee(kind: OfframpFeeType, value: Decimal) -> None:
    with pytest.raises(FieldInvalid) as refused:
        validate_fee_value("f", kind, value, USDC)
    assert refused.value.field == "f"
