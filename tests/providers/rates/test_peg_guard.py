"""The peg guard stops beyond its bound, and resumes only within half of it."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.rates.peg_guard import is_off_peg
from landbridge.providers.rates.spreads import read_spreads

BOUND = Decimal("0.01")
_prices = st.decimals(min_value="0.5", max_value="1.5", places=6)


@pytest.mark.parametrize(
    ("usd", "is_off"),
    [
        ("1", (False, False)),
        ("1.005", (False, False)),
        ("1.0051", (False, True)),
        ("0.995", (False, False)),
        ("0.9949", (False, True)),
        ("1.01", (False, True)),
        ("1.010001", (True, True)),
        ("0.99", (False, True)),
        ("0.989999", (True, True)),
    ],
)
def test_two_bounds_on_both_sides(usd: str, is_off: tuple[bool, bool]) -> None:
    price = Decimal(usd)
    found = tuple(is_off_peg(price, was_off=was_off, bound=BOUND) for was_off in (False, True))
    assert found == is_off


@given(st.lists(_prices, max_size=60))
def test_between_two_switches_the_price_has_crossed_half_the_bound(prices: list[Decimal]) -> None:
    is_off, switched_at = False, Decimal(1)
    for price in prices:
        now = is_off_peg(price, was_off=is_off, bound=BOUND)
        if now != is_off:
            assert abs(price - switched_at) >= BOUND * Decimal("0.5")
            switched_at = price
        # Independent of history: a large deviation always stops, a small one never.
        assert now or abs(price - 1) <= BOUND
        assert not now or abs(price - 1) > BOUND * Decimal("0.5")
        is_off = now


def test_spreads_by_pair_then_currency_then_the_rest() -> None:
    spreads = read_spreads("default=30, brl=80,usdc=10,usdc/usdt=5")
    assert spreads.fraction("usdt", "mxn") == Decimal("0.003")
    assert spreads.fraction("usdt", "brl") == Decimal("0.008")
    assert spreads.fraction("usdc", "brl") == Decimal("0.008")
    assert spreads.fraction("usdc", "mxn") == Decimal("0.001")
    assert spreads.fraction("usdt", "usdc") == Decimal("0.0005")
    assert read_spreads(None).fraction("usdc", "eur") == Decimal("0.005")


@pytest.mark.parametrize(
    "text",
    ["30", "default", "default=", "default=-1", "default=NaN", "usdc/usdt/eur=1", "brl=1,brl=2",
     "usdc/eur=1,eur/usdc=2", "default=1,default=2", "brl=1001", "brl=1e3", "brl = 1 = 2"],
)  # fmt: skip
def test_an_invalid_spread_list_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"must|twice"):
        read_spreads(text)
