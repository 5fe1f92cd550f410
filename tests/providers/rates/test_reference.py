"""Reference rates: accepted and rejected loads, and when new rates are fetched."""

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from landbridge.platform.core.clock import FrozenClock, ValueQuery
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.db.pool import Database
from landbridge.providers.rails.calendar import is_target_day
from landbridge.providers.rates.errors import RatesRejected
from landbridge.providers.rates.reference import DAILY as DAILY_URL
from landbridge.providers.rates.reference import FROM_ECB, HISTORY, ReferenceRates, published_on
from landbridge.providers.rates.reference import QUARTER as QUARTER_URL
from landbridge.providers.rates.valuation import Valuation
from tests.providers.rates.files import golden, xml_of, zipped
from tests.providers.rates.http_server import Answering

# Wednesday, after that day's publication.
NOW = datetime(2026, 3, 4, 16, 0, tzinfo=UTC)
DAILY, QUARTER = golden("eurofxref-daily.xml"), golden("eurofxref-hist-90d.xml")
EUR, BRL, NGN, USD = (Asset(code, "BANK", 2) for code in ("eur", "brl", "ngn", "usd"))


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def rates(rates_database: Database, clock: FrozenClock) -> ReferenceRates:
    return ReferenceRates(rates_database, clock, source=None, is_open=is_target_day)


def fetching(database: Database, clock: FrozenClock, source: Path | str) -> ReferenceRates:
    return ReferenceRates(database, clock, source=str(source), is_open=is_target_day)


async def test_loading_again_changes_nothing(rates: ReferenceRates) -> None:
    first = await rates.load(QUARTER)
    again = await rates.load(QUARTER)
    assert (first.days, first.changed, first.last_on) == (3, 18, date(2026, 3, 3))
    assert (again.days, again.changed) == (3, 0)


async def test_overlapping_files_make_one_history(rates: ReferenceRates) -> None:
    await rates.load(DAILY)
    await rates.load(QUARTER)
    await rates.load(zipped(golden("eurofxref-hist.csv")))
    status = await rates.get_status()
    assert (status.first_on, status.last_on, status.days) == (
        date(1999, 1, 4),
        date(2026, 3, 4),
        5,
    )


async def test_a_small_correction_is_stored(rates: ReferenceRates) -> None:
    await rates.load(DAILY)
    mended = await rates.load(xml_of({"2026-03-04": {"USD": "1.1715"}}))
    assert mended.changed == 1
    found = (await rates.cross(["usd"], date(2026, 3, 4))).get("usd")
    assert found is not None
    assert found.usd_per_eur == Decimal("1.1715")


@pytest.mark.parametrize(
    ("day", "published_rates", "words"),
    [
        ("2026-03-04", {"USD": "11.712"}, "usd of 2026-03-04 was 1.1698,"),
        ("2026-03-04", {"USD": "1.17", "BRL": "0.64"}, "brl of 2026-03-04 was 6.4021,"),
        ("2026-03-03", {"USD": "0.8"}, "usd of 2026-03-03 was 1.1698,"),
        ("2026-03-05", {"USD": "1.17"}, "2026-03-05 has not come yet"),
    ],
)
async def test_an_implausible_file_changes_nothing(
    rates: ReferenceRates, day: str, published_rates: dict[str, str], words: str
) -> None:
    await rates.load(QUARTER)
    before = await rates.get_status(), await rates.cross(["brl"], NOW.date())
    with pytest.raises(RatesRejected, match=words):
        await rates.load(xml_of({day: published_rates}))
    assert (await rates.get_status(), await rates.cross(["brl"], NOW.date())) == before


async def test_a_large_move_within_one_file_is_detected(rates: ReferenceRates) -> None:
    await rates.load(xml_of({"2026-02-27": {"USD": "1.17"}}))
    steps = {"2026-03-02": {"USD": "1.2"}, "2026-03-03": {"USD": "2.4"}}
    with pytest.raises(RatesRejected, match=r"usd of 2026-03-03 was 1\.2, is 2\.4"):
        await rates.load(xml_of(steps))
    assert (await rates.get_status()).last_on == date(2026, 2, 27)


async def test_a_load_can_be_forced(rates: ReferenceRates) -> None:
    await rates.load(QUARTER)
    loaded = await rates.load(xml_of({"2026-03-04": {"USD": "1.6"}}), is_forced=True)
    assert loaded.changed == 2


async def test_the_fixing_of_a_history_may_jump(rates: ReferenceRates) -> None:
    jump = {
        "2001-02-21": {"USD": "0.91", "TRL": "625000"},
        "2001-02-22": {"USD": "0.9", "TRL": "957000"},
    }
    assert (await rates.load(xml_of(jump))).changed == 6


@pytest.mark.parametrize(
    ("now", "day"),
    [
        # Winter: 16:15 in Frankfurt is 15:15 UTC; summer: 14:15.
        ("2026-03-04T15:14:59", "2026-03-03"),
        ("2026-03-04T15:15:00", "2026-03-04"),
        ("2026-06-10T14:14:59", "2026-06-09"),
        ("2026-06-10T14:15:00", "2026-06-10"),
        # On the day after the clocks change, in both directions.
        ("2026-03-30T14:15:00", "2026-03-30"),
        ("2026-10-26T15:14:59", "2026-10-23"),
        # A weekend, Easter from Good Friday to Monday, and midnight in Frankfurt, not in UTC.
        ("2026-03-08T18:00:00", "2026-03-06"),
        ("2026-04-06T18:00:00", "2026-04-02"),
        ("2026-03-04T23:30:00", "2026-03-04"),
        # New Year: the last fixing day of the previous year.
        ("2026-01-01T18:00:00", "2025-12-31"),
    ],
)
def test_the_last_published_day(now: str, day: str) -> None:
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert published_on(at, is_target_day) == date.fromisoformat(day)


@pytest.mark.parametrize(
    ("last", "url"),
    [
        (None, HISTORY),
        ("2025-12-01", HISTORY),
        ("2025-12-09", QUARTER_URL),
        ("2026-03-02", QUARTER_URL),
        ("2026-03-03", DAILY_URL),
    ],
)
def test_the_smallest_sufficient_file_is_chosen(
    rates: ReferenceRates, last: str | None, url: str
) -> None:
    since = date.fromisoformat(last) if last else None
    assert rates._choose_file(FROM_ECB, since, date(2026, 3, 4)) == url  # pyright: ignore[reportPrivateUsage]  it would ask the bank itself


async def test_only_missing_days_are_fetched(
    rates_database: Database, clock: FrozenClock, answering: Answering
) -> None:
    answering.content = DAILY
    rates = fetching(rates_database, clock, answering.url)
    await rates.refresh()
    clock.at += timedelta(hours=6)
    await rates.refresh()
    assert answering.requests == 1
    status = await rates.get_status()
    assert (status.last_on, status.failure) == (date(2026, 3, 4), None)


async def test_an_unpublished_day_is_retried_after_a_quarter_of_an_hour(
    rates_database: Database, clock: FrozenClock, answering: Answering
) -> None:
    answering.content = QUARTER
    rates = fetching(rates_database, clock, answering.url)
    await rates.refresh()
    assert (await rates.get_status()).failure == "there are no rates of 2026-03-04 yet"
    answering.content = DAILY
    clock.at += timedelta(minutes=14)
    await rates.refresh()
    assert answering.requests == 1
    clock.at += timedelta(minutes=1)
    await rates.refresh()
    status = await rates.get_status()
    assert (status.last_on, status.failure) == (date(2026, 3, 4), None)


BAD = {
    "down": (503, b"", "127.0.0.1 answered 503"),
    "elsewhere": (302, b"", "127.0.0.1 answered 302"),
    "a page": (200, b"<html><p>Sorry</p></html>", "this is not a file of reference rates"),
    "empty": (200, b"", "this is not a file of reference rates"),
    "a slipped point": (
        200,
        xml_of({"2026-03-04": {"USD": "117.12"}}),
        "usd of 2026-03-04 was 1.1698,",
    ),
    "huge": (200, b"x" * 50_000_000, "127.0.0.1 has more than belongs there"),
}


@pytest.mark.parametrize("name", BAD)
async def test_an_invalid_response_keeps_the_old_rates(
    rates_database: Database, clock: FrozenClock, answering: Answering, name: str
) -> None:
    answering.status, answering.content, failure = BAD[name]
    rates = fetching(rates_database, clock, answering.url)
    await rates.load(QUARTER)
    await rates.refresh()
    status = await rates.get_status()
    assert status.last_on == date(2026, 3, 3)
    assert status.failure is not None
    assert failure in status.failure


async def test_a_failure_is_logged(
    rates_database: Database, clock: FrozenClock, logged: Callable[[], str]
) -> None:
    await fetching(rates_database, clock, "http://127.0.0.1:1/rates?key=secret").refresh()
    assert "rates.not_refreshed" in logged()
    assert "secret" not in logged()


async def test_an_unreachable_server_keeps_the_old_rates(
    rates_database: Database, clock: FrozenClock
) -> None:
    rates = fetching(rates_database, clock, "http://127.0.0.1:1/rates")
    await rates.refresh()
    assert (await rates.get_status()).failure == "127.0.0.1 did not answer (ConnectError)"


async def test_one_of_many_workers_fetches(
    rates_database: Database, clock: FrozenClock, answering: Answering
) -> None:
    answering.content = DAILY
    workers = [fetching(rates_database, clock, answering.url) for _ in range(8)]
    await asyncio.gather(*(each.refresh() for each in workers))
    assert answering.requests == 1
    assert (await workers[0].get_status()).days == 1


class _Ahead(FrozenClock):
    """Clock of a process that runs a day ahead of the database's."""

    async def in_database(self, tx: ValueQuery) -> datetime:
        return await super().in_database(tx) - timedelta(days=1)


async def test_a_worker_with_a_fast_clock_does_not_block_others(
    rates_database: Database, answering: Answering
) -> None:
    answering.content = QUARTER
    tomorrow = FrozenClock(NOW + timedelta(days=1))
    await fetching(rates_database, _Ahead(tomorrow.at), answering.url).refresh()
    assert (await fetching(rates_database, tomorrow, "off").get_status()).attempted_at == NOW
    # A due time from a clock that was set back since does not delay the next attempt.
    await fetching(rates_database, tomorrow, answering.url).refresh()
    await fetching(rates_database, FrozenClock(NOW), answering.url).refresh()
    assert answering.requests == 3


async def test_concurrent_loads_give_one_history(
    rates_database: Database, clock: FrozenClock
) -> None:
    rates = fetching(rates_database, clock, "off")
    await asyncio.gather(*(rates.load(QUARTER) for _ in range(6)), rates.load(DAILY))
    assert (await rates.get_status()).days == 4
    assert (await rates.load(QUARTER)).changed == 0


async def test_values_cross_through_the_euro(rates: ReferenceRates) -> None:
    await rates.load(QUARTER)
    valuation = Valuation(rates, has_table=False)
    on = date(2026, 3, 3)
    assert await valuation.in_usd(Money(10_000, EUR), on) == Decimal("116.98")
    # 100 / 6.4021 * 1.1698 = 18.2721..., rounded down.
    assert await valuation.in_usd(Money(10_000, BRL), on) == Decimal("18.27")
    assert str(await valuation.in_usd(Money(10_000, USD), on)) == "100.00"
    coins = Money(1_999_999, Asset("usdt", "POLYGON", 6))
    assert await valuation.in_usd(coins, on) == Decimal("1.99")


async def test_the_last_rate_holds_for_ten_days(rates: ReferenceRates) -> None:
    await rates.load(QUARTER)
    valuation = Valuation(rates, has_table=False)
    money = Money(10_000, EUR)
    days = {
        "2026-02-26": None,
        "2026-02-27": Decimal("117.55"),
        "2026-03-01": Decimal("117.55"),
        "2026-03-02": Decimal("117.20"),
        "2026-03-13": Decimal("116.98"),
        "2026-03-14": None,
    }
    found = {day: await valuation.in_usd(money, date.fromisoformat(day)) for day in days}
    assert found == days


async def test_a_sandbox_uses_its_table_for_missing_rates(rates: ReferenceRates) -> None:
    await rates.load(QUARTER)
    sandbox, production = (Valuation(rates, has_table=each) for each in (True, False))
    on = date(2026, 3, 3)
    # The table has 1435 naira per dollar.
    assert await sandbox.in_usd(Money(14_350_000, NGN), on) == Decimal("100.00")
    assert await production.in_usd(Money(14_350_000, NGN), on) is None
    assert await sandbox.in_usd(Money(10_000, EUR), on) == Decimal("116.98")
