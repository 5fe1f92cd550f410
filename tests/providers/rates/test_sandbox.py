"""Sandbox prices: every listed currency, both directions, and no gain from a round trip."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.quotes.pricing import exact_in, exact_out
from landbridge.platform.core.money import RATE_DECIMALS, Asset, Money, Rate
from landbridge.providers.chains.tokens import TOKENS
from landbridge.providers.rails.currencies import CORRIDORS, FIAT
from landbridge.providers.rates.port import Price
from landbridge.providers.rates.sandbox import ABROAD, DOMESTIC, PAR, STABLECOINS, sandbox_price

USDC = Asset("usdc", "POLYGON", 6)
ALL = {**DOMESTIC, **ABROAD}
MARGIN_MAX = Decimal("0.015")


def _price(source: str, destination: str) -> Price:
    found = sandbox_price(source, destination)
    assert found is not None
    return found


def test_the_table_has_every_currency_and_every_corridor() -> None:
    assert DOMESTIC.keys() == FIAT.keys()
    assert ABROAD.keys() == CORRIDORS.keys()
    assert {currency for _, currency in TOKENS} == STABLECOINS


@pytest.mark.parametrize("currency", sorted(ALL))
def test_a_coin_buys_the_mid_rate_less_the_margin(currency: str) -> None:
    corridor = ALL[currency]
    assert 0 <= corridor.margin <= MARGIN_MAX
    for coin in STABLECOINS:
        price = _price(coin, currency)
        assert price.rate.value == corridor.mid * (1 - corridor.margin)
        assert (price.fee_fraction, price.as_of) == (0, None)


@pytest.mark.parametrize("currency", sorted(DOMESTIC))
def test_fiat_buys_a_dollars_worth_of_coins_less_the_margin(currency: str) -> None:
    corridor = DOMESTIC[currency]
    for coin in STABLECOINS:
        price = _price(currency, coin)
        fair = 1 - corridor.margin
        step = Decimal(1).scaleb(-RATE_DECIMALS)
        assert price.rate.value * corridor.mid <= fair < (price.rate.value + step) * corridor.mid


def test_domestic_dollars_are_one_to_one() -> None:
    assert _price("usdc", "usd").rate == _price("usd", "usdc").rate == Rate(Decimal(1))


@pytest.mark.parametrize("source", sorted(STABLECOINS))
@pytest.mark.parametrize("destination", sorted(STABLECOINS))
def test_stablecoins_are_at_par_for_ten_basis_points(source: str, destination: str) -> None:
    assert sandbox_price(source, destination) is PAR


@pytest.mark.parametrize(
    ("source", "destination"),
    [
        ("usd", "brl"),
        ("brl", "usd"),
        ("usdc", "chf"),
        ("chf", "usdc"),
        ("usd-hka", "usdc"),
        ("USDC", "usd"),
        ("", ""),
    ],
)
def test_no_other_pair_has_a_price(source: str, destination: str) -> None:
    assert sandbox_price(source, destination) is None


@given(st.sampled_from(sorted(FIAT)), st.integers(1, 10**15))
def test_into_fiat_and_back_never_gains(currency: str, sent: int) -> None:
    out = exact_in(Money(sent, USDC), FIAT[currency], _price("usdc", currency))
    if out is None:
        return
    back = exact_in(out.receive, USDC, _price(currency, "usdc"))
    assert back is None or back.receive.units <= sent


@given(st.sampled_from(sorted(FIAT)), st.integers(1, 10**12))
def test_an_exact_payout_costs_the_least_that_yields_it(currency: str, target: int) -> None:
    receive, price = Money(target, FIAT[currency]), _price("usdc", currency)
    quote = exact_out(receive, USDC, price)
    again = exact_in(quote.send_gross, FIAT[currency], price)
    assert again is not None
    # A cent of fiat may buy less than the smallest unit of a coin.
    assert again.receive >= receive
    less = quote.send_gross - Money(1, USDC)
    if less.units:
        cheaper = exact_in(less, FIAT[currency], price)
        assert cheaper is None or cheaper.receive < receive


@given(st.sampled_from(sorted(FIAT)), st.integers(1, 10**15))
def test_an_exact_delivery_costs_the_least_fiat_that_yields_it(currency: str, target: int) -> None:
    receive, price = Money(target, USDC), _price(currency, "usdc")
    quote = exact_out(receive, FIAT[currency], price)
    assert (quote.receive, quote.fee.units) == (receive, 0)
    less = quote.send_gross - Money(1, FIAT[currency])
    if less.units:
        cheaper = exact_in(less, USDC, price)
        assert cheaper is None or cheaper.receive < receive


@pytest.mark.parametrize(
    ("currency", "sent", "receives"),
    [
        # 0.000279 usdc is the least that is worth a shilling, which has no cents.
        ("ugx", "0.000279", None),
        ("ugx", "0.00028", "1"),
        ("ugx", "10", "35716"),
        ("xof", "100", "55393"),
        ("brl", "10", "54.52"),
        ("usd", "10.009999", "10"),
    ],
)
def test_fractions_of_the_smallest_coin_are_kept(
    currency: str, sent: str, receives: str | None
) -> None:
    quote = exact_in(Money.parse(sent, USDC), FIAT[currency], _price("usdc", currency))
    assert (None if quote is None else str(quote.receive)) == receives
