"""An organisation's own fee on a payment."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.engine.fees import FeeType, OrganisationFee
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Asset, Money

ASSETS = st.sampled_from([Asset("a", "X", decimals) for decimals in (0, 2, 6, 8, 18)])
UNITS = st.integers(1, 1_000) | st.integers(1, 10**30)
FRACTIONS = st.integers(0, 10**6).map(lambda each: Decimal(each).scaleb(-6))


def _refused(fee: OrganisationFee, amount: Money) -> None:
    with pytest.raises(FieldInvalid) as refused:
        fee.of(amount)
    assert refused.value.field == "fee.value"


@given(UNITS, ASSETS, FRACTIONS)
def test_percentage_is_rounded_up_and_at_most_the_amount(
    units: int, asset: Asset, fraction: Decimal
) -> None:
    fee = OrganisationFee(FeeType.PERCENT, fraction).of(Money(units, asset))
    assert fee.asset == asset
    assert 0 <= fee.units - units * Fraction(fraction) < 1
    assert 0 <= fee.units <= units


@given(UNITS, ASSETS, st.integers(0, 10**30))
def test_fixed_fee_is_exact_and_at_most_the_amount(units: int, asset: Asset, fixed: int) -> None:
    amount, expected = Money(units, asset), Money(fixed, asset)
    fee = OrganisationFee(FeeType.FIX, expected.decimal)
    if expected <= amount:
        assert fee.of(amount) == expected
    else:
        _refused(fee, amount)


@given(UNITS, ASSETS)
def test_fixed_fee_may_be_all_of_the_amount_and_no_unit_more(units: int, asset: Asset) -> None:
    amount, one = Money(units, asset), Money(1, asset)
    assert OrganisationFee(FeeType.FIX, amount.decimal).of(amount) == amount
    _refused(OrganisationFee(FeeType.FIX, (amount + one).decimal), amount)


@given(UNITS, ASSETS, st.integers(1, 10**30))
def test_negative_fee_is_refused(units: int, asset: Asset, below: int) -> None:
    amount = Money(units, asset)
    _refused(OrganisationFee(FeeType.FIX, Money(-below, asset).decimal), amount)
    _refused(OrganisationFee(FeeType.PERCENT, Decimal(-below).scaleb(-6)), amount)


@given(UNITS, ASSETS, st.integers(1, 10**30))
def test_more_than_all_of_the_amount_is_refused(units: int, asset: Asset, above: int) -> None:
    _refused(OrganisationFee(FeeType.PERCENT, 1 + Decimal(above).scaleb(-6)), Money(units, asset))


@given(UNITS, ASSETS, st.integers(1, 10**12), st.integers(1, 9))
def test_too_many_decimals_are_refused(units: int, asset: Asset, value: int, last: int) -> None:
    digits = Decimal(value * 10 + last)
    amount = Money(units, asset)
    _refused(OrganisationFee(FeeType.FIX, digits.scaleb(-asset.decimals - 1)), amount)
    _refused(OrganisationFee(FeeType.PERCENT, Decimal(last).scaleb(-7)), amount)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("fee_type", FeeType)
def test_fee_that_is_not_finite_is_refused(value: str, fee_type: FeeType) -> None:
    _refused(OrganisationFee(fee_type, Decimal(value)), Money(1, Asset("a", "X", 6)))
