"""Quotes from a feed: precedence of prices, stale rates, and coins off their peg."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Rate
from landbridge.platform.db.pool import Database
from landbridge.providers.rails.calendar import is_target_day
from landbridge.providers.rates.errors import PriceUnavailable, RatesRejected
from landbridge.providers.rates.feeds import JsonFeed, Observation
from landbridge.providers.rates.market import Market, MarketBounds, MarketPrices
from landbridge.providers.rates.port import Price
from landbridge.providers.rates.price_table import PriceTable, no_price
from landbridge.providers.rates.reference import ReferenceRates
from landbridge.providers.rates.sandbox import sandbox_price
from landbridge.providers.rates.spreads import read_spreads
from tests.providers.rates.files import golden
from tests.tenants import Tenant

NOW = datetime(2026, 3, 4, 16, 0, tzinfo=UTC)
BOUNDS = MarketBounds(age_max=timedelta(seconds=120), peg=Decimal("0.01"))
CALM = {"usdc": "0.9998", "usdt": "1.0003", "usdg": "1", "eur": "1.17", "brl": "0.1825"}


@dataclass
class MarketSetup:
    """Market with a file as its feed, and prices based on it."""

    database: Database
    clock: FrozenClock
    file: Path
    market: Market
    prices: MarketPrices

    def write_feed(self, usd: Mapping[str, str], *, at: datetime | None = None) -> None:
        document = {"at": (at or self.clock.at).isoformat(), "usd": usd}
        self.file.write_text(json.dumps(document), encoding="utf-8")

    async def poll(self, usd: Mapping[str, str], *, at: datetime | None = None) -> None:
        """Update the feed a quarter of a minute later, and let the worker poll it."""
        self.clock.at += timedelta(seconds=15)
        self.write_feed(usd, at=at)
        await self.market.refresh()

    async def rate(self, source: str, destination: str) -> str | None:
        price = await self.prices.price(
            new_id(), source_currency=source, destination_currency=destination
        )
        return None if price is None else str(price.rate)

    async def withheld(self, source: str, destination: str) -> str:
        with pytest.raises(PriceUnavailable) as caught:
            await self.rate(source, destination)
        return str(caught.value)

    def another(self) -> Market:
        """Return the market of another process."""
        return self.seen_by(self.clock)

    def seen_by(self, clock: Clock, bounds: MarketBounds = BOUNDS) -> Market:
        """Return the market of a process with this clock and these bounds."""
        feed = JsonFeed(str(self.file))
        return Market(self.database, clock, feed, bounds, reference(self.database, clock))


def reference(database: Database, clock: Clock) -> ReferenceRates:
    """Return reference rates without a fetch source."""
    return ReferenceRates(database, clock, source=None, is_open=is_target_day)


@pytest.fixture
def setup(rates_database: Database, tmp_path: Path) -> MarketSetup:
    clock, file = FrozenClock(NOW), tmp_path / "prices.json"
    rates = reference(rates_database, clock)
    market = Market(rates_database, clock, JsonFeed(str(file)), BOUNDS, rates)
    own = PriceTable(rates_database, no_price)
    prices = MarketPrices(own, market, read_spreads("default=0,usdc/brl=100"), sandbox_price)
    return MarketSetup(rates_database, clock, file, market, prices)


async def test_prices_cross_through_the_dollar_less_the_spread(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    found = {
        pair: await setup.rate(*pair)
        for pair in [("usdc", "brl"), ("brl", "usdc"), ("usdt", "eur"), ("usdHifi", "eur")]
    }
    # 0.9998 / 0.1825 * 0.99; 0.1825 / 0.9998 * 0.99; 1.0003 / 1.17; 1 / 1.17, all rounded down.
    assert found == {
        ("usdc", "brl"): "5.423572602739726027",
        ("brl", "usdc"): "0.180711142228445689",
        ("usdt", "eur"): "0.854957264957264957",
        ("usdHifi", "eur"): "0.8547008547008547",
    }


async def test_dollars_and_coins_are_at_par_at_best(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    pairs = [("usdc", "usd"), ("usd", "usdc"), ("usdt", "usd"), ("usd", "usdt")]
    found = [await setup.rate(*pair) for pair in pairs]
    assert found == ["0.9998", "1", "1", "0.999700089973008097"]


async def test_own_prices_precede_market_prices(setup: MarketSetup, org: Tenant) -> None:
    await setup.poll(CALM)

    async def rate(source: str, destination: str) -> str | None:
        price = await setup.prices.price(
            org.org_id, source_currency=source, destination_currency=destination
        )
        return price and str(price.rate)

    own = Price(Rate(Decimal("5.1")), Decimal(0), None)
    await org.container.prices.set_price(
        org.org_id, source_currency="usdc", destination_currency="brl", price=own, at=NOW
    )
    sandbox = sandbox_price("usdc", "ngn")
    assert sandbox is not None
    assert await rate("usdc", "brl") == "5.1"
    assert (await rate("usdt", "brl") or "").startswith("5.48")
    assert await rate("usdc", "ngn") == str(sandbox.rate)
    assert await rate("eur", "brl") is None


async def test_a_rate_is_quoted_to_its_last_second_and_no_longer(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    setup.clock.at += timedelta(seconds=120)
    assert await setup.rate("usdc", "eur") is not None
    setup.clock.at += timedelta(microseconds=1)
    assert "too old to quote" in await setup.withheld("usdc", "eur")
    assert "usdc" in await setup.withheld("usdc", "ngn")


async def test_of_each_currency_the_time_counts_by_itself(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    setup.clock.at += timedelta(seconds=110)
    await setup.poll({"usdc": "1", "usdt": "1"})
    assert await setup.rate("usdc", "usdt") == "1"
    assert "price of eur" in await setup.withheld("usdc", "eur")


async def test_nothing_known_is_nothing_quoted(setup: MarketSetup) -> None:
    assert await setup.withheld("usdc", "usdt") == (
        "nothing is known of the price of usdc in dollars"
    )
    # The test coin has no market.
    assert await setup.rate("usdHifi", "usd") == "1"


async def test_a_coin_off_its_peg_stops_and_starts_well_within(setup: MarketSetup) -> None:
    scenario = [
        ("0.9901", True), ("0.9900", True), ("0.9899", False), ("0.9900", False),
        ("0.9949", False), ("0.995", True), ("0.9901", True), ("1.0101", False),
        ("1.0051", False), ("1.005", True),
    ]  # fmt: skip
    quoted: list[bool] = []
    for usd, _ in scenario:
        await setup.poll(CALM | {"usdc": usd})
        try:
            await setup.rate("usdc", "brl")
            quoted.append(True)
        except PriceUnavailable as error:
            assert "off its peg" in str(error)  # noqa: PT017  either is an answer
            quoted.append(False)
        assert await setup.rate("usdt", "brl") is not None
    assert quoted == [is_quoted for _, is_quoted in scenario]


async def test_an_own_price_does_not_save_a_coin_off_its_peg(
    setup: MarketSetup, org: Tenant
) -> None:
    own = Price(Rate(Decimal("0.99")), Decimal(0), None)
    await org.container.prices.set_price(
        org.org_id, source_currency="usdt", destination_currency="usdc", price=own, at=NOW
    )
    await setup.poll(CALM | {"usdc": "0.95"})
    with pytest.raises(PriceUnavailable, match="usdc is off its peg"):
        await setup.prices.price(org.org_id, source_currency="usdt", destination_currency="usdc")


async def test_the_guard_outlives_a_process(setup: MarketSetup, logged: Callable[[], str]) -> None:
    await setup.poll(CALM | {"usdc": "0.98"})
    await setup.poll(CALM | {"usdc": "0.993"})
    with pytest.raises(PriceUnavailable, match="off its peg"):
        await setup.another().check_quotable("usdc")
    await setup.poll(CALM)
    await setup.another().check_quotable("usdc")
    assert logged().count("rates.off_peg") == 1
    assert logged().count("rates.on_peg") == 1


async def test_a_narrower_bound_counts_at_once(setup: MarketSetup) -> None:
    await setup.poll(CALM | {"usdc": "0.995"})
    bounds = MarketBounds(age_max=BOUNDS.age_max, peg=Decimal("0.002"))
    strict = setup.seen_by(setup.clock, bounds)
    with pytest.raises(PriceUnavailable):
        await strict.check_quotable("usdc")


async def test_a_slipped_point_of_fiat_is_left_out_and_the_rest_is_kept(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    await setup.poll(CALM | {"brl": "1.825", "usdc": "0.9999"})
    assert "brl was worth 0.1825 dollars" in (await setup.market.find_failure() or "")
    observations = {
        each.currency: str(each.usd.normalize()) for each in await setup.market.list_observations()
    }
    assert (observations["brl"], observations["usdc"]) == ("0.1825", "0.9999")
    # The low price is accepted after a day, since some currencies do fall this much.
    setup.clock.at += timedelta(days=1)
    await setup.poll(CALM | {"brl": "1.825"})
    assert await setup.market.find_failure() is None
    assert (await setup.rate("usdt", "brl") or "").startswith("0.548")


async def test_a_first_observation_far_from_its_reference_rate_is_rejected(
    setup: MarketSetup,
) -> None:
    rates = reference(setup.database, setup.clock)
    await rates.load(golden("eurofxref-daily.xml"))
    # 1.1712 dollars and 6.3985 reais per euro; the bank has no rate for the naira.
    await setup.poll({"usdc": "1", "brl": "1.825", "ngn": "0.7"})
    assert {each.currency for each in await setup.market.list_observations()} == {"usdc", "ngn"}
    assert (await setup.market.find_failure() or "").startswith("brl is worth 0.1830")
    await setup.poll({"usdc": "1", "brl": "0.1825"})
    assert await setup.market.find_failure() is None
    # A misplaced decimal point in the first observation would have lasted for a day.
    await setup.poll({"usdc": "1", "brl": "0.1826"})
    assert (await setup.rate("usdc", "brl") or "").startswith("5.42")


async def test_a_person_may_believe_a_jump(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    await setup.poll(CALM | {"brl": "0.1"})
    assert (await setup.market.accept("brl")).usd == Decimal("0.1")
    await setup.poll(CALM | {"brl": "0.101"})
    assert await setup.market.find_failure() is None
    assert (await setup.rate("usdc", "brl") or "").startswith("9.8")
    for currency in ("usdc", "ngn"):
        with pytest.raises(RatesRejected, match=currency):
            await setup.market.accept(currency)


async def test_currencies_missing_from_a_feed_are_deleted_after_a_day(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    quiet = {"usdc": "1", "usdt": "1"}
    setup.clock.at += timedelta(hours=23)
    await setup.poll(quiet)
    assert "price of brl" in await setup.withheld("usdc", "brl")
    setup.clock.at += timedelta(hours=1)
    await setup.poll(quiet)
    sandbox = sandbox_price("usdc", "brl")
    assert sandbox is not None
    assert await setup.rate("usdc", "brl") == str(sandbox.rate)
    assert {each.currency for each in await setup.market.list_observations()} == quiet.keys()


async def test_a_feed_that_is_silent_is_forgotten_too(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    setup.clock.at += timedelta(days=1, seconds=1)
    assert "nothing is known" in await setup.withheld("usdc", "brl")


class _Ahead(Clock):
    """Clock of a process that runs an hour ahead of the others."""

    def _real_us(self) -> int:
        return super()._real_us() + 3_600_000_000


class _ConstantFeed:
    """Feed with constant observations."""

    def __init__(self, usd: str) -> None:
        self.usd = usd

    async def observe(self, now: datetime) -> Sequence[Observation]:
        return [Observation("usdc", Decimal(self.usd), now)]


async def test_a_worker_whose_clock_runs_ahead_freezes_nothing(rates_database: Database) -> None:
    ahead, right = (
        Market(rates_database, clock, _ConstantFeed(usd), BOUNDS, reference(rates_database, clock))
        for clock, usd in ((_Ahead(0), "1.001"), (Clock(1), "1.002"))
    )
    await ahead.refresh()
    # Its turn ends after ten seconds of database time.
    await rates_database.transact(
        lambda tx: tx.execute(
            "update rate_fetches set next_fetch_at = next_fetch_at - interval '10 seconds'"
        )
    )
    await right.refresh()
    for each in (ahead, right):
        await each.check_quotable("usdc")
        (observations,) = await each.list_observations()
        assert str(observations.usd.normalize()) == "1.002"
        assert each.age(observations) < timedelta(seconds=10)


async def test_an_observation_from_the_future_is_ignored(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    await setup.database.transact(
        lambda tx: tx.execute("update market_rates set observed_at = observed_at + interval '1h'")
    )
    await setup.database.transact(
        lambda tx: tx.execute(
            "update rate_fetches set next_fetch_at = next_fetch_at + interval '1h'"
        )
    )
    setup.clock.at += timedelta(seconds=1)
    assert await setup.withheld("usdc", "eur") == "the market's price of usdc is from the future"
    await setup.poll(CALM)
    assert await setup.rate("usdc", "eur") is not None


@pytest.mark.parametrize(
    "document", ["[" * 100_000, '{"at": "0001-01-01T00:00:00+23:59", "usd": {}}']
)
async def test_each_feed_fault_is_one_warning(
    setup: MarketSetup, logged: Callable[[], str], document: str
) -> None:
    for _ in range(2):
        setup.clock.at += timedelta(seconds=15)
        setup.file.write_text(document, encoding="utf-8")
        await setup.market.refresh()
    assert await setup.market.find_failure() is not None
    assert logged().count("rates.not_refreshed") == 1


async def test_an_older_observation_never_replaces_a_newer_one(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    old = setup.clock.at - timedelta(seconds=30)
    await setup.poll(CALM | {"eur": "1.3"}, at=old)
    observations = {each.currency: each for each in await setup.market.list_observations()}
    assert str(observations["eur"].usd.normalize()) == "1.17"


async def test_one_of_many_workers_fetches(setup: MarketSetup) -> None:
    setup.write_feed(CALM)
    workers = [setup.another() for _ in range(8)]
    await asyncio.gather(*(each.refresh() for each in workers))
    assert {each.currency for each in await setup.market.list_observations()} == CALM.keys()
    setup.file.unlink()
    # No turn is due for ten seconds, so the missing file is not noticed.
    await asyncio.gather(*(each.refresh() for each in workers))
    assert await setup.market.find_failure() is None
    setup.clock.at += timedelta(seconds=10)
    await setup.market.refresh()
    assert "can't be read" in (await setup.market.find_failure() or "")


async def test_of_many_answers_at_once_the_youngest_stays(setup: MarketSetup) -> None:
    answers = [
        [
            Observation(
                "usdc", Decimal(1) + Decimal(index).scaleb(-4), NOW + timedelta(seconds=index)
            ),
            Observation("eur", Decimal("1.17"), NOW + timedelta(seconds=index)),
        ]
        for index in range(20)
    ]
    shuffled = [answers[(7 * index) % 20] for index in range(20)]
    await asyncio.gather(*(setup.another().store_observations(each) for each in shuffled))
    observations = {each.currency: each for each in await setup.market.list_observations()}
    assert (observations["usdc"].at, str(observations["usdc"].usd.normalize())) == (
        NOW + timedelta(seconds=19),
        "1.0019",
    )


async def test_a_fault_is_logged_once(setup: MarketSetup, logged: Callable[[], str]) -> None:
    for _ in range(3):
        setup.clock.at += timedelta(seconds=10)
        await setup.market.refresh()
    assert logged().count("rates.not_refreshed") == 1


async def test_a_process_reads_again_after_a_second(setup: MarketSetup) -> None:
    await setup.poll(CALM)
    assert await setup.rate("usdc", "usd") == "0.9998"
    other = setup.another()
    younger = [Observation("usdc", Decimal("0.9997"), setup.clock.at + timedelta(microseconds=1))]
    await other.store_observations(younger)
    assert await setup.rate("usdc", "usd") == "0.9998"
    setup.clock.at += timedelta(seconds=1)
    assert await setup.rate("usdc", "usd") == "0.9997"
