"""Amounts in requests: what is accepted, what is refused, and their value in dollars."""

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from landbridge.payments.engine.amounts import in_usd, parse_amount
from landbridge.payments.quotes.pricing import UNITS_MAX
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Asset, Money

FIELD = "destination.amount"
ASSETS = st.sampled_from([Asset("a", "X", decimals) for decimals in (0, 2, 6, 8, 18)])
UNITS = st.integers(1, 1_000) | st.integers(1, UNITS_MAX)


def _refused(value: str | Decimal | int, asset: Asset) -> None:
    with pytest.raises(FieldInvalid) as refused:
        parse_amount(FIELD, value, asset)
    assert refused.value.field == FIELD
    assert refused.value.message.startswith(FIELD)


@given(UNITS, ASSETS)
def test_amount_is_parsed_as_it_is_shown(units: int, asset: Asset) -> None:
    money = Money(units, asset)
    for value in (str(money), money.decimal, f"{money.decimal:.{asset.decimals}f}"):
        assert parse_amount(FIELD, value, asset) == money


@given(st.integers(1, 10**6), ASSETS)
def test_whole_number_is_an_amount_of_coins(coins: int, asset: Asset) -> None:
    assert parse_amount(FIELD, coins, asset) == Money(coins * 10**asset.decimals, asset)


@given(UNITS, ASSETS, st.integers(1, 20))
def test_more_decimals_than_the_asset_has_are_refused(units: int, asset: Asset, extra: int) -> None:
    assume(units % 10**extra)
    value = Decimal(f"{units}E-{asset.decimals + extra}")
    _refused(value, asset)
    _refused(f"{value:f}", asset)


@given(UNITS, ASSETS)
def test_negative_amount_is_refused(units: int, asset: Asset) -> None:
    _refused(str(Money(-units, asset)), asset)


@pytest.mark.parametrize("value", ["0", "-0", "0.00", Decimal("0E+5"), Decimal(0), 0])
@pytest.mark.parametrize("decimals", [2, 6])
def test_zero_is_refused(value: str | Decimal | int, decimals: int) -> None:
    _refused(value, Asset("a", "X", decimals))


@given(ASSETS, st.integers(1, 10**60))
def test_amount_beyond_the_ledger_is_refused(asset: Asset, excess: int) -> None:
    most = Money(UNITS_MAX, asset)
    assert parse_amount(FIELD, str(most), asset) == most
    whole = (UNITS_MAX + excess) // 10**asset.decimals + 1
    _refused(str(whole), asset)
    _refused(whole, asset)
    _refused(Decimal(10) ** (40 + excess % 1000), asset)


@given(ASSETS, st.text("0123456789.-+eE ,_\u0663\u00b2", max_size=20))
def test_other_text_is_refused(asset: Asset, text: str) -> None:
    # At most one point, and only between ASCII digits.
    assume(not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text))
    _refused(text, asset)


@pytest.mark.parametrize(
    "text", ["", " 1", "1 ", "+1", "1e3", "1,000", "1_000", ".5", "5.", "1.2.3", "NaN", "Infinity"]
)
def test_text_that_is_no_plain_number_is_refused(text: str) -> None:
    _refused(text, Asset("a", "X", 6))


@pytest.mark.parametrize("value", ["NaN", "sNaN", "Infinity", "-Infinity"])
def test_number_that_is_not_finite_is_refused(value: str) -> None:
    _refused(Decimal(value), Asset("a", "X", 6))


@given(st.integers(0, UNITS_MAX), ASSETS)
def test_dollars_are_the_coins_rounded_down_to_cents(units: int, asset: Asset) -> None:
    dollars = in_usd(Money(units, asset))
    exact = Fraction(units, 10**asset.decimals)
    assert 0 <= exact - Fraction(dollars) < Fraction(1, 100)
    assert dollars.as_tuple().exponent == -2
