"""Reference rates: the European Central Bank's daily euro rates.

Guarantees: a rejected file changes nothing. Loading a file again changes nothing. Of several
workers, one fetches from the bank, at most every quarter of an hour and only for a missing day.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Context, Decimal
from zoneinfo import ZoneInfo

import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.rates import ecb, fetch_store
from landbridge.providers.rates import reference_store as store
from landbridge.providers.rates.ecb import EcbFixing
from landbridge.providers.rates.errors import RatesRejected
from landbridge.providers.rates.fetching import fetch

_log = structlog.stdlib.get_logger()

# Files that the bank publishes. Source: its page on euro foreign exchange reference rates.
_ECB = "https://www.ecb.europa.eu/stats/eurofxref/"
DAILY, QUARTER, HISTORY = (
    f"{_ECB}eurofxref-daily.xml",
    f"{_ECB}eurofxref-hist-90d.xml",
    f"{_ECB}eurofxref-hist.zip",
)
# Value of the setting that means the three files above.
FROM_ECB = "ecb"
# Days that the ninety-day file certainly contains.
_QUARTER_DAYS = 85

_FRANKFURT = ZoneInfo("Europe/Berlin")
# Rates are published at about 16:00; a fetch a quarter of an hour later seldom comes too early.
PUBLISHED_BY = time(16, 15)
_RETRY = timedelta(minutes=15)
_DAY = timedelta(days=1)

# Days for which a rate is valid without a newer one. No holidays last this long, so an end of
# publication is noticed.
AGE_DAYS_MAX = 10
# Rows per statement, which keeps transactions short; the whole history takes about a hundred.
_PAGE = 2_000
# Enough digits to detect a change by a third.
_RATIO = Context(prec=18)


@dataclass(frozen=True, slots=True)
class RateLoadResult:
    """Result of a load: days in the file, new or changed rates, and its last day."""

    days: int
    changed: int
    last_on: date


@dataclass(frozen=True, slots=True)
class ReferenceStatus:
    """Stored reference rates, and the result of the last fetch."""

    first_on: date | None
    last_on: date | None
    days: int
    attempted_at: datetime | None
    failure: str | None


@dataclass(frozen=True, slots=True)
class CrossRate:
    """Units of a currency and of dollars per euro, on the same day."""

    per_eur: Decimal
    usd_per_eur: Decimal


class ReferenceRates:
    """Stores reference rates, and fetches new ones from `source` if it is set."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        source: str | None,
        is_open: Callable[[date], bool],
    ) -> None:
        """`is_open` decides on which days rates are fixed; `source` is None for no fetching."""
        self._database = database
        self._clock = clock
        self._source = source
        self._is_open = is_open

    @property
    def is_fetched(self) -> bool:
        """Return whether the worker fetches new rates."""
        return self._source is not None

    async def refresh(self) -> None:
        """Fetch newly published rates if it is this worker's turn; failures are logged."""
        if self._source is None:
            return
        now = await self._now()
        latest_on = published_on(now, self._is_open)
        last = await self._last_on()
        if last is not None and last >= latest_on:
            return
        if not await self._database.transact(
            lambda tx: fetch_store.claim(tx, "reference", at=now, next_at=now + _RETRY)
        ):
            return
        failure: str | None
        try:
            loaded = await self.load_from(self._choose_file(self._source, last, latest_on))
            failure = (
                None if loaded.last_on >= latest_on else f"there are no rates of {latest_on} yet"
            )
        except (Unavailable, RatesRejected) as error:
            failure = str(error)
        if failure is None:
            await self._database.transact(lambda tx: fetch_store.done(tx, "reference", now))
        else:
            _log.warning("rates.not_refreshed", kind="reference", reason=failure)
            reason = failure
            await self._database.transact(lambda tx: fetch_store.failed(tx, "reference", reason))

    async def load_from(self, location: str, *, is_forced: bool = False) -> RateLoadResult:
        """Load rates from a URL or a file. Raises `Unavailable`, and the errors of `load`."""
        source = DAILY if location == FROM_ECB else location
        raw = await fetch(source, bytes_max=ecb.BYTES_MAX)
        return await self.load(raw, is_forced=is_forced)

    async def load(self, raw: bytes, *, is_forced: bool = False) -> RateLoadResult:
        """Store the rates in a file.

        Raises `RatesRejected` for an invalid file, for future days and, unless forced, for a rate
        that has moved by a third or more; then nothing is stored.
        """
        fixings = await asyncio.to_thread(ecb.read, raw)
        last_in_file = fixings[-1].on
        if last_in_file > (await self._now()).astimezone(_FRANKFURT).date():
            raise RatesRejected(f"{last_in_file} has not come yet")
        if not is_forced:
            await self._check_moves(fixings)
        rows = [
            (currency, fixing.on, rate)
            for fixing in fixings
            # Sorted, so that two loads do not deadlock.
            for currency, rate in sorted({"eur": Decimal(1), **fixing.rates}.items())
        ]
        changed = 0
        # Earliest day first: after an interruption the next load continues.
        for begin in range(0, len(rows), _PAGE):
            page = rows[begin : begin + _PAGE]
            changed += await self._database.transact(lambda tx, each=page: store.put(tx, each))
        return RateLoadResult(len(fixings), changed, last_in_file)

    async def get_status(self) -> ReferenceStatus:
        """Return the days of the stored rates, and the result of the last fetch."""
        span = await self._database.single(store.span)
        attempt = await self._database.single(lambda tx: fetch_store.find(tx, "reference"))
        return ReferenceStatus(
            first_on=span["first_on"] if span else None,
            last_on=span["last_on"] if span else None,
            days=span["days"] if span else 0,
            attempted_at=attempt["attempted_at"] if attempt else None,
            failure=attempt["failure"] if attempt else None,
        )

    async def cross(self, currencies: Sequence[str], on: date) -> Mapping[str, CrossRate]:
        """Return the last rates on or before a day, at most ten days old, by currency."""
        if not currencies:
            return {}
        found = await self._database.single(
            lambda tx: store.cross(tx, currencies, on=on, oldest_on=on - AGE_DAYS_MAX * _DAY)
        )
        return {each: CrossRate(row["per_eur"], row["usd_per_eur"]) for each, row in found.items()}

    async def usd_in(self, tx: Tx, currency: str, on: date) -> Decimal | None:
        """Return dollars per unit by the last rates on or before a day; None without rates."""
        found = await store.cross(tx, [currency], on=on, oldest_on=on - AGE_DAYS_MAX * _DAY)
        row = found.get(currency)
        return None if row is None else _RATIO.divide(row["usd_per_eur"], row["per_eur"])

    async def _now(self) -> datetime:
        """Return the database's time: a fast clock of a worker would request unpublished days."""
        return await self._database.single(self._clock.in_database)

    async def _last_on(self) -> date | None:
        return await self._database.single(store.last_on)

    def _choose_file(self, source: str, last: date | None, latest_on: date) -> str:
        """Return the smallest file that contains all missing days."""
        if source != FROM_ECB:
            return source
        if last is None or (latest_on - last).days > _QUARTER_DAYS:
            return HISTORY
        return DAILY if last >= _before(latest_on, self._is_open) else QUARTER

    async def _check_moves(self, fixings: Sequence[EcbFixing]) -> None:
        """Raise `RatesRejected` if a rate moved too far from the stored or the previous one."""
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
                    raise RatesRejected(
                        f"{currency} of {each.on} was {was.normalize():f}, is {rate:f} now"
                    )


def published_on(now: datetime, is_open: Callable[[date], bool]) -> date:
    """Return the last day with published rates."""
    local = now.astimezone(_FRANKFURT)
    today = local.date()
    if is_open(today) and local.time() >= PUBLISHED_BY:
        return today
    return _before(today, is_open)


def _before(day: date, is_open: Callable[[date], bool]) -> date:
    """Return the last fixing day before this one."""
    day -= _DAY
    while not is_open(day):
        day -= _DAY
    return day


def _is_absurd(was: Decimal, now: Decimal) -> bool:
    """Return whether the larger value exceeds the smaller by more than a third.

    Such a daily move is an error, or so rare that a person has to check it (`landbridge rates load
    --force`).
    """
    return 3 * max(was, now) > 4 * min(was, now)
