from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import (
    AmountError,
    Asset,
    Money,
    Rate,
    Rounding,
    parse_units,
    share,
)

assets = st.builds(Asset, st.just("usdc"), st.just("POLYGON"), st.integers(0, 18))
units = st.integers(0, 10**38 - 1)
rates = st.tuples(st.integers(1, 10**20), st.integers(0, 18)).map(
    lambda drawn: Rate(Decimal(drawn[0]).scaleb(-drawn[1]))
)
USDC = Asset("usdc", "POLYGON", 6)
USDT = Asset("usdt", "POLYGON", 6)


@given(st.integers(-(10**38) + 1, 10**38 - 1), assets)
def test_printed_money_is_read_back_unchanged(amount: int, asset: Asset) -> None:
    money = Money(amount, asset)
    assert Money.parse(str(money), asset) == money
    assert Money.parse(money.decimal, asset) == money


@given(st.integers(-(10**38) + 1, 10**38 - 1), assets)
def test_printed_money_has_no_exponent_and_no_trailing_zeros(amount: int, asset: Asset) -> None:
    text = str(Money(amount, asset))
    assert set(text) <= set("-0123456789.")
    assert "." not in text or text[-1] not in ".0"
    assert text != "-0"


@given(st.text(alphabet="0123456789.-+eE_ nafiNAFI\u0663\u00b2\uff11,\n\x00", max_size=90), assets)
def test_text_is_read_exactly_or_refused(text: str, asset: Asset) -> None:
    try:
        parsed = parse_units(text, asset.decimals)
    except AmountError:
        return
    # Reference with Python's integers: the digits, shifted by the decimals, without loss.
    whole, _, fraction = text.removeprefix("-").partition(".")
    assert not fraction[asset.decimals :].strip("0")
    exact = int(whole + fraction[: asset.decimals].ljust(asset.decimals, "0"))
    assert parsed == (-exact if text.startswith("-") else exact)


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", ".", ".5", "5.", "--1", "+1", "1e3", "1E3", "1_000", "1,5", " 1", "1 ", "1\n"),
        *("NaN", "sNaN", "Infinity", "-Infinity", "inf", "0x10", "1.2.3", "1-", "\x001"),
        *("\u0661\u0662", "\uff11", "1.\u0665", "\u00b2", "1\u00a0"),
        *("1.0000001", "0.0000001", "1." + "0" * 72 + "1", "1." + "0" * 58 + "1"),
        *("1" + "0" * 32, "9" * 33, "9" * 100),
    ],
)
def test_amount_that_is_not_plain_with_six_decimals_is_refused(text: str) -> None:
    with pytest.raises(AmountError):
        Money.parse(text, USDC)


@pytest.mark.parametrize(
    "number",
    [
        *(Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("-Infinity")),
        *(Decimal("1e400"), Decimal("1e999999"), Decimal("1e-400"), Decimal("1e-7")),
        *(Decimal("1." + "0" * 80 + "1"), 10**400, -(10**32)),
    ],
)
def test_number_out_of_range_is_refused_quickly(number: Decimal | int) -> None:
    with pytest.raises(AmountError):
        Money.parse(number, USDC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("-0", 0),
        ("-0.000", 0),
        ("10.50", 10_500_000),
        ("1." + "0" * 70, 1_000_000),
        ("9" * 32 + ".999999", 10**38 - 1),
        (Decimal("1e3"), 1_000_000_000),
        (Decimal("0e-99999"), 0),
        (Decimal("0e999999"), 0),
        (7, 7_000_000),
    ],
)
def test_amount_in_range_is_exact(text: str | Decimal | int, expected: int) -> None:
    assert Money.parse(text, USDC).units == expected


@given(units, st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_split_parts_sum_to_the_whole_and_are_a_unit_off_at_most(
    amount: int, weights: list[int]
) -> None:
    assume(sum(weights))
    parts = Money(amount, USDC).split(weights)
    assert sum(part.units for part in parts) == amount
    for part, weight in zip(parts, weights, strict=True):
        assert 0 <= part.units * sum(weights) - amount * weight + sum(weights) <= 2 * sum(weights)
        assert weight or not part.units


@pytest.mark.parametrize(("amount", "weights"), [(1, []), (1, [0, 0]), (1, [2, -1]), (-1, [1])])
def test_split_without_sense_is_a_bug(amount: int, weights: list[int]) -> None:
    with pytest.raises(InvariantBroken):
        Money(amount, USDC).split(weights)


@given(units, assets, assets, rates)
def test_convert_is_within_one_unit_of_the_truth_and_on_the_named_side(
    amount: int, source: Asset, into: Asset, rate: Rate
) -> None:
    money = Money(amount, source)
    up, down = rate.value.as_integer_ratio()
    # The exact value as a fraction of integers: numerator / denominator.
    numerator, denominator = amount * up * 10**into.decimals, down * 10**source.decimals
    low = rate.convert(money, into, Rounding.DOWN).units
    high = rate.convert(money, into, Rounding.UP).units
    assert low * denominator <= numerator < (low + 1) * denominator
    assert (high - 1) * denominator < numerator <= high * denominator


@given(units, assets, assets, rates)
def test_inverted_amount_converts_to_at_least_the_target(
    amount: int, target_asset: Asset, paid_in: Asset, rate: Rate
) -> None:
    target = Money(amount, target_asset)
    to_pay = rate.invert(target, paid_in, Rounding.UP)
    assert rate.convert(to_pay, target_asset, Rounding.DOWN) >= target
    if to_pay.units:
        less = to_pay - Money(1, paid_in)
        # One unit less would not suffice: the customer is charged the minimum.
        assert rate.invert(target, paid_in, Rounding.DOWN) <= to_pay
        assert rate.convert(less, target_asset, Rounding.DOWN) <= target


@given(units, st.decimals(0, 1, places=8))
def test_a_share_is_no_more_than_the_whole_and_rounds_as_named(
    amount: int, fraction: Decimal
) -> None:
    money = Money(amount, USDC)
    low, high = share(money, fraction, Rounding.DOWN), share(money, fraction, Rounding.UP)
    assert Money(0, USDC) <= low <= high <= money
    assert high.units - low.units <= 1


def test_share_of_zero_is_zero() -> None:
    for nothing in (Decimal(0), Decimal("0.00000000")):
        assert share(Money(1000, USDC), nothing, Rounding.UP) == Money(0, USDC)


@given(units, units)
def test_sums_and_comparisons_equal_those_of_the_units(one: int, other: int) -> None:
    a, b = Money(one, USDC), Money(other, USDC)
    assert a + b - b == a == Money(0, USDC) - (-a)
    assert ((a < b), (a <= b), (a > b), (a >= b)) == (
        one < other,
        one <= other,
        one > other,
        one >= other,
    )


def test_two_assets_never_mix() -> None:
    one, other = Money(1, USDC), Money(1, USDT)
    for mixing in ("__add__", "__sub__", "__lt__", "__le__", "__gt__", "__ge__"):
        with pytest.raises(InvariantBroken, match="usdc:POLYGON and usdt:POLYGON"):
            getattr(one, mixing)(other)
    assert one != other
    assert USDC.code == "usdc:POLYGON"


@pytest.mark.parametrize("value", ["0", "-1", "NaN", "Infinity", "0.1234567890123456789"])
def test_invalid_rate_is_a_bug(value: str) -> None:
    with pytest.raises(InvariantBroken):
        Rate(Decimal(value))


def test_a_rate_prints_plainly() -> None:
    assert str(Rate(Decimal("0.9990"))) == "0.999"
    assert str(Rate(Decimal("1E+3"))) == "1000"
