"""Market prices: observations of a feed, shared by all processes, and quotes based on them.

Guarantees:
- No quote waits for the feed; the worker polls it.
- A rate older than the bound is not quoted, whatever the organisation's clock offset is.
- A stablecoin that is off its peg, or without a recent observation, is not quoted at all, not even
  at an organisation's own price.
- A process uses cached rates for one second at most.
- Time is the database's: a process with a wrong clock can neither make rates look recent nor stop
  others from polling.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_DOWN, Context, Decimal
from uuid import UUID

import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.money import RATE_DECIMALS, Rate
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.providers.rates import fetch_store
from landbridge.providers.rates import market_store as store
from landbridge.providers.rates.errors import PriceUnavailable, RatesRejected
from landbridge.providers.rates.feeds import AHEAD_MAX, RETENTION, Feed, Observation
from landbridge.providers.rates.market_store import RateAnchor, StoredObservation
from landbridge.providers.rates.peg_guard import GUARDED, is_off_peg
from landbridge.providers.rates.port import Price
from landbridge.providers.rates.price_table import PriceTable
from landbridge.providers.rates.reference import ReferenceRates
from landbridge.providers.rates.sandbox import STABLECOINS
from landbridge.providers.rates.spreads import Spreads

_log = structlog.stdlib.get_logger()

# Polling interval of the feed, for all workers together.
EVERY = timedelta(seconds=10)
# How long a process uses its cached rates.
_CACHE_LIFETIME = timedelta(seconds=1)

_STEP = Decimal(1).scaleb(-RATE_DECIMALS)
_DOWN = Context(prec=60, rounding=ROUND_DOWN)
_ONE = Decimal(1)
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MarketBounds:
    """Maximum age of an observation, and maximum deviation from the peg, as a fraction."""

    age_max: timedelta
    peg: Decimal


class Market:
    """Last observations of a feed.

    A currency's first observation must be near its reference rate.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        feed: Feed,
        bounds: MarketBounds,
        reference: ReferenceRates,
    ) -> None:
        self._database = database
        self._clock = clock
        self._feed = feed
        self._bounds = bounds
        self._reference = reference
        self._lookups = GroupCommit(self._read, concurrency=1)
        self._observations: Mapping[str, StoredObservation] = {}
        self._read_at = _NEVER
        # How far the clock of this process is ahead of the database's.
        self._ahead = timedelta()

    async def refresh(self) -> None:
        """Poll the feed if it is this worker's turn; each failure is logged once."""
        now = await self._database.transact(self._claim)
        if now is None:
            return
        try:
            rejected = await self.store_observations(await self._feed.observe(now))
        except (Unavailable, RatesRejected) as error:
            rejected = [str(error)]
        if rejected:
            await self._note_failure("; ".join(rejected))
        else:
            await self._database.transact(lambda tx: fetch_store.done(tx, "market", now))

    async def store_observations(self, observations: Sequence[Observation]) -> Sequence[str]:
        """Store newer observations; return the rejected currencies with their reasons.

        Fiat is rejected if it moved by more than a third within a day, in one step or in many, or
        if its first observation is that far from its reference rate. A misplaced decimal point thus
        stops quotes instead of changing them. The previous observation stays until it is too old to
        quote.
        """
        return await self._database.transact(
            lambda tx: self._store(tx, observations, is_trusted=False)
        )

    async def accept(self, currency: str) -> Observation:
        """Accept the feed's rates of some fiat currencies, however far they have moved.

        Raises `RatesRejected` if the feed lacks the currency or it must not be overruled, and
        `Unavailable`.
        """
        if currency in GUARDED:
            raise RatesRejected(
                f"{currency} is checked against its peg, which cannot be overridden"
            )
        now = await self._database.single(self._clock.in_database)
        observed = [each for each in await self._feed.observe(now) if each.currency == currency]
        if not observed:
            raise RatesRejected(f"the feed has no price of {currency}")
        await self._database.transact(lambda tx: self._store(tx, observed, is_trusted=True))
        return observed[0]

    async def check_quotable(self, coin: str) -> None:
        """Raise `PriceUnavailable` for a stablecoin that is off its peg or not observed."""
        if coin not in GUARDED:
            return
        observation = await self._find(coin)
        if observation is None:
            raise PriceUnavailable(f"nothing is known of the price of {coin} in dollars")
        self._check_age(observation)
        # The bound of this process applies too: it may be narrower than that of the worker.
        if is_off_peg(observation.usd, was_off=observation.is_off_peg, bound=self._bounds.peg):
            raise PriceUnavailable(f"{coin} is off its peg to the dollar and is not quoted now")

    async def usd(self, currency: str) -> Decimal | None:
        """Return dollars per unit; None if never observed.

        Raises `PriceUnavailable` for a stale rate.
        """
        if currency == "usd" or (currency in STABLECOINS and currency not in GUARDED):
            return _ONE
        observation = await self._find(currency)
        if observation is None:
            return None
        self._check_age(observation)
        return observation.usd

    async def list_observations(self) -> Sequence[StoredObservation]:
        """Return the last observations from the database."""
        await self._lookups.call(None)
        return list(self._observations.values())

    async def find_failure(self) -> str | None:
        """Return why the last poll failed; None if it succeeded or there was none."""
        row = await self._database.single(lambda tx: fetch_store.find(tx, "market"))
        return row["failure"] if row else None

    def age(self, observation: StoredObservation) -> timedelta:
        """Return the age of an observation by the database's clock, as this process knows it."""
        return self._clock.now() - self._ahead - observation.at

    async def _claim(self, tx: Tx) -> datetime | None:
        """Return the database's time if it is this worker's turn; delete old observations."""
        now = await self._clock.in_database(tx)
        if not await fetch_store.claim(tx, "market", at=now, next_at=now + EVERY):
            return None
        await store.forget(tx, now - RETENTION)
        return now

    async def _store(
        self, tx: Tx, observations: Sequence[Observation], *, is_trusted: bool
    ) -> list[str]:
        now = await self._clock.in_database(tx)
        rows = await store.lock(tx, sorted(each.currency for each in observations))
        before = {row["currency"]: _as_observation(row) for row in rows}
        after: list[StoredObservation] = []
        rejected: list[str] = []
        # In the order of locks, because a currency without a row is not locked before its insert.
        for each in sorted(observations, key=lambda each: each.currency):
            was = before.get(each.currency)
            anchor = None if is_trusted else _anchor(was, each, now)
            reason = None if is_trusted else await self._find_doubt(tx, anchor, each, now.date())
            if reason is None:
                anchor = anchor or RateAnchor(each.usd, now)
                after.append(replace(self._apply_guard(was, each), anchor=anchor))
            else:
                rejected.append(reason)
        await store.put(tx, after, last_at=now + AHEAD_MAX)
        return rejected

    async def _find_doubt(
        self, tx: Tx, anchor: RateAnchor | None, now: Observation, on: date
    ) -> str | None:
        """Return why an observation is rejected; None if it is accepted.

        Coins are checked against their peg instead.
        """
        if now.currency in GUARDED:
            return None
        reported = f"is reported at {now.usd.normalize():f}"
        if anchor is not None:
            if _is_near(anchor.usd, now.usd):
                return None
            before = f"{now.currency} was worth {anchor.usd.normalize():f} dollars"
            return f"{before} and {reported}, which is rejected for a day"
        reference = await self._reference.usd_in(tx, now.currency, on)
        if reference is None or _is_near(reference, now.usd):
            return None
        fixed = f"{now.currency} is worth {reference.normalize():f} dollars by its reference rate"
        return f"{fixed} and {reported}, which is rejected"

    def _apply_guard(self, before: StoredObservation | None, now: Observation) -> StoredObservation:
        """Return the observation with the peg guard's verdict."""
        if now.currency not in GUARDED:
            return StoredObservation(now.currency, now.usd, now.at, is_off_peg=False)
        was_off = before is not None and before.is_off_peg
        is_off = is_off_peg(now.usd, was_off=was_off, bound=self._bounds.peg)
        if is_off != was_off:
            # May be logged twice, because a transaction that lost a race runs again.
            _log.warning("rates.off_peg" if is_off else "rates.on_peg", kind=now.currency)
        return StoredObservation(now.currency, now.usd, now.at, is_off)

    def _check_age(self, observation: StoredObservation) -> None:
        age = self.age(observation)
        if age < -AHEAD_MAX:
            raise PriceUnavailable(
                f"the market's price of {observation.currency} is from the future"
            )
        if age > self._bounds.age_max:
            raise PriceUnavailable(
                f"the market's price of {observation.currency} is from "
                f"{observation.at:%Y-%m-%d %H:%M} UTC and too old to quote"
            )

    async def _find(self, currency: str) -> StoredObservation | None:
        # The difference is absolute, so that a clock set back does not make old rates look recent
        # for long.
        if abs(self._clock.now() - self._read_at) >= _CACHE_LIFETIME:
            await self._lookups.call(None)
        observation = self._observations.get(currency)
        # An old observation is one that the feed no longer covers: another feed, or the sandbox's
        # table, applies.
        return None if observation is None or self.age(observation) > RETENTION else observation

    async def _read(self, calls: list[None]) -> list[None]:
        database_now, rows = await self._database.transact(self._read_all)
        now = self._clock.now()
        self._observations = {row["currency"]: _as_observation(row) for row in rows}
        self._read_at, self._ahead = now, now - database_now
        return calls

    async def _read_all(self, tx: Tx) -> tuple[datetime, Sequence[Row]]:
        return await self._clock.in_database(tx), await store.every(tx)

    async def _note_failure(self, failure: str) -> None:
        if await self.find_failure() != failure:
            _log.warning("rates.not_refreshed", kind="market", reason=failure)
        await self._database.transact(lambda tx: fetch_store.failed(tx, "market", failure))


class MarketPrices:
    """Prices from a market: an organisation's own price, otherwise the market's less a spread.

    Pairs without either use `default`. Dollars and coins are never exchanged better than at par: a
    coin below par buys less, and one above par costs more.
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
        """Return the current price of a pair; see `RateSource`."""
        await self.check_quotable(source_currency, destination_currency)
        own = await self._own.own(org_id, source_currency, destination_currency)
        if own.price is not None:
            return own.of(None)
        mid = await self._mid(source_currency, destination_currency)
        if mid is None:
            return own.of(self._default(source_currency, destination_currency))
        spread = self._spreads.fraction(source_currency, destination_currency)
        rate = _DOWN.multiply(mid, 1 - spread).quantize(_STEP, context=_DOWN)
        return own.of(Price(Rate(rate), Decimal(0), as_of=None))

    async def check_quotable(self, *currencies: str) -> None:
        """Raise `PriceUnavailable` for currencies that must not be quoted; see `RateSource`."""
        for each in currencies:
            await self._market.check_quotable(each)

    async def _mid(self, source: str, destination: str) -> Decimal | None:
        """Return units received per unit sent; None without a coin or an observation."""
        if source not in STABLECOINS and destination not in STABLECOINS:
            return None
        sent, received = await self._market.usd(source), await self._market.usd(destination)
        if sent is None or received is None:
            return None
        mid = _DOWN.divide(sent, received)
        return min(mid, _ONE) if "usd" in {source, destination} else mid


def _anchor(
    was: StoredObservation | None, observation: Observation, now: datetime
) -> RateAnchor | None:
    """Return the rate from which a move is measured; None if there is no recent one.

    It is not simply the previous observation: many small moves would add up to any rate.
    """
    if was is None or observation.at - was.at >= RETENTION:
        return None
    anchor = was.anchor
    return anchor if anchor and now - anchor.at < RETENTION else RateAnchor(was.usd, now)


def _as_observation(row: Row) -> StoredObservation:
    usd, at = row["anchor_usd"], row["anchored_at"]
    return StoredObservation(
        row["currency"],
        row["usd"],
        row["observed_at"],
        row["is_off_peg"],
        None if usd is None else RateAnchor(usd, at),
    )


def _is_near(one: Decimal, other: Decimal) -> bool:
    """Return whether the larger value exceeds the smaller by at most a third."""
    return 3 * max(one, other) <= 4 * min(one, other)
