"""GET /v2/onramps/rates and /v2/offramps/rates."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from landbridge.customers.bank_accounts.field_tables import (
    AccountTypeTable,
    ChoiceField,
    DependentChoiceField,
    FieldReference,
    Ramp,
)
from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.payments.quotes.rate_board import RAILS_IN, RAILS_OUT
from landbridge.platform.core.money import Rate
from landbridge.providers.rails.currencies import CORRIDORS, FIAT
from landbridge.providers.rates.port import Price
from tests.tenants import Tenant, refusal, sentence

ONRAMPS, OFFRAMPS = "/v2/onramps/rates", "/v2/offramps/rates"
# Source: interface/onramp and interface/offramp (rates).
PUBLISHED_IN = ["usd", "ugx", "ngn", "bwp", "tzs", "mwk", "xaf", "kes"]
PUBLISHED_OUT = [
    "usd",
    "brl",
    "mxn",
    "ugx",
    "ngn",
    "kes",
    "tzs",
    "mwk",
    "xaf",
    "bwp",
    "zar",
    "usd-hka",
    "usd-chn",
    "cny",
    "hkd",
    "sgd",
    "usd-sgp",
]


async def _rate(org: Tenant, path: str, source: str, destination: str) -> dict[str, Any]:
    query = {"fromCurrency": source, "toCurrency": destination}
    found: dict[str, Any] = await org.get(path, **query)
    return found


async def _set(org: Tenant, source: str, destination: str, rate: str, age: timedelta) -> None:
    await org.container.prices.set_price(
        org.org_id,
        source_currency=source,
        destination_currency=destination,
        price=Price(Rate(Decimal(rate)), Decimal(0), None),
        at=org.container.clock.now() - age,
    )


async def test_rate_has_the_published_shape(org: Tenant) -> None:
    assert await _rate(org, OFFRAMPS, "usdc", "brl") == {
        "fromCurrency": "usdc",
        "toCurrency": "brl",
        "conversionRate": "5.4526",
        "conversionRates": [{"transferType": "pix", "conversionRate": "5.4526"}],
    }
    assert await _rate(org, ONRAMPS, "usd", "usdc") == {
        "fromCurrency": "usd",
        "toCurrency": "usdc",
        "conversionRate": "1",
        "conversionRates": [
            {"transferType": rail, "conversionRate": "1"} for rail in ("ach", "wire", "rtp")
        ],
    }


@pytest.mark.parametrize("currency", sorted({*PUBLISHED_OUT, *RAILS_OUT}))
@pytest.mark.parametrize("coin", ["usdc", "usdt", "usdHifi"])
async def test_every_payout_currency_has_a_rate(org: Tenant, coin: str, currency: str) -> None:
    found = await _rate(org, OFFRAMPS, coin, currency)
    assert (found["fromCurrency"], found["toCurrency"]) == (coin, currency)
    assert Decimal(found["conversionRate"]) > 0
    assert {each["conversionRate"] for each in found["conversionRates"]} == {
        found["conversionRate"]
    }


@pytest.mark.parametrize("currency", sorted({*PUBLISHED_IN, *RAILS_IN}))
async def test_every_deposit_currency_has_a_rate(org: Tenant, currency: str) -> None:
    found = await _rate(org, ONRAMPS, currency, "usdc")
    assert Decimal(found["conversionRate"]) > 0
    assert found["conversionRates"]


@pytest.mark.parametrize("rail", [RAILS_IN, RAILS_OUT])
def test_rails_belong_to_known_currencies(rail: dict[str, Any]) -> None:
    assert set(rail) <= FIAT.keys() | CORRIDORS.keys()


def test_payout_rails_match_the_account_types() -> None:
    reached: dict[str, set[str]] = {}
    for (_, ramp), table in BY_TYPE.items():
        if ramp is Ramp.OFFRAMP:
            for currency, rails in _rails(table).items():
                reached.setdefault(currency, set()).update(rails)
    # Banks in Hong Kong, China and Singapore take dollars in corridors, and only by SWIFT.
    reached["usd"] &= set(RAILS_OUT["usd"])
    assert {currency: set(RAILS_OUT[currency]) for currency in reached} == reached
    assert RAILS_OUT.keys() == reached.keys() | CORRIDORS.keys()


def _rails(table: AccountTypeTable) -> dict[str, set[str]]:
    """Return the rails to accounts of this type, by currency."""
    rail = table.payment_rail
    if isinstance(rail, str):
        return {currency: {rail} for currency in table.currencies}
    assert isinstance(rail, FieldReference)
    match table.field(rail.name).kind:
        case ChoiceField(values):
            return {currency: set(values) for currency in table.currencies}
        case DependentChoiceField("currency", values):
            return {currency: set(words) for currency, words in values.items()}
        case other:
            raise AssertionError(other)


ROUTE, FIELD = "400 INVALID_TRANSACTION_ROUTE", "400 FIELD_VALIDATION_ERROR"


@pytest.mark.parametrize(
    ("path", "source", "destination", "name", "says"),
    [
        (OFFRAMPS, None, "brl", FIELD, "fromCurrency"),
        (OFFRAMPS, "usdc", None, FIELD, "toCurrency"),
        (OFFRAMPS, "", "brl", FIELD, "fromCurrency"),
        (ONRAMPS, "usd", "", FIELD, "toCurrency"),
        (OFFRAMPS, "usdg", "brl", ROUTE, "fromCurrency"),
        (OFFRAMPS, "usd", "brl", ROUTE, "fromCurrency"),
        (OFFRAMPS, "usdc", "usdt", ROUTE, "toCurrency"),
        (OFFRAMPS, "usdc", "cdf", ROUTE, "toCurrency"),
        (OFFRAMPS, "usdc", "BRL", ROUTE, "toCurrency"),
        (OFFRAMPS, "usdc", "x" * 5000, ROUTE, "toCurrency"),
        (ONRAMPS, "usd-hka", "usdc", ROUTE, "fromCurrency"),
        (ONRAMPS, "usdc", "usdc", ROUTE, "fromCurrency"),
        (ONRAMPS, "hkd", "usdc", ROUTE, "fromCurrency"),
        (ONRAMPS, "usd", "usdg", ROUTE, "toCurrency"),
        (ONRAMPS, "usd", "brl", ROUTE, "toCurrency"),
    ],
)
async def test_other_pairs_are_refused_and_named(
    org: Tenant, path: str, source: str | None, *, destination: str | None, name: str, says: str
) -> None:
    body = {"fromCurrency": source, "toCurrency": destination}
    query = {member: value for member, value in body.items() if value is not None}
    answer = await org.send("GET", path, **query)
    assert refusal(answer) == name
    assert says in sentence(answer)
    assert len(sentence(answer)) < 300


async def test_organisation_price_is_its_rate_until_stale(org: Tenant) -> None:
    await _set(org, "usdc", "ngn", "1500", timedelta())
    assert (await _rate(org, OFFRAMPS, "usdc", "ngn"))["conversionRate"] == "1500"
    await _set(
        org, "usdc", "ngn", "1500", org.container.settings.price_age_max + timedelta(seconds=1)
    )
    query = {"fromCurrency": "usdc", "toCurrency": "ngn"}
    answer = await org.send("GET", OFFRAMPS, **query)
    assert refusal(answer) == "409 QUOTE_NOT_READY"
    assert "usdc in ngn" in sentence(answer)


async def test_dollars_abroad_have_a_separate_price(org: Tenant) -> None:
    await _set(org, "usdc", "usd-sgp", "0.5", timedelta())
    assert (await _rate(org, OFFRAMPS, "usdc", "usd"))["conversionRate"] == "1"
    assert (await _rate(org, OFFRAMPS, "usdc", "usd-sgp"))["conversionRate"] == "0.5"
