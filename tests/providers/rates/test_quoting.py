"""A stablecoin off its peg is quoted in no flow; transfers that wait for a price keep waiting."""

import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Rate
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rates.fees import CurrencyPair
from landbridge.providers.rates.port import Price
from tests.onramps import ONRAMPS, make_onramp, make_payer, onramp_body, receive
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payments.virtual_accounts.virtual_account_setup import make_receiver
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.providers.rates.files import golden
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

NOW = datetime(2026, 3, 4, 16, 0, tzinfo=UTC)
CALM = {"usdc": "0.9998", "usdt": "1.0003"}


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    return tmp_path / "prices.json"


@pytest.fixture
async def market_org(rates_database: Database, feed: Path) -> AsyncIterator[Tenant]:
    """An organisation of a sandbox with a price feed, on the fourth of March."""
    settings = msgspec.structs.replace(
        SETTINGS, price_feed=str(feed), price_spreads="default=10", price_feed_age_max_s=600
    )
    clock = FrozenClock(NOW, node=await take_node(rates_database))
    container = wire(settings, rates_database, clock)
    async with served(container) as client:
        yield await make_tenant(container, client)


async def poll_feed(org: Tenant, feed: Path, usd: Mapping[str, str]) -> None:
    """Update the feed a quarter of a minute later, and let the worker poll it."""
    clock = org.container.clock
    assert isinstance(clock, FrozenClock)
    clock.at += timedelta(seconds=15)
    _write(feed, clock.at, usd)
    assert org.container.market is not None
    await org.container.market.refresh()


async def test_no_flow_quotes_a_coin_off_its_peg(market_org: Tenant, feed: Path) -> None:
    org = market_org
    await poll_feed(org, feed, CALM)
    user = await make_payee(org)
    account = await make_account(org, user)
    bodies = {
        SWAPS: swap_body(user, "1"),
        OFFRAMPS: offramp_body(user, account, 10),
        ONRAMPS: onramp_body(user, 10, destination={"userId": user}),
    }
    rates = [
        ("/v2/offramps/rates", {"fromCurrency": "usdc", "toCurrency": "brl"}),
        ("/v2/onramps/rates", {"fromCurrency": "usd", "toCurrency": "usdc"}),
    ]
    await poll_feed(org, feed, CALM | {"usdc": "0.97"})
    for path, body in bodies.items():
        answer = await org.send("POST", path, body)
        assert (answer.status_code, sentence(answer)) == (
            409,
            "usdc is off its peg to the dollar and is not quoted now",
        )
    for path, query in rates:
        assert await org.refused("GET", path, **query) == "409 QUOTE_NOT_READY"
    # Other coins are unaffected, and so is this one once it is back on its peg.
    assert await org.get(rates[0][0], fromCurrency="usdt", toCurrency="brl")
    await poll_feed(org, feed, CALM)
    for path, body in bodies.items():
        assert (await org.post(path, body))["transferDetails"]["status"] == "OPEN_QUOTE"


async def test_an_organisations_own_price_is_stopped_too(market_org: Tenant, feed: Path) -> None:
    org = market_org
    user = await make_user(org, funds="10")
    await org.container.prices.set_price(
        org.org_id,
        source_currency="usdc",
        destination_currency="usdt",
        price=Price(Rate(Decimal("0.9")), Decimal(0), None),
        at=org.container.clock.now(),
    )
    assert await org.refused("POST", SWAPS, swap_body(user, "1")) == "409 QUOTE_NOT_READY"
    await poll_feed(org, feed, CALM)
    quote = (await make_swap(org, user))["quoteInformation"]
    assert quote["rate"] == "0.9"


async def test_a_fee_of_the_organisation_is_kept_beside_the_markets_spread(
    market_org: Tenant, feed: Path
) -> None:
    org = market_org
    await poll_feed(org, feed, CALM)
    user = await make_user(org, funds="10")
    rate = (await make_swap(org, user))["quoteInformation"]["rate"]
    for pair in (("usdc", "usdt"), ("usdc", "brl")):
        await org.container.pair_fees.set_for(
            org.caller, CurrencyPair(*pair), "1", at=org.container.clock.stamp()
        )
    quote = (await make_swap(org, user))["quoteInformation"]
    assert (quote["rate"], quote["sendNet"]["amount"]) == (rate, "0.99")
    # The feed has no reais: the sandbox's own price has the fee, too.
    assert org.container.market is not None
    priced = await org.container.rate_board.rates.price(
        org.org_id, source_currency="usdc", destination_currency="brl"
    )
    assert priced is not None
    assert priced.fee_fraction == Decimal("0.01")


async def test_a_quote_that_is_open_keeps_its_price(market_org: Tenant, feed: Path) -> None:
    org = market_org
    await poll_feed(org, feed, CALM)
    user = await make_user(org, funds="10")
    swap = await make_swap(org, user)
    # 0.9998 / 1.0003 less ten basis points, rounded down.
    assert swap["quoteInformation"]["rate"].startswith("0.998500")
    await poll_feed(org, feed, CALM | {"usdc": "0.9931"})
    accepted = await org.post(f"{SWAPS}/{swap['id']}/accept")
    assert accepted["transferDetails"]["status"] == "COMPLETED"
    assert accepted["transferDetails"]["quoteInformation"] == swap["quoteInformation"]


async def test_no_quote_is_accepted_while_its_coin_is_off_its_peg(
    market_org: Tenant, feed: Path
) -> None:
    org = market_org
    await poll_feed(org, feed, CALM)
    user = await make_payee(org)
    account = await make_account(org, user)
    accepts = {
        SWAPS: "accept",
        OFFRAMPS: "quote/accept",
        ONRAMPS: "quote/accept",
    }
    # The swap receives the withheld coin, the others sell and buy it.
    bodies = {
        SWAPS: swap_body(user, "1", source={"currency": "usdt"}, destination={"currency": "usdc"}),
        OFFRAMPS: offramp_body(user, account, 10),
        ONRAMPS: onramp_body(user, 10, destination={"userId": user}),
    }
    await fund(org, user, "10", currency="usdt")
    created = {
        path: (await org.post(path, body))["transferDetails"] for path, body in bodies.items()
    }
    await poll_feed(org, feed, CALM | {"usdc": "0.9"})
    for path, quote in created.items():
        answer = await org.send("POST", f"{path}/{quote['id']}/{accepts[path]}")
        assert (answer.status_code, sentence(answer)) == (
            409,
            "usdc is off its peg to the dollar and is not quoted now",
        )
        # The quote stays open, at its price.
        found = (await org.get(f"{path}/{quote['id']}"))["transferDetails"]
        assert (found["status"], found["updatedAt"]) == ("OPEN_QUOTE", quote["updatedAt"])
    await poll_feed(org, feed, CALM)
    del created[SWAPS]  # its thirty seconds have passed
    for path, quote in created.items():
        where = f"{path}/{quote['id']}/{accepts[path]}"
        assert (await org.post(where))["transferDetails"]["status"] != "OPEN_QUOTE"
    # A repeated acceptance returns the first result, whatever the coin's price is now.
    await poll_feed(org, feed, CALM | {"usdc": "0.9"})
    for path, quote in created.items():
        await org.post(f"{path}/{quote['id']}/{accepts[path]}")


async def test_a_stale_market_is_not_quoted(market_org: Tenant, feed: Path) -> None:
    org = market_org
    await poll_feed(org, feed, CALM)
    clock = org.container.clock
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
    await poll_feed(org, feed, CALM | {"usdc": "0.95"})
    user = await make_receiver(org)
    account = await make_virtual_account(org, user)
    number = account["depositInstructions"]["wire"]["accountNumber"]
    await receive(org, account_number=number, amount="100")
    await _look_at_deposits(org)
    assert (await org.get(ONRAMPS))["records"] == []
    await poll_feed(org, feed, CALM)
    clock = org.container.clock
    assert isinstance(clock, FrozenClock)
    clock.at += timedelta(minutes=9)
    await poll_feed(org, feed, CALM)
    await _look_at_deposits(org)
    (created,) = (await org.get(ONRAMPS))["records"]
    assert created["transferDetails"]["quoteInformation"]["rate"] == "0.999"


async def test_an_onramp_is_valued_at_the_reference_rate(market_org: Tenant, feed: Path) -> None:
    org = market_org
    await poll_feed(org, feed, CALM)
    user = await make_payer(org, Rail.USD, Rail.SOUTH_AMERICA_STANDARD)
    brl = {"currency": "brl", "transferType": None}
    before = await make_onramp(org, user, 1000, source=brl, is_accepted=False)
    await org.container.reference_rates.load(golden("eurofxref-daily.xml"))
    after = await make_onramp(org, user, 1000, source=brl, is_accepted=False)
    dollars = await make_onramp(org, user, 1000, is_accepted=False)
    # The sandbox's table: 1000 / 5.48. The bank's: 1000 / 6.3985 * 1.1712.
    assert (before["amount_in_usd"], after["amount_in_usd"]) == (182.48, 183.04)
    assert dollars["amount_in_usd"] == 1000
    refreshed = await org.post(f"{ONRAMPS}/{before['id']}/quote/refresh")
    assert refreshed["transferDetails"]["amount_in_usd"] == 183.04


async def _look_at_deposits(org: Tenant) -> None:
    await org.container.incoming_payment_steps.run_once(await org.container.orgs.clock_offsets())


def _write(feed: Path, at: datetime, usd: Mapping[str, str]) -> None:
    feed.write_text(json.dumps({"at": at.isoformat(), "usd": usd}), encoding="utf-8")
