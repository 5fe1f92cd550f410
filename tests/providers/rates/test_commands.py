"""`landbridge rates`, the settings of rates, and the gauges."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

import pytest
from click.testing import CliRunner
from prometheus_client import REGISTRY

from landbridge.app.settings import SettingsInvalid, read
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.pool import Database
from landbridge.providers.rails.calendar import is_target_day
from landbridge.providers.rates.commands import rates
from landbridge.providers.rates.feeds import JsonFeed
from landbridge.providers.rates.market import Market, MarketBounds
from landbridge.providers.rates.monitoring import watch_market, watch_reference
from landbridge.providers.rates.reference import ReferenceRates
from tests.app.processes.server_process import landbridge
from tests.providers.rates.files import GOLDEN, golden, xml_of

T = TypeVar("T")

NOW = datetime(2026, 3, 6, 16, 0, tzinfo=UTC)


BOUNDS = MarketBounds(age_max=timedelta(seconds=120), peg=Decimal("0.01"))


@dataclass(frozen=True)
class Cli:
    """Runs commands in this process."""

    dsn: str
    feed: Path

    def run(self, *args: str, has_feed: bool = False) -> tuple[int, str]:
        """Return the exit code, and the printed or raised text."""

        def run_in_container(
            data_dir: str | None,
            run: Callable[[ReferenceRates, Market | None], Awaitable[T]],
            *,
            writes: bool,
        ) -> T:
            del data_dir, writes
            return asyncio.run(self._work(run, has_feed=has_feed))

        done = CliRunner().invoke(rates(run_in_container), list(args))
        return done.exit_code, str(done.exception) if done.exit_code == 1 else done.output

    async def _work(
        self, work: Callable[[ReferenceRates, Market | None], Awaitable[T]], *, has_feed: bool
    ) -> T:
        database = await Database.connect(self.dsn, name="tests", size_max=1)
        clock = FrozenClock(NOW)
        reference = ReferenceRates(database, clock, source=None, is_open=is_target_day)
        market = (
            Market(database, clock, JsonFeed(str(self.feed)), BOUNDS, reference)
            if has_feed
            else None
        )
        try:
            if market is not None:
                await market.refresh()
            return await work(reference, market)
        finally:
            await database.close()


def test_a_large_move_can_be_accepted_by_command(cli: Cli) -> None:
    assert cli.run("accept", "brl")[0] == 2
    before = NOW - timedelta(seconds=1)
    _write(cli.feed, {"at": before.isoformat(), "usd": {"usdc": "1", "brl": "0.1825"}})
    assert cli.run("load", str(GOLDEN / "eurofxref-daily.xml"))[0] == 0
    cli.run("status", has_feed=True)
    _write(cli.feed, {"at": NOW.isoformat(), "usd": {"usdc": "1", "brl": "0.08"}})
    assert cli.run("accept", "brl", has_feed=True) == (
        0,
        "brl is worth 0.08 dollars from now on.\n",
    )
    assert "  brl  0.08 usd" in cli.run("status", has_feed=True)[1]
    assert cli.run("accept", "usdc", has_feed=True) == (
        1,
        "usdc is checked against its peg, which cannot be overridden",
    )
    assert cli.run("accept", "ngn", has_feed=True) == (1, "the feed has no price of ngn")


@pytest.fixture
def cli(own_dsn: str, tmp_path: Path) -> Cli:
    return Cli(own_dsn, tmp_path / "prices.json")


def test_files_are_loaded_and_shown(cli: Cli) -> None:
    assert cli.run("status")[1].splitlines() == [
        "No reference rates are loaded.",
        "Nothing fetches them.",
        "No price feed is set.",
    ]
    file = str(GOLDEN / "eurofxref-hist-90d.xml")
    assert cli.run("load", file) == (0, "3 days up to 2026-03-03: 18 rates new or changed.\n")
    assert cli.run("load", file) == (
        0,
        "3 days up to 2026-03-03: all there already. Nothing has changed.\n",
    )
    shown = cli.run("status")[1]
    assert "Reference rates: 3 days, from 2026-02-27 to 2026-03-03." in shown


def test_a_rejection_is_a_sentence(cli: Cli, tmp_path: Path) -> None:
    cli.run("load", str(GOLDEN / "eurofxref-daily.xml"))
    wrong = tmp_path / "wrong.xml"
    wrong.write_bytes(xml_of({"2026-03-04": {"USD": "11.712"}}))
    assert cli.run("load", str(wrong)) == (1, "usd of 2026-03-04 was 1.1712, is 11.712 now")
    assert cli.run("load", str(wrong), "--force")[0] == 0
    code, output = cli.run("load", str(tmp_path / "none.xml"))
    assert code == 1
    assert "can't be read" in output
    assert cli.run("load", "http://example.com/rates")[0] == 2


def test_a_feed_is_shown(cli: Cli) -> None:
    nothing = cli.run("status", has_feed=True)[1].splitlines()
    assert nothing[2] == "The price feed has not reported yet."
    assert "can't be read" in nothing[3]


def test_feed_prices_are_shown(cli: Cli) -> None:
    _write(cli.feed, {"at": NOW.isoformat(), "usd": {"usdc": "0.9871", "eur": "1.1701"}})
    assert cli.run("status", has_feed=True)[1].splitlines()[2:] == [
        "Price feed:",
        "  eur  1.1701 usd  2026-03-06 16:00:00",
        "  usdc  0.9871 usd  2026-03-06 16:00:00  1.29 % off its peg, not quoted",
    ]


@pytest.mark.long
@pytest.mark.long
def test_the_program_has_the_commands(own_dsn: str, tmp_path: Path) -> None:
    done = landbridge(
        *("rates", "status"),
        cwd=tmp_path,
        database_url=own_dsn,
        reference_rates="ecb",
        price_feed="kraken",
    )
    assert done.stdout.splitlines() == [
        "No reference rates are loaded.",
        "The worker fetches them.",
        "The price feed has not reported yet.",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PRICE_FEED", "http://example.com/prices"),
        ("PRICE_FEED", " "),
        ("PRICE_FEED_AGE_MAX_S", "1"),
        ("PRICE_SPREADS", "30"),
        ("PRICE_SPREADS", "usdc/usdt=-1"),
        ("PEG_BOUND_PERCENT", "0"),
        ("PEG_BOUND_PERCENT", "NaN"),
        ("PEG_BOUND_PERCENT", "50"),
        ("REFERENCE_RATES", "http://example.com/rates"),
        ("REFERENCE_RATES", "https://me:secret@example.com/rates"),
    ],
)
def test_invalid_settings_are_named(name: str, value: str) -> None:
    with pytest.raises(SettingsInvalid, match=name) as caught:
        read({f"LANDBRIDGE_{name}": value})
    assert "secret" not in str(caught.value)


async def test_gauges_show_ages_and_how_far_a_coin_is_off(
    rates_database: Database, tmp_path: Path
) -> None:
    clock, feed = FrozenClock(NOW), tmp_path / "prices.json"
    document = {"at": NOW.isoformat(), "usd": {"usdc": "0.9871", "eur": "1.17"}}
    _write(feed, document)
    reference = ReferenceRates(
        rates_database, clock, source="http://127.0.0.1:1/", is_open=is_target_day
    )
    market = Market(rates_database, clock, JsonFeed(str(feed)), BOUNDS, reference)
    await watch_market(market)
    clock.at += timedelta(seconds=90)
    await watch_market(market)
    await reference.load(golden("eurofxref-daily.xml"))
    await watch_reference(reference, clock)
    assert _gauge("landbridge_market_rate_age_seconds", currency="eur") == 90
    assert _gauge("landbridge_peg_deviation_basis_points", currency="usdc") == 129
    assert _gauge("landbridge_reference_rates_age_days") == 2


def _gauge(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


def _write(feed: Path, document: object) -> None:
    feed.write_text(json.dumps(document), encoding="utf-8")
