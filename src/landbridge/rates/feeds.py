"""Where present prices come from: the port, an exchange's public ticker, and a feed of one's own.

Guarantees: a price that is not a plain decimal within bounds is none; what one market lacks takes
nothing from the others.
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

from landbridge.core.errors import Unavailable
from landbridge.rates.errors import RatesRefused
from landbridge.rates.fetching import fetch
from landbridge.rates.guard import GUARDED
from landbridge.rates.sandbox import DOMESTIC

T = TypeVar("T")

_log = structlog.stdlib.get_logger()

# Beyond these nothing that we serve has ever been, in dollars.
_USD_MIN, _USD_MAX = Decimal("0.000001"), Decimal(1_000)
# As many decimals as rates have.
_PLAIN = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII)
_BYTES_MAX = 200_000
# What two clocks may differ by.
AHEAD_MAX = timedelta(minutes=1)
# What is older is forgotten, so it is not worth being told.
KEPT = timedelta(days=1)
# What a feed may speak of; dollars, and a coin that is traded nowhere, are worth themselves.
PRICED = GUARDED | (DOMESTIC.keys() - {"usd"})
_MEAN = Context(prec=60)

# A question must be answered well before the next one.
_DEADLINE_S = 5
KRAKEN_URL = "https://api.kraken.com/0/public/Ticker"
# Markets against the dollar. Source: Kraken's list of pairs.
_KRAKEN_PAIRS = {"usdc": "USDCUSD", "usdt": "USDTUSD", "usdg": "USDGUSD", "eur": "EURUSD"}
# Bid and ask further apart than this are no market: a hundredth of the price.
_GAP_MAX = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Observation:
    """What a unit of a currency was worth in dollars, in the middle of the market; real time."""

    currency: str
    usd: Decimal
    at: datetime


class Feed(Protocol):
    """Knows what currencies are worth in dollars at this moment."""

    async def observe(self, now: datetime) -> Sequence[Observation]:
        """What it can say now, each currency once.

        Raises `Unavailable` or `RatesRefused` if that is nothing.
        """
        ...


class _Book(msgspec.Struct, frozen=True):
    """Of a market: the price stands first in each. Source: Kraken, Get Ticker Information."""

    asks: Annotated[list[str], msgspec.Meta(min_length=1)] = msgspec.field(name="a")
    bids: Annotated[list[str], msgspec.Meta(min_length=1)] = msgspec.field(name="b")


class _Answer(msgspec.Struct, frozen=True):
    """The market is named by the exchange's own name of it, which may be another than we asked."""

    error: list[str]
    result: dict[str, _Book] = {}


class Kraken:
    """The public ticker of an exchange; it takes no key."""

    def __init__(self, url: str = KRAKEN_URL) -> None:
        self._url = url

    async def observe(self, now: datetime) -> Sequence[Observation]:
        """The middle between bid and ask of each market; see `Feed`."""
        # One question each: a market that is closed silences itself alone.
        answers = await asyncio.gather(
            *(self._observe(currency, now) for currency in _KRAKEN_PAIRS), return_exceptions=True
        )
        found: list[Observation] = []
        failures: list[Exception] = []
        for currency, answer in zip(_KRAKEN_PAIRS, answers, strict=True):
            if isinstance(answer, Observation):
                found.append(answer)
            elif isinstance(answer, (Unavailable, RatesRefused)):
                _log.info("rates.not_observed", kind=currency, reason=str(answer))
                failures.append(answer)
            else:
                raise answer
        if not found:
            raise failures[0]
        return found

    async def _observe(self, currency: str, now: datetime) -> Observation:
        place = f"{self._url}?pair={_KRAKEN_PAIRS[currency]}"
        raw = await fetch(place, bytes_max=_BYTES_MAX, deadline_s=_DEADLINE_S)
        answer = _decoded(raw, _Answer, "the exchange's answer")
        if answer.error or len(answer.result) != 1:
            raise RatesRefused("the exchange has no such market now")
        (book,) = answer.result.values()
        bid, ask = _price(book.bids[0]), _price(book.asks[0])
        if not bid <= ask <= bid * (1 + _GAP_MAX):
            raise RatesRefused("bid and ask are no market")
        return Observation(currency, _MEAN.divide(bid + ask, Decimal(2)), now)


class _Told(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a feed of one's own says: dollars per unit as it is spelt, by code, and since when."""

    at: Annotated[datetime, msgspec.Meta(tz=True)]
    usd: Annotated[Mapping[str, str], msgspec.Meta(min_length=1)]


class JsonFeed:
    """A file, or the answer of a server, such as `{"at": "...", "usd": {"usdc": "0.9998"}}`."""

    def __init__(self, place: str) -> None:
        self._place = place

    async def observe(self, now: datetime) -> Sequence[Observation]:
        """All of its prices, or none if one of them is wrong; see `Feed`."""
        raw = await fetch(self._place, bytes_max=_BYTES_MAX, deadline_s=_DEADLINE_S)
        told = _decoded(raw, _Told, "the feed")
        at = _moment(told.at, now)
        return [Observation(_currency(code), _price(price), at) for code, price in told.usd.items()]


def _decoded(raw: bytes, into: type[T], what: str) -> T:
    """What is in `raw`, numbers as they are spelt; refuses what is not clearly that."""
    try:
        return msgspec.convert(_STRICT.decode(raw.decode()), into)
    # `ValueError` is also of bytes that are no text, and of JSON that is none.
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise RatesRefused(f"{what} can't be read ({type(error).__name__})") from error


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise RatesRefused("a member is there twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise RatesRefused(f"{name} is no number")


_STRICT = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=str, parse_int=str, parse_constant=_no_number
)


def _moment(at: datetime, now: datetime) -> datetime:
    """When something was so: at most now, and not longer ago than is kept."""
    try:
        told = at.astimezone(UTC)
    except OverflowError as error:
        raise RatesRefused("the feed's prices are of no time") from error
    if told > now + AHEAD_MAX:
        raise RatesRefused("the feed's prices are from the future")
    if told < now - KEPT:
        raise RatesRefused("the feed's prices are older than a day")
    return min(told, now)


def _currency(code: str) -> str:
    if code not in PRICED:
        raise RatesRefused(f"{code[:20]!r} is no currency that has a price in dollars here")
    return code


def _price(told: str) -> Decimal:
    """A price in dollars: within reason, and with decimals that rates have room for."""
    if not _PLAIN.fullmatch(told):
        raise RatesRefused(f"{told[:40]!r} is no plain decimal with at most 18 decimals")
    price = Decimal(told)
    if not _USD_MIN <= price <= _USD_MAX:
        raise RatesRefused("a price is not within reason")
    return price
