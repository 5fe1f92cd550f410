"""Reference rates: what the European Central Bank says that a euro is worth, day by day.

Guarantees: what is refused changes nothing; loading a file again changes nothing; of several
workers one asks the bank, at most every quarter of an hour and only for a day that is not there.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Context, Decimal
from zoneinfo import ZoneInfo

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import Unavailable
from landbridge.db.pool import Database, Tx
from landbridge.rates import ecb, fetch_store
from landbridge.rates import reference_store as store
from landbridge.rates.ecb import Fixing
from landbridge.rates.errors import RatesRefused
from landbridge.rates.fetching import fetch

_log = structlog.stdlib.get_logger()

# Where the bank publishes. Source: its page on euro foreign exchange reference rates.
_ECB = "https://www.ecb.europa.eu/stats/eurofxref/"
DAILY, QUARTER, HISTORY = (
    f"{_ECB}eurofxref-daily.xml",
    f"{_ECB}eurofxref-hist-90d.xml",
    f"{_ECB}eurofxref-hist.zip",
)
# As the setting spells the three above.
FROM_ECB = "ecb"
# Days that the file of ninety days surely has.
_QUARTER_DAYS = 85

_FRANKFURT = ZoneInfo("Europe/Berlin")
# They are published at about 16:00; a quarter of an hour spares most of the waiting.
PUBLISHED_BY = time(16, 15)
_RETRY = timedelta(minutes=15)
_DAY = timedelta(days=1)

# A rate holds until the next one. No holidays are as long; whoever stops publishing is noticed.
AGE_DAYS_MAX = 10
# What one statement reads or writes: short transactions, and the whole history in some hundred.
_PAGE = 2_000
# Enough to tell a third by.
_RATIO = Context(prec=18)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of a file: days in it, rates that are new or changed, and its last day."""

    days: int
    changed: int
    last_on: date


@dataclass(frozen=True, slots=True)
class Standing:
    """What there is, and how the last try to get more went."""

    first_on: date | None
    last_on: date | None
    days: int
    tried_at: datetime | None
    failure: str | None


@dataclass(frozen=True, slots=True)
class Cross:
    """Units of a currency and of dollars per euro, on the same day."""

    per_eur: Decimal
    usd_per_eur: Decimal


class ReferenceRates:
    """Keeps reference rates, and fetches new ones if `source` says from where."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        source: str | None,
        is_open: Callable[[date], bool],
    ) -> None:
        """`is_open` says on which days rates are fixed; without a source nothing is fetched."""
        self._database = database
        self._clock = clock
        self._source = source
        self._is_open = is_open

    @property
    def is_fetched(self) -> bool:
        """Whether the worker looks for new ones."""
        return self._source is not None

    async def refresh(self) -> None:
        """Fetch what has been published since, if it is this worker's turn; log what is wrong."""
        if self._source is None:
            return
        now = await self._now()
        wanted = published_on(now, self._is_open)
        last = await self._last_on()
        if last is not None and last >= wanted:
            return
        if not await self._database.transact(
            lambda tx: fetch_store.claim(tx, "reference", at=now, next_at=now + _RETRY)
        ):
            return
        failure: str | None
        try:
            loaded = await self.load_from(self._place(self._source, last, wanted))
            failure = None if loaded.last_on >= wanted else f"there is nothing of {wanted} yet"
        except (Unavailable, RatesRefused) as error:
            failure = str(error)
        if failure is None:
            await self._database.transact(lambda tx: fetch_store.done(tx, "reference", now))
        else:
            _log.warning("rates.not_refreshed", kind="reference", reason=failure)
            told = failure
            await self._database.transact(lambda tx: fetch_store.failed(tx, "reference", told))

    async def load_from(self, place: str, *, is_forced: bool = False) -> Loaded:
        """Load what is at a URL or in a file. Raises `Unavailable`, and as `load` does."""
        where = DAILY if place == FROM_ECB else place
        raw = await fetch(where, bytes_max=ecb.BYTES_MAX)
        return await self.load(raw, is_forced=is_forced)

    async def load(self, raw: bytes, *, is_forced: bool = False) -> Loaded:
        """Keep the rates in a file.

        Raises `RatesRefused` for what is none, for days to come and, unless forced, for a rate that
        has moved by a third or more; then nothing is kept.
        """
        fixings = await asyncio.to_thread(ecb.read, raw)
        last_in_file = fixings[-1].on
        if last_in_file > (await self._now()).astimezone(_FRANKFURT).date():
            raise RatesRefused(f"{last_in_file} has not come yet")
        if not is_forced:
            await self._check_moves(fixings)
        rows = [
            (currency, fixing.on, rate)
            for fixing in fixings
            # In one order in every file, so that no two loads wait for each other.
            for currency, rate in sorted({"eur": Decimal(1), **fixing.rates}.items())
        ]
        changed = 0
        # The earliest first: a load that ends half-way is taken up by the next one.
        for begin in range(0, len(rows), _PAGE):
            page = rows[begin : begin + _PAGE]
            changed += await self._database.transact(lambda tx, each=page: store.put(tx, each))
        return Loaded(len(fixings), changed, last_in_file)

    async def standing(self) -> Standing:
        """What there is, and how the last try went."""
        span = await self._database.single(store.span)
        tried = await self._database.single(lambda tx: fetch_store.find(tx, "reference"))
        return Standing(
            first_on=span["first_on"] if span else None,
            last_on=span["last_on"] if span else None,
            days=span["days"] if span else 0,
            tried_at=tried["tried_at"] if tried else None,
            failure=tried["failure"] if tried else None,
        )

    async def cross(self, currency: str, on: date) -> Cross | None:
        """The last rates on or before a day, not older than ten days; None if there are none."""
        oldest_on = on - AGE_DAYS_MAX * _DAY
        row = await self._database.single(
            lambda tx: store.cross(tx, currency, on=on, oldest_on=oldest_on)
        )
        return None if row is None else Cross(row["per_eur"], row["usd_per_eur"])

    async def usd_in(self, tx: Tx, currency: str, on: date) -> Decimal | None:
        """Dollars per unit at the last rates on or before a day; None if there are none."""
        row = await store.cross(tx, currency, on=on, oldest_on=on - AGE_DAYS_MAX * _DAY)
        return None if row is None else _RATIO.divide(row["usd_per_eur"], row["per_eur"])

    async def _now(self) -> datetime:
        """By the database's clock: a worker's that runs ahead would ask for what is not out."""
        return await self._database.single(self._clock.in_database)

    async def _last_on(self) -> date | None:
        return await self._database.single(store.last_on)

    def _place(self, source: str, last: date | None, wanted: date) -> str:
        """The smallest file that has all that is missing."""
        if source != FROM_ECB:
            return source
        if last is None or (wanted - last).days > _QUARTER_DAYS:
            return HISTORY
        return DAILY if last >= _before(wanted, self._is_open) else QUARTER

    async def _check_moves(self, fixings: Sequence[Fixing]) -> None:
        """Compare days that are there with themselves, later ones with the day before."""
        last = await self._last_on()
        if last is None:
            return
        keys = [
            (currency, each.on, each.on if each.on <= last else each.on - AGE_DAYS_MAX * _DAY)
            for each in fixings
            for currency in each.rates
        ]
        stored: list[Decimal | None] = []
        for begin in range(0, len(keys), _PAGE):
            page = keys[begin : begin + _PAGE]
            stored += await self._database.single(lambda tx, each=page: store.before(tx, each))
        known = dict(zip(((currency, on) for currency, on, _ in keys), stored, strict=True))
        earlier: dict[str, Decimal] = {}
        for each in fixings:
            for currency, rate in each.rates.items():
                was = known[currency, each.on]
                if each.on > last:
                    was = earlier.get(currency, was)
                    earlier[currency] = rate
                if was is not None and _is_absurd(was, rate):
                    raise RatesRefused(
                        f"{currency} of {each.on} was {was.normalize():f}, is {rate:f} now"
                    )


def published_on(now: datetime, is_open: Callable[[date], bool]) -> date:
    """The last day whose rates are out."""
    local = now.astimezone(_FRANKFURT)
    today = local.date()
    if is_open(today) and local.time() >= PUBLISHED_BY:
        return today
    return _before(today, is_open)


def _before(day: date, is_open: Callable[[date], bool]) -> date:
    """The last day before this one on which rates are fixed."""
    day -= _DAY
    while not is_open(day):
        day -= _DAY
    return day


def _is_absurd(was: Decimal, now: Decimal) -> bool:
    """Whether the larger of two is more than a third above the smaller.

    No rate moves so from one day to the next unless something is wrong, or so unheard of that a
    person should look (`landbridge rates load --force`).
    """
    return 3 * max(was, now) > 4 * min(was, now)
