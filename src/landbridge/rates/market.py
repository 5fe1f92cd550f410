"""Present prices: what a feed says, kept for all processes, and quotes made of it.

Guarantees: no quote waits for the feed, the worker asks it; a rate older than the bound is not
quoted, whatever the organisation's own clock says; a stablecoin that is off its peg, or of which
nothing recent is known, is not quoted at all, not even at an organisation's own price. What a
process reads of the rates is at most a second old. Time is the database's: a process whose own
clock is wrong neither makes rates young nor keeps others from asking.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_DOWN, Context, Decimal
from uuid import UUID

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import Unavailable
from landbridge.core.money import RATE_DECIMALS, Rate
from landbridge.db.group import Group
from landbridge.db.pool import Database, Row, Tx
from landbridge.rates import fetch_store
from landbridge.rates import market_store as store
from landbridge.rates.errors import PriceWithheld, RatesRefused
from landbridge.rates.feeds import AHEAD_MAX, KEPT, Feed, Observation
from landbridge.rates.guard import GUARDED, is_off_peg
from landbridge.rates.market_store import Seen
from landbridge.rates.port import Price
from landbridge.rates.reference import ReferenceRates
from landbridge.rates.sandbox import STABLECOINS
from landbridge.rates.spreads import Spreads
from landbridge.rates.table import PriceTable

_log = structlog.stdlib.get_logger()

# How often the feed is asked; several workers ask no more often.
EVERY = timedelta(seconds=10)
# For how long a process goes by what it has read.
_READ_EVERY = timedelta(seconds=1)

_STEP = Decimal(1).scaleb(-RATE_DECIMALS)
_DOWN = Context(prec=60, rounding=ROUND_DOWN)
_ONE = Decimal(1)
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How old an observation may be, and how far from its dollar a stablecoin, as a fraction."""

    age_max: timedelta
    peg: Decimal


class Market:
    """The last observations of a feed; `reference` is what the first of a currency must be near."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        feed: Feed,
        bounds: Bounds,
        reference: ReferenceRates,
    ) -> None:
        self._database = database
        self._clock = clock
        self._feed = feed
        self._bounds = bounds
        self._reference = reference
        self._lookups = Group(self._read, lanes=1)
        self._seen: Mapping[str, Seen] = {}
        self._read_at = _NEVER
        # How far this process' clock runs ahead of the database's.
        self._ahead = timedelta()

    async def refresh(self) -> None:
        """Ask the feed, if it is this worker's turn; log what is wrong, once for each fault."""
        now = await self._database.transact(self._claim)
        if now is None:
            return
        try:
            left_out = await self.keep(await self._feed.observe(now))
        except (Unavailable, RatesRefused) as error:
            left_out = [str(error)]
        if left_out:
            await self._note_failure("; ".join(left_out))
        else:
            await self._database.transact(lambda tx: fetch_store.done(tx, "market", now))

    async def keep(self, observations: Sequence[Observation]) -> Sequence[str]:
        """Keep what is younger than what is there; answers what was left out, and why.

        Left out is fiat that has moved by more than a third within a day, or that begins by more
        than that away from its reference rate: a slipped point stops quotes instead of making
        them. What was known of it before stands, until it is too old to quote.
        """
        return await self._database.transact(
            lambda tx: self._keep(tx, observations, is_believed=False)
        )

    async def accept(self, currency: str) -> Observation:
        """Believe what the feed says of some fiat, however far it has moved.

        Raises `RatesRefused` where it says nothing of it or is not to be overruled, and
        `Unavailable`.
        """
        if currency in GUARDED:
            raise RatesRefused(f"{currency} is held against its peg, which nobody can overrule")
        now = await self._database.single(self._clock.in_database)
        told = [each for each in await self._feed.observe(now) if each.currency == currency]
        if not told:
            raise RatesRefused(f"the feed says nothing of {currency}")
        await self._database.transact(lambda tx: self._keep(tx, told, is_believed=True))
        return told[0]

    async def check_quotable(self, coin: str) -> None:
        """Raise `PriceWithheld` for a stablecoin that is off its peg, or that nobody knows of."""
        if coin not in GUARDED:
            return
        seen = await self._find(coin)
        if seen is None:
            raise PriceWithheld(f"nothing is known of the price of {coin} in dollars")
        self._check_age(seen)
        # The bound of this process counts, too: it may be narrower than the worker's was.
        if is_off_peg(seen.usd, was_off=seen.is_off_peg, bound=self._bounds.peg):
            raise PriceWithheld(f"{coin} is off its peg to the dollar and is not quoted now")

    async def usd(self, currency: str) -> Decimal | None:
        """Dollars per unit; None if none was observed. Raises `PriceWithheld` for a stale one."""
        if currency == "usd" or (currency in STABLECOINS and currency not in GUARDED):
            return _ONE
        seen = await self._find(currency)
        if seen is None:
            return None
        self._check_age(seen)
        return seen.usd

    async def all(self) -> Sequence[Seen]:
        """The last observations, as they are in the database."""
        await self._lookups.call(None)
        return list(self._seen.values())

    async def failure(self) -> str | None:
        """Why nothing came of the last question; None if something did."""
        row = await self._database.single(lambda tx: fetch_store.find(tx, "market"))
        return row["failure"] if row else None

    def age(self, seen: Seen) -> timedelta:
        """How old an observation is, by the database's clock as far as it is known."""
        return self._clock.now() - self._ahead - seen.at

    async def _claim(self, tx: Tx) -> datetime | None:
        """The database's time if it is this worker's turn; it forgets, too, what is a day old."""
        now = await self._clock.in_database(tx)
        if not await fetch_store.claim(tx, "market", at=now, next_at=now + EVERY):
            return None
        await store.forget(tx, now - KEPT)
        return now

    async def _keep(
        self, tx: Tx, observations: Sequence[Observation], *, is_believed: bool
    ) -> list[str]:
        now = await self._clock.in_database(tx)
        rows = await store.lock(tx, sorted(each.currency for each in observations))
        before = {row["currency"]: _as_seen(row) for row in rows}
        after: list[Seen] = []
        left_out: list[str] = []
        # In the order of the locks: what is not there yet is not locked, but inserted.
        for each in sorted(observations, key=lambda each: each.currency):
            was = before.get(each.currency)
            doubt = None if is_believed else await self._doubt(tx, was, each, now.date())
            if doubt is None:
                after.append(self._judged(was, each))
            else:
                left_out.append(doubt)
        await store.put(tx, after, last_at=now + AHEAD_MAX)
        return left_out

    async def _doubt(self, tx: Tx, was: Seen | None, now: Observation, on: date) -> str | None:
        """Why this is not believed; None if it is. Coins are held against their peg instead."""
        if now.currency in GUARDED:
            return None
        said = f"is said to be worth {now.usd.normalize():f}"
        if was is not None and now.at - was.at < KEPT:
            if _is_near(was.usd, now.usd):
                return None
            before = f"{now.currency} was worth {was.usd.normalize():f} dollars"
            return f"{before} and {said}, which is not believed for a day"
        reference = await self._reference.usd_in(tx, now.currency, on)
        if reference is None or _is_near(reference, now.usd):
            return None
        fixed = f"{now.currency} is worth {reference.normalize():f} dollars by its reference rate"
        return f"{fixed} and {said}, which is not believed"

    def _judged(self, before: Seen | None, now: Observation) -> Seen:
        """The observation, with what the guard says of it."""
        if now.currency not in GUARDED:
            return Seen(now.currency, now.usd, now.at, is_off_peg=False)
        was_off = before is not None and before.is_off_peg
        is_off = is_off_peg(now.usd, was_off=was_off, bound=self._bounds.peg)
        if is_off != was_off:
            # May be said twice: a transaction that lost a race is done again.
            _log.warning("rates.off_peg" if is_off else "rates.on_peg", kind=now.currency)
        return Seen(now.currency, now.usd, now.at, is_off)

    def _check_age(self, seen: Seen) -> None:
        age = self.age(seen)
        if age < -AHEAD_MAX:
            raise PriceWithheld(f"the market's price of {seen.currency} is from the future")
        if age > self._bounds.age_max:
            raise PriceWithheld(
                f"the market's price of {seen.currency} is from {seen.at:%Y-%m-%d %H:%M} UTC and "
                "too old to quote"
            )

    async def _find(self, currency: str) -> Seen | None:
        # A clock that was set back must not make old rates new for long.
        if abs(self._clock.now() - self._read_at) >= _READ_EVERY:
            await self._lookups.call(None)
        seen = self._seen.get(currency)
        # What a feed stopped to speak of is left to another one, and a sandbox to its table.
        return None if seen is None or self.age(seen) > KEPT else seen

    async def _read(self, calls: list[None]) -> list[None]:
        told, rows = await self._database.transact(self._read_all)
        now = self._clock.now()
        self._seen = {row["currency"]: _as_seen(row) for row in rows}
        self._read_at, self._ahead = now, now - told
        return calls

    async def _read_all(self, tx: Tx) -> tuple[datetime, Sequence[Row]]:
        return await self._clock.in_database(tx), await store.every(tx)

    async def _note_failure(self, failure: str) -> None:
        if await self.failure() != failure:
            _log.warning("rates.not_refreshed", kind="market", reason=failure)
        await self._database.transact(lambda tx: fetch_store.failed(tx, "market", failure))


class MarketPrices:
    """Prices where there is a market: an organisation's own, else the market's less a spread.

    What neither has is left to `default`. Dollars and coins are changed at par at best: a coin that
    trades below buys less, and one above costs more.
    """

    def __init__(
        self,
        own: PriceTable,
        market: Market,
        spreads: Spreads,
        default: Callable[[str, str], Price | None],
    ) -> None:
        self._own = own
        self._market = market
        self._spreads = spreads
        self._default = default

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price | None:
        """See `RateSource`."""
        await self.check_quotable(source_currency, destination_currency)
        own = await self._own.own(org_id, source_currency, destination_currency)
        if own.price is not None:
            return own.of(None)
        mid = await self._mid(source_currency, destination_currency)
        if mid is None:
            return own.of(self._default(source_currency, destination_currency))
        kept = self._spreads.fraction(source_currency, destination_currency)
        rate = _DOWN.multiply(mid, 1 - kept).quantize(_STEP, context=_DOWN)
        return own.of(Price(Rate(rate), Decimal(0), as_of=None))

    async def check_quotable(self, *currencies: str) -> None:
        """See `RateSource`."""
        for each in currencies:
            await self._market.check_quotable(each)

    async def _mid(self, source: str, destination: str) -> Decimal | None:
        """Units received per unit sent; None for what is no pair with a coin, or not observed."""
        if source not in STABLECOINS and destination not in STABLECOINS:
            return None
        sent, received = await self._market.usd(source), await self._market.usd(destination)
        if sent is None or received is None:
            return None
        mid = _DOWN.divide(sent, received)
        return min(mid, _ONE) if "usd" in {source, destination} else mid


def _as_seen(row: Row) -> Seen:
    return Seen(row["currency"], row["usd"], row["observed_at"], row["is_off_peg"])


def _is_near(one: Decimal, other: Decimal) -> bool:
    """Whether the larger is at most a third above the smaller."""
    return 3 * max(one, other) <= 4 * min(one, other)
