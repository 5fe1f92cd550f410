"""Quotes from a feed: what counts first, what is too old, and coins that are off their peg."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from landbridge.core.clock import Clock, FrozenClock
from landbridge.core.ids import new_id
from landbridge.core.money import Rate
from landbridge.db.pool import Database
from landbridge.rails.calendar import is_target_day
from landbridge.rates.errors import PriceWithheld, RatesRefused
from landbridge.rates.feeds import JsonFeed, Observation
from landbridge.rates.market import Bounds, Market, MarketPrices
from landbridge.rates.port import Price
from landbridge.rates.reference import ReferenceRates
from landbridge.rates.sandbox import sandbox_price
from landbridge.rates.spreads import read_spreads
from landbridge.rates.table import PriceTable, no_price
from tests.tenants import Tenant

from .files import golden

NOW = datetime(2026, 3, 4, 16, 0, tzinfo=UTC)
BOUNDS = Bounds(age_max=timedelta(seconds=120), peg=Decimal("0.01"))
CALM = {"usdc": "0.9998", "usdt": "1.0003", "usdg": "1", "eur": "1.17", "brl": "0.1825"}


@dataclass
class Playing:
    """A market whose feed is a file, and prices made of it."""

    database: Database
    clock: FrozenClock
    file: Path
    market: Market
    prices: MarketPrices

    def say(self, usd: Mapping[str, str], *, at: datetime | None = None) -> None:
        told = {"at": (at or self.clock.at).isoformat(), "usd": usd}
        self.file.write_text(json.dumps(told), encoding="utf-8")

    async def hear(self, usd: Mapping[str, str], *, at: datetime | None = None) -> None:
        """The feed says this a quarter of a minute later, and the worker asks."""
        self.clock.at += timedelta(seconds=15)
        self.say(usd, at=at)
        await self.market.refresh()

    async def rate(self, source: str, destination: str) -> str | None:
        price = await self.prices.price(
            new_id(), source_currency=source, destination_currency=destination
        )
        return None if price is None else str(price.rate)

    async def withheld(self, source: str, destination: str) -> str:
        with pytest.raises(PriceWithheld) as caught:
            await self.rate(source, destination)
        return str(caught.value)

    def another(self) -> Market:
        """The market in another process."""
        return self.seen_by(self.clock)

    def seen_by(self, clock: Clock, bounds: Bounds = BOUNDS) -> Market:
        """The market in a process that has this clock, and these bounds."""
        feed = JsonFeed(str(self.file))
        return Market(self.database, clock, feed, bounds, reference(self.database, clock))


def reference(database: Database, clock: Clock) -> ReferenceRates:
    """Reference rates that nothing fetches."""
    return ReferenceRates(database, clock, source=None, is_open=is_target_day)


@pytest.fixture
def play(rates_database: Database, tmp_path: Path) -> Playing:
    clock, file = FrozenClock(NOW), tmp_path / "prices.json"
    rates = reference(rates_database, clock)
    market = Market(rates_database, clock, JsonFeed(str(file)), BOUNDS, rates)
    own = PriceTable(rates_database, no_price)
    prices = MarketPrices(own, market, read_spreads("default=0,usdc/brl=100"), sandbox_price)
    return Playing(rates_database, clock, file, market, prices)


async def test_prices_cross_through_the_dollar_less_the_spread(play: Playing) -> None:
    await play.hear(CALM)
    found = {
        pair: await play.rate(*pair)
        for pair in [("usdc", "brl"), ("brl", "usdc"), ("usdt", "eur"), ("usdHifi", "eur")]
    }
    # 0.9998 / 0.1825 * 0.99; 0.1825 / 0.9998 * 0.99; 1.0003 / 1.17; 1 / 1.17, all rounded down.
    assert found == {
        ("usdc", "brl"): "5.423572602739726027",
        ("brl", "usdc"): "0.180711142228445689",
        ("usdt", "eur"): "0.854957264957264957",
        ("usdHifi", "eur"): "0.8547008547008547",
    }


async def test_dollars_and_coins_are_at_par_at_best(play: Playing) -> None:
    await play.hear(CALM)
    pairs = [("usdc", "usd"), ("usd", "usdc"), ("usdt", "usd"), ("usd", "usdt")]
    found = [await play.rate(*pair) for pair in pairs]
    assert found == ["0.9998", "1", "1", "0.999700089973008097"]


async def test_who_comes_first(play: Playing, org: Tenant) -> None:
    await play.hear(CALM)

    async def rate(source: str, destination: str) -> str | None:
        price = await play.prices.price(
            org.org_id, source_currency=source, destination_currency=destination
        )
        return price and str(price.rate)

    own = Price(Rate(Decimal("5.1")), Decimal(0), None)
    await org.house.prices.set_price(
        org.org_id, source_currency="usdc", destination_currency="brl", price=own, at=NOW
    )
    sandbox = sandbox_price("usdc", "ngn")
    assert sandbox is not None
    assert await rate("usdc", "brl") == "5.1"
    assert (await rate("usdt", "brl") or "").startswith("5.48")
    assert await rate("usdc", "ngn") == str(sandbox.rate)
    assert await rate("eur", "brl") is None


async def test_a_rate_is_quoted_to_its_last_second_and_no_longer(play: Playing) -> None:
    await play.hear(CALM)
    play.clock.at += timedelta(seconds=120)
    assert await play.rate("usdc", "eur") is not None
    play.clock.at += timedelta(microseconds=1)
    assert "too old to quote" in await play.withheld("usdc", "eur")
    assert "usdc" in await play.withheld("usdc", "ngn")


async def test_of_each_currency_the_time_counts_by_itself(play: Playing) -> None:
    await play.hear(CALM)
    play.clock.at += timedelta(seconds=110)
    await play.hear({"usdc": "1", "usdt": "1"})
    assert await play.rate("usdc", "usdt") == "1"
    assert "price of eur" in await play.withheld("usdc", "eur")


async def test_nothing_known_is_nothing_quoted(play: Playing) -> None:
    assert await play.withheld("usdc", "usdt") == (
        "nothing is known of the price of usdc in dollars"
    )
    # The test coin is traded nowhere.
    assert await play.rate("usdHifi", "usd") == "1"


async def test_a_coin_off_its_peg_stops_and_starts_well_within(play: Playing) -> None:
    story = [
        ("0.9901", True), ("0.9900", True), ("0.9899", False), ("0.9900", False),
        ("0.9949", False), ("0.995", True), ("0.9901", True), ("1.0101", False),
        ("1.0051", False), ("1.005", True),
    ]  # fmt: skip
    quoted: list[bool] = []
    for usd, _ in story:
        await play.hear(CALM | {"usdc": usd})
        try:
            await play.rate("usdc", "brl")
            quoted.append(True)
        except PriceWithheld as error:
            assert "off its peg" in str(error)  # noqa: PT017  either is an answer
            quoted.append(False)
        assert await play.rate("usdt", "brl") is not None
    assert quoted == [is_quoted for _, is_quoted in story]


async def test_an_own_price_does_not_save_a_coin_off_its_peg(play: Playing, org: Tenant) -> None:
    own = Price(Rate(Decimal("0.99")), Decimal(0), None)
    await org.house.prices.set_price(
        org.org_id, source_currency="usdt", destination_currency="usdc", price=own, at=NOW
    )
    await play.hear(CALM | {"usdc": "0.95"})
    with pytest.raises(PriceWithheld, match="usdc is off its peg"):
        await play.prices.price(org.org_id, source_currency="usdt", destination_currency="usdc")


async def test_the_guard_outlives_a_process(play: Playing, logged: Callable[[], str]) -> None:
    await play.hear(CALM | {"usdc": "0.98"})
    await play.hear(CALM | {"usdc": "0.993"})
    with pytest.raises(PriceWithheld, match="off its peg"):
        await play.another().check_quotable("usdc")
    await play.hear(CALM)
    await play.another().check_quotable("usdc")
    assert logged().count("rates.off_peg") == 1
    assert logged().count("rates.on_peg") == 1


async def test_a_narrower_bound_counts_at_once(play: Playing) -> None:
    await play.hear(CALM | {"usdc": "0.995"})
    bounds = Bounds(age_max=BOUNDS.age_max, peg=Decimal("0.002"))
    strict = play.seen_by(play.clock, bounds)
    with pytest.raises(PriceWithheld):
        await strict.check_quotable("usdc")


async def test_a_slipped_point_of_fiat_is_left_out_and_the_rest_is_kept(play: Playing) -> None:
    await play.hear(CALM)
    await play.hear(CALM | {"brl": "1.825", "usdc": "0.9999"})
    assert "brl was worth 0.1825 dollars" in (await play.market.failure() or "")
    seen = {each.currency: str(each.usd.normalize()) for each in await play.market.all()}
    assert (seen["brl"], seen["usdc"]) == ("0.1825", "0.9999")
    # It is believed once a day has passed, since some currencies do fall so.
    play.clock.at += timedelta(days=1)
    await play.hear(CALM | {"brl": "1.825"})
    assert await play.market.failure() is None
    assert (await play.rate("usdt", "brl") or "").startswith("0.548")


async def test_what_begins_far_from_its_reference_rate_is_left_out(play: Playing) -> None:
    rates = reference(play.database, play.clock)
    await rates.load(golden("eurofxref-daily.xml"))
    # 1.1712 dollars and 6.3985 reais per euro; nobody there knows of the naira.
    await play.hear({"usdc": "1", "brl": "1.825", "ngn": "0.7"})
    assert {each.currency for each in await play.market.all()} == {"usdc", "ngn"}
    assert (await play.market.failure() or "").startswith("brl is worth 0.1830")
    await play.hear({"usdc": "1", "brl": "0.1825"})
    assert await play.market.failure() is None
    # A slipped point at the beginning would have stood for a day, against all that is right.
    await play.hear({"usdc": "1", "brl": "0.1826"})
    assert (await play.rate("usdc", "brl") or "").startswith("5.42")


async def test_a_person_may_believe_a_jump(play: Playing) -> None:
    await play.hear(CALM)
    await play.hear(CALM | {"brl": "0.1"})
    assert (await play.market.accept("brl")).usd == Decimal("0.1")
    await play.hear(CALM | {"brl": "0.101"})
    assert await play.market.failure() is None
    assert (await play.rate("usdc", "brl") or "").startswith("9.8")
    for currency in ("usdc", "ngn"):
        with pytest.raises(RatesRefused, match=currency):
            await play.market.accept(currency)


async def test_what_a_feed_stopped_to_speak_of_is_forgotten_after_a_day(play: Playing) -> None:
    await play.hear(CALM)
    quiet = {"usdc": "1", "usdt": "1"}
    play.clock.at += timedelta(hours=23)
    await play.hear(quiet)
    assert "price of brl" in await play.withheld("usdc", "brl")
    play.clock.at += timedelta(hours=1)
    await play.hear(quiet)
    sandbox = sandbox_price("usdc", "brl")
    assert sandbox is not None
    assert await play.rate("usdc", "brl") == str(sandbox.rate)
    assert {each.currency for each in await play.market.all()} == quiet.keys()


async def test_a_feed_that_is_silent_is_forgotten_too(play: Playing) -> None:
    await play.hear(CALM)
    play.clock.at += timedelta(days=1, seconds=1)
    assert "nothing is known" in await play.withheld("usdc", "brl")


class _Ahead(Clock):
    """The clock of a process that runs an hour ahead of everybody's."""

    def _real_us(self) -> int:
        return super()._real_us() + 3_600_000_000


class _Said:
    """A feed that says the same at any time."""

    def __init__(self, usd: str) -> None:
        self.usd = usd

    async def observe(self, now: datetime) -> Sequence[Observation]:
        return [Observation("usdc", Decimal(self.usd), now)]


async def test_a_worker_whose_clock_runs_ahead_freezes_nothing(rates_database: Database) -> None:
    ahead, right = (
        Market(rates_database, clock, _Said(usd), BOUNDS, reference(rates_database, clock))
        for clock, usd in ((_Ahead(0), "1.001"), (Clock(1), "1.002"))
    )
    await ahead.refresh()
    # Its turn is over after ten seconds of everybody's time.
    await rates_database.transact(
        lambda tx: tx.execute("update rate_fetches set next_at = next_at - interval '10 seconds'")
    )
    await right.refresh()
    for each in (ahead, right):
        await each.check_quotable("usdc")
        (seen,) = await each.all()
        assert str(seen.usd.normalize()) == "1.002"
        assert each.age(seen) < timedelta(seconds=10)


async def test_what_is_from_the_future_is_no_observation(play: Playing) -> None:
    await play.hear(CALM)
    await play.database.transact(
        lambda tx: tx.execute("update market_rates set observed_at = observed_at + interval '1h'")
    )
    await play.database.transact(
        lambda tx: tx.execute("update rate_fetches set next_at = next_at + interval '1h'")
    )
    play.clock.at += timedelta(seconds=1)
    assert await play.withheld("usdc", "eur") == "the market's price of usdc is from the future"
    await play.hear(CALM)
    assert await play.rate("usdc", "eur") is not None


@pytest.mark.parametrize("told", ["[" * 100_000, '{"at": "0001-01-01T00:00:00+23:59", "usd": {}}'])
async def test_whatever_a_feed_says_is_one_warning(
    play: Playing, logged: Callable[[], str], told: str
) -> None:
    for _ in range(2):
        play.clock.at += timedelta(seconds=15)
        play.file.write_text(told, encoding="utf-8")
        await play.market.refresh()
    assert await play.market.failure() is not None
    assert logged().count("rates.not_refreshed") == 1


async def test_what_comes_late_never_replaces_what_is_younger(play: Playing) -> None:
    await play.hear(CALM)
    old = play.clock.at - timedelta(seconds=30)
    await play.hear(CALM | {"eur": "1.3"}, at=old)
    seen = {each.currency: each for each in await play.market.all()}
    assert str(seen["eur"].usd.normalize()) == "1.17"


async def test_of_many_workers_one_asks(play: Playing) -> None:
    play.say(CALM)
    workers = [play.another() for _ in range(8)]
    await asyncio.gather(*(each.refresh() for each in workers))
    assert {each.currency for each in await play.market.all()} == CALM.keys()
    play.file.unlink()
    # It is nobody's turn for ten seconds, so nobody sees that the file is gone.
    await asyncio.gather(*(each.refresh() for each in workers))
    assert await play.market.failure() is None
    play.clock.at += timedelta(seconds=10)
    await play.market.refresh()
    assert "can't be read" in (await play.market.failure() or "")


async def test_of_many_answers_at_once_the_youngest_stays(play: Playing) -> None:
    answers = [
        [
            Observation(
                "usdc", Decimal(1) + Decimal(place).scaleb(-4), NOW + timedelta(seconds=place)
            ),
            Observation("eur", Decimal("1.17"), NOW + timedelta(seconds=place)),
        ]
        for place in range(20)
    ]
    shuffled = [answers[(7 * place) % 20] for place in range(20)]
    await asyncio.gather(*(play.another().keep(each) for each in shuffled))
    seen = {each.currency: each for each in await play.market.all()}
    assert (seen["usdc"].at, str(seen["usdc"].usd.normalize())) == (
        NOW + timedelta(seconds=19),
        "1.0019",
    )


async def test_a_fault_is_logged_once(play: Playing, logged: Callable[[], str]) -> None:
    for _ in range(3):
        play.clock.at += timedelta(seconds=10)
        await play.market.refresh()
    assert logged().count("rates.not_refreshed") == 1


async def test_a_process_reads_again_after_a_second(play: Playing) -> None:
    await play.hear(CALM)
    assert await play.rate("usdc", "usd") == "0.9998"
    other = play.another()
    younger = [Observation("usdc", Decimal("0.9997"), play.clock.at + timedelta(microseconds=1))]
    await other.keep(younger)
    assert await play.rate("usdc", "usd") == "0.9998"
    play.clock.at += timedelta(seconds=1)
    assert await play.rate("usdc", "usd") == "0.9997"
