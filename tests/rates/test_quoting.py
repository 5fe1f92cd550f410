"""A stablecoin off its peg is quoted in no flow; what waits for a price waits on."""

import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from landbridge.core.clock import FrozenClock
from landbridge.core.money import Rate
from landbridge.db.pool import Database
from landbridge.kyc.model import Rail
from landbridge.orgs.service import take_lane
from landbridge.rates.fees import Way
from landbridge.rates.port import Price
from landbridge.wiring import wire
from tests.onramps import ONRAMPS, make_onramp, make_payer, onramp_body, receive
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    fund,
    make_swap,
    make_tenant,
    make_user,
    sentence,
    served,
    swap_body,
)
from tests.virtual_accounts.made import make_account as make_virtual_account
from tests.virtual_accounts.made import make_receiver

from .files import golden

NOW = datetime(2026, 3, 4, 16, 0, tzinfo=UTC)
CALM = {"usdc": "0.9998", "usdt": "1.0003"}


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    return tmp_path / "prices.json"


@pytest.fixture
async def market_org(rates_database: Database, feed: Path) -> AsyncIterator[Tenant]:
    """An organisation of a sandbox that has a price feed, on the fourth of March."""
    settings = msgspec.structs.replace(
        SETTINGS, price_feed=str(feed), price_spreads="default=10", price_feed_age_max_s=600
    )
    clock = FrozenClock(NOW, lane=await take_lane(rates_database))
    house = wire(settings, rates_database, clock)
    async with served(house) as client:
        yield await make_tenant(house, client)


async def hear(org: Tenant, feed: Path, usd: Mapping[str, str]) -> None:
    """The feed says this a quarter of a minute later, and the worker asks."""
    clock = org.house.clock
    assert isinstance(clock, FrozenClock)
    clock.at += timedelta(seconds=15)
    _write(feed, clock.at, usd)
    assert org.house.market is not None
    await org.house.market.refresh()


async def test_no_flow_quotes_a_coin_off_its_peg(market_org: Tenant, feed: Path) -> None:
    org = market_org
    await hear(org, feed, CALM)
    user = await make_payee(org)
    account = await make_account(org, user)
    asked = {
        SWAPS: swap_body(user, "1"),
        OFFRAMPS: offramp_body(user, account, 10),
        ONRAMPS: onramp_body(user, 10, destination={"userId": user}),
    }
    rates = [
        ("/v2/offramps/rates", {"fromCurrency": "usdc", "toCurrency": "brl"}),
        ("/v2/onramps/rates", {"fromCurrency": "usd", "toCurrency": "usdc"}),
    ]
    await hear(org, feed, CALM | {"usdc": "0.97"})
    for path, body in asked.items():
        answer = await org.send("POST", path, body)
        assert (answer.status_code, sentence(answer)) == (
            409,
            "usdc is off its peg to the dollar and is not quoted now",
        )
    for path, query in rates:
        assert await org.refused("GET", path, **query) == "409 QUOTE_NOT_READY"
    # Other coins go on, and so does this one once it is back.
    assert await org.get(rates[0][0], fromCurrency="usdt", toCurrency="brl")
    await hear(org, feed, CALM)
    for path, body in asked.items():
        assert (await org.post(path, body))["transferDetails"]["status"] == "OPEN_QUOTE"


async def test_an_organisations_own_price_is_stopped_too(market_org: Tenant, feed: Path) -> None:
    org = market_org
    user = await make_user(org, funds="10")
    await org.house.prices.set_price(
        org.org_id,
        source_currency="usdc",
        destination_currency="usdt",
        price=Price(Rate(Decimal("0.9")), Decimal(0), None),
        at=org.house.clock.now(),
    )
    assert await org.refused("POST", SWAPS, swap_body(user, "1")) == "409 QUOTE_NOT_READY"
    await hear(org, feed, CALM)
    quote = (await make_swap(org, user))["quoteInformation"]
    assert quote["rate"] == "0.9"


async def test_a_fee_of_the_organisation_is_kept_beside_the_markets_spread(
    market_org: Tenant, feed: Path
) -> None:
    org = market_org
    await hear(org, feed, CALM)
    user = await make_user(org, funds="10")
    rate = (await make_swap(org, user))["quoteInformation"]["rate"]
    for pair in (("usdc", "usdt"), ("usdc", "brl")):
        await org.house.fees.set_for(org.caller, Way(*pair), "1", at=org.house.clock.stamp())
    quote = (await make_swap(org, user))["quoteInformation"]
    assert (quote["rate"], quote["sendNet"]["amount"]) == (rate, "0.99")
    # The feed says nothing of reais: the sandbox's own price has the fee, too.
    assert org.house.market is not None
    priced = await org.house.rate_board.rates.price(
        org.org_id, source_currency="usdc", destination_currency="brl"
    )
    assert priced is not None
    assert priced.fee_fraction == Decimal("0.01")


async def test_a_quote_that_is_open_keeps_its_price(market_org: Tenant, feed: Path) -> None:
    org = market_org
    await hear(org, feed, CALM)
    user = await make_user(org, funds="10")
    swap = await make_swap(org, user)
    # 0.9998 / 1.0003 less ten basis points, rounded down.
    assert swap["quoteInformation"]["rate"].startswith("0.998500")
    await hear(org, feed, CALM | {"usdc": "0.9931"})
    accepted = await org.post(f"{SWAPS}/{swap['id']}/accept")
    assert accepted["transferDetails"]["status"] == "COMPLETED"
    assert accepted["transferDetails"]["quoteInformation"] == swap["quoteInformation"]


async def test_no_quote_is_accepted_while_its_coin_is_off_its_peg(
    market_org: Tenant, feed: Path
) -> None:
    org = market_org
    await hear(org, feed, CALM)
    user = await make_payee(org)
    account = await make_account(org, user)
    accepts = {
        SWAPS: "accept",
        OFFRAMPS: "quote/accept",
        ONRAMPS: "quote/accept",
    }
    # The swap receives what is withheld, the others sell and buy it.
    asked = {
        SWAPS: swap_body(user, "1", source={"currency": "usdt"}, destination={"currency": "usdc"}),
        OFFRAMPS: offramp_body(user, account, 10),
        ONRAMPS: onramp_body(user, 10, destination={"userId": user}),
    }
    await fund(org, user, "10", currency="usdt")
    made = {path: (await org.post(path, body))["transferDetails"] for path, body in asked.items()}
    await hear(org, feed, CALM | {"usdc": "0.9"})
    for path, quote in made.items():
        answer = await org.send("POST", f"{path}/{quote['id']}/{accepts[path]}")
        assert (answer.status_code, sentence(answer)) == (
            409,
            "usdc is off its peg to the dollar and is not quoted now",
        )
        # It stays open, at its price.
        found = (await org.get(f"{path}/{quote['id']}"))["transferDetails"]
        assert (found["status"], found["updatedAt"]) == ("OPEN_QUOTE", quote["updatedAt"])
    await hear(org, feed, CALM)
    del made[SWAPS]  # its thirty seconds are over
    for path, quote in made.items():
        where = f"{path}/{quote['id']}/{accepts[path]}"
        assert (await org.post(where))["transferDetails"]["status"] != "OPEN_QUOTE"
    # What was accepted is answered as the first time, whatever the coin is worth since.
    await hear(org, feed, CALM | {"usdc": "0.9"})
    for path, quote in made.items():
        await org.post(f"{path}/{quote['id']}/{accepts[path]}")


async def test_a_stale_market_is_not_quoted(market_org: Tenant, feed: Path) -> None:
    org = market_org
    await hear(org, feed, CALM)
    clock = org.house.clock
    assert isinstance(clock, FrozenClock)
    clock.at += timedelta(seconds=601)
    user = await make_user(org)
    await fund(org, user, "10")
    answer = await org.send("POST", SWAPS, swap_body(user, "1"))
    assert sentence(answer) == (
        "the market's price of usdc is from 2026-03-04 16:00 UTC and too old to quote"
    )


async def test_a_deposit_waits_until_its_coin_is_quoted(market_org: Tenant, feed: Path) -> None:
    org = market_org
    await hear(org, feed, CALM | {"usdc": "0.95"})
    user = await make_receiver(org)
    account = await make_virtual_account(org, user)
    number = account["depositInstructions"]["wire"]["accountNumber"]
    await receive(org, account_number=number, amount="100")
    await _look_at_deposits(org)
    assert (await org.get(ONRAMPS))["records"] == []
    await hear(org, feed, CALM)
    clock = org.house.clock
    assert isinstance(clock, FrozenClock)
    clock.at += timedelta(minutes=9)
    await hear(org, feed, CALM)
    await _look_at_deposits(org)
    (made,) = (await org.get(ONRAMPS))["records"]
    assert made["transferDetails"]["quoteInformation"]["rate"] == "0.999"


async def test_an_onramp_is_worth_what_the_reference_rate_says(
    market_org: Tenant, feed: Path
) -> None:
    org = market_org
    await hear(org, feed, CALM)
    user = await make_payer(org, Rail.USD, Rail.SOUTH_AMERICA_STANDARD)
    brl = {"currency": "brl", "transferType": None}
    before = await make_onramp(org, user, 1000, source=brl, is_accepted=False)
    await org.house.reference_rates.load(golden("eurofxref-daily.xml"))
    after = await make_onramp(org, user, 1000, source=brl, is_accepted=False)
    dollars = await make_onramp(org, user, 1000, is_accepted=False)
    # The sandbox's table: 1000 / 5.48. The bank's: 1000 / 6.3985 * 1.1712.
    assert (before["amount_in_usd"], after["amount_in_usd"]) == (182.48, 183.04)
    assert dollars["amount_in_usd"] == 1000
    refreshed = await org.post(f"{ONRAMPS}/{before['id']}/quote/refresh")
    assert refreshed["transferDetails"]["amount_in_usd"] == 183.04


async def _look_at_deposits(org: Tenant) -> None:
    await org.house.receipt_steps.run_once(await org.house.orgs.clock_offsets())


def _write(feed: Path, at: datetime, usd: Mapping[str, str]) -> None:
    feed.write_text(json.dumps({"at": at.isoformat(), "usd": usd}), encoding="utf-8")
