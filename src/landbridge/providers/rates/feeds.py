"""Sources of market prices: the port, an exchange's public ticker, and an operator's own feed.

Guarantees: a price that is not a plain decimal within bounds is ignored. A missing market does not
affect the others.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal
from typing import Annotated, Any, NoReturn, Protocol, TypeVar

import msgspec
import structlog

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.rates.errors import RatesRejected
from landbridge.providers.rates.fetching import fetch
from landbridge.providers.rates.peg_guard import GUARDED
from landbridge.providers.rates.sandbox import DOMESTIC

T = TypeVar("T")

_log = structlog.stdlib.get_logger()

# Prices in dollars outside these bounds have never occurred for a currency that we support.
_USD_MIN, _USD_MAX = Decimal("0.000001"), Decimal(1_000)
# A plain decimal with as many decimals as rates have.
_PLAIN = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII)
_BYTES_MAX = 200_000
# Tolerated clock difference.
AHEAD_MAX = timedelta(minutes=1)
# Older observations would be deleted at once, so they are ignored.
RETENTION = timedelta(days=1)
# Currencies that a feed may have. The dollar, and a coin without a market, are fixed at one dollar.
PRICED = GUARDED | (DOMESTIC.keys() - {"usd"})
_MEAN = Context(prec=60)

# Seconds for a request, which must end well before the next one starts.
_DEADLINE_S = 5
KRAKEN_URL = "https://api.kraken.com/0/public/Ticker"
# Markets against the dollar. Source: Kraken's list of pairs.
_KRAKEN_PAIRS = {"usdc": "USDCUSD", "usdt": "USDTUSD", "usdg": "USDGUSD", "eur": "EURUSD"}
# Widest spread of bid and ask, as a fraction of the price; a market with a wider one is unusable.
_GAP_MAX = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Observation:
    """Dollars per unit of a currency, the mid price of the market; `at` is real time."""

    currency: str
    usd: Decimal
    at: datetime


class Feed(Protocol):
    """Source of current dollar prices."""

    async def observe(self, now: datetime) -> Sequence[Observation]:
        """Return the available observations, each currency once.

        Raises `Unavailable` or `RatesRejected` if there are none.
        """
        ...


class _KrakenTicker(msgspec.Struct, frozen=True):
    """Ticker of one market; each list begins with the price.

    Source: Kraken, Get Ticker Information.
    """

    asks: Annotated[list[str], msgspec.Meta(min_length=1)] = msgspec.field(name="a")
    bids: Annotated[list[str], msgspec.Meta(min_length=1)] = msgspec.field(name="b")


class _KrakenResponse(msgspec.Struct, frozen=True):
    """Result by the exchange's own market name, which may differ from the requested one."""

    error: list[str]
    result: dict[str, _KrakenTicker] = {}


class Kraken:
    """Public ticker of an exchange; it needs no API key."""

    def __init__(self, url: str = KRAKEN_URL) -> None:
        self._url = url

    async def observe(self, now: datetime) -> Sequence[Observation]:
        """Return the mid of bid and ask of each market; see `Feed`."""
        # One request per market, so that a closed market affects only itself.
        answers = await asyncio.gather(
            *(self._observe(currency, now) for currency in _KRAKEN_PAIRS), return_exceptions=True
        )
        found: list[Observation] = []
        failures: list[Exception] = []
        for currency, answer in zip(_KRAKEN_PAIRS, answers, strict=True):
            if isinstance(answer, Observation):
                found.append(answer)
            elif isinstance(answer, (Unavailable, RatesRejected)):
                _log.info("rates.not_observed", kind=currency, reason=str(answer))
                failures.append(answer)
            else:
                raise answer
        if not found:
            raise failures[0]
        return found

    async def _observe(self, currency: str, now: datetime) -> Observation:
        url = f"{self._url}?pair={_KRAKEN_PAIRS[currency]}"
        raw = await fetch(url, bytes_max=_BYTES_MAX, deadline_s=_DEADLINE_S)
        answer = _decoded(raw, _KrakenResponse, "the exchange's answer")
        if answer.error or len(answer.result) != 1:
            raise RatesRejected("the exchange has no such market now")
        (book,) = answer.result.values()
        bid, ask = _price(book.bids[0]), _price(book.asks[0])
        if not bid <= ask <= bid * (1 + _GAP_MAX):
            raise RatesRejected("bid and ask are not a usable market")
        return Observation(currency, _MEAN.divide(bid + ask, Decimal(2)), now)


class _FeedDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Document of an operator's feed: dollars per unit as texts, by code, and their time."""

    at: Annotated[datetime, msgspec.Meta(tz=True)]
    usd: Annotated[Mapping[str, str], msgspec.Meta(min_length=1)]


class JsonFeed:
    """File or HTTP response of the form `{"at": "...", "usd": {"usdc": "0.9998"}}`."""

    def __init__(self, location: str) -> None:
        self._location = location

    async def observe(self, now: datetime) -> Sequence[Observation]:
        """Return all prices of the feed, or none if one of them is invalid; see `Feed`."""
        raw = await fetch(self._location, bytes_max=_BYTES_MAX, deadline_s=_DEADLINE_S)
        document = _decoded(raw, _FeedDocument, "the feed")
        return read_observations(document.at, document.usd, now)


def read_observations(at: datetime, usd: Mapping[str, str], now: datetime) -> Sequence[Observation]:
    """Convert prices in dollars per unit, as written, to observations at a time.

    Raises `RatesRejected` for all of them if one is invalid.
    """
    observed_at = _moment(at, now)
    return [Observation(_currency(code), _price(price), observed_at) for code, price in usd.items()]


def _decoded(raw: bytes, into: type[T], source: str) -> T:
    """Decode a document with numbers as written; raises `RatesRejected` for anything ambiguous."""
    try:
        return msgspec.convert(_STRICT.decode(raw.decode()), into)
    # `ValueError` covers bytes that are not text, and text that is not JSON.
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise RatesRejected(f"{source} can't be read ({type(error).__name__})") from error


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise RatesRejected("a member is there twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise RatesRejected(f"{name} is no number")


_STRICT = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=str, parse_int=str, parse_constant=_no_number
)


def _moment(at: datetime, now: datetime) -> datetime:
    """Parse an observation time: not in the future, and within the retention period."""
    try:
        observed_at = at.astimezone(UTC)
    except OverflowError as error:
        raise RatesRejected("the feed's prices are of no time") from error
    if observed_at > now + AHEAD_MAX:
        raise RatesRejected("the feed's prices are from the future")
    if observed_at < now - RETENTION:
        raise RatesRejected("the feed's prices are older than a day")
    return min(observed_at, now)


def _currency(code: str) -> str:
    if code not in PRICED:
        raise RatesRejected(f"{code[:20]!r} is no currency that has a price in dollars here")
    return code


def _price(text: str) -> Decimal:
    """Parse a price in dollars: within bounds, and with the decimals that rates support."""
    if not _PLAIN.fullmatch(text):
        raise RatesRejected(f"{text[:40]!r} is no plain decimal with at most 18 decimals")
    price = Decimal(text)
    if not _USD_MIN <= price <= _USD_MAX:
        raise RatesRejected("a price is not within reason")
    return price
