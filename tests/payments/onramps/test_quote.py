"""Arithmetic of an onramp's quote, over many amounts, prices and fees."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.engine.fees import FeeType, OrganisationFee
from landbridge.payments.onramps.quote import quote_onramp
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Asset, Money, Rate, Rounding, share
from landbridge.providers.rates.port import Price

USDC = Asset("usdc", "POLYGON", 6)
FIAT = st.sampled_from([Asset("usd", "BANK", 2), Asset("ugx", "BANK", 0)])
PRICES = st.builds(
    Price,
    st.builds(Rate, st.decimals("0.0001", "30", places=6)),
    st.decimals("0", "0.05", places=4),
    st.none(),
)


def _fees(places: int) -> st.SearchStrategy[OrganisationFee | None]:
    return st.one_of(
        st.none(),
        st.builds(OrganisationFee, st.just(FeeType.FIX), st.decimals("0", "50", places=places)),
        st.builds(OrganisationFee, st.just(FeeType.PERCENT), st.decimals("0", "0.5", places=6)),
    )


def _fraction(price: Price, fee: OrganisationFee | None) -> Decimal:
    is_percent = fee is not None and fee.type is FeeType.PERCENT
    return price.fee_fraction + (fee.value if fee is not None and is_percent else 0)


@given(fiat=FIAT, price=PRICES, units=st.integers(10_000, 10**12), data=st.data())
def test_exact_in_converts_the_amount_after_the_fee(
    fiat: Asset, price: Price, units: int, data: st.DataObject
) -> None:
    fee = data.draw(_fees(fiat.decimals))
    send = Money(units, fiat)
    quote = quote_onramp((send, None), fiat=fiat, coins=USDC, price=price, fee=fee)
    assert quote.send_gross == send
    assert quote.receive == price.rate.convert(quote.send_net, USDC, Rounding.DOWN)
    fixed = Money(0, fiat)
    if fee is not None and fee.type is FeeType.FIX:
        fixed = Money.parse(fee.value, fiat)
    assert quote.fee == fixed + share(send - fixed, _fraction(price, fee), Rounding.UP)


@given(fiat=FIAT, price=PRICES, units=st.integers(1, 10**12), data=st.data())
def test_exact_out_charges_the_least_that_yields_it(
    fiat: Asset, price: Price, units: int, data: st.DataObject
) -> None:
    fee = data.draw(_fees(fiat.decimals))
    receive = Money(units, USDC)
    quote = quote_onramp((None, receive), fiat=fiat, coins=USDC, price=price, fee=fee)
    assert quote.receive == receive
    again = quote_onramp((quote.send_gross, None), fiat=fiat, coins=USDC, price=price, fee=fee)
    assert again.receive >= receive
    less = quote.send_gross - Money(1, fiat)
    try:
        short = quote_onramp((less, None), fiat=fiat, coins=USDC, price=price, fee=fee)
    except FieldInvalid:
        return
    assert short.receive < receive


@pytest.mark.parametrize(
    ("send", "fee"),
    [
        ("10", OrganisationFee(FeeType.FIX, Decimal(10))),
        ("10", OrganisationFee(FeeType.FIX, Decimal(11))),
        ("0.01", OrganisationFee(FeeType.PERCENT, Decimal("0.000001"))),
        ("10", OrganisationFee(FeeType.PERCENT, Decimal("0.999"))),
    ],
)
def test_fee_that_leaves_no_amount_is_refused(send: str, fee: OrganisationFee) -> None:
    fiat = Asset("usd", "BANK", 2)
    price = Price(Rate(Decimal(1)), Decimal("0.001"), None)
    with pytest.raises(FieldInvalid):
        quote_onramp((Money.parse(send, fiat), None), fiat=fiat, coins=USDC, price=price, fee=fee)
