"""The board of rates: what coins buy of fiat and fiat of coins at this moment, rail by rail.

Source: contract, interface/onramp and interface/offramp (rates). Served is more than is published
there: every pair that is paid out or taken in.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from landbridge.core.clock import Clock
from landbridge.core.money import Rate
from landbridge.kyc.rails import africa_general, africa_nigeria
from landbridge.quotes.errors import RouteInvalid
from landbridge.quotes.pricing import fresh_price_of
from landbridge.rails.currencies import CORRIDORS
from landbridge.rates.port import RateSource
from landbridge.web.caller import Caller

# Source: contract, lifecycles 7 and 8 (source currency of an offramp, destination of an onramp).
COINS = ("usdc", "usdt", "usdHifi")

RAILS_IN: Mapping[str, tuple[str, ...]] = {
    "usd": ("ach", "wire", "rtp"),
    "eur": ("sepa", "sepaInstant"),
    "brl": ("pix",),
    "mxn": ("spei",),
    **africa_nigeria.ON_RAMP,
    **africa_general.ON_RAMP,
}
# By currency or, where its banks have a price of their own, by corridor.
RAILS_OUT: Mapping[str, tuple[str, ...]] = {
    "usd": ("ach", "wire", "rtp", "swift"),
    **dict.fromkeys(CORRIDORS, ("swift",)),
    "eur": ("sepa", "sepaInstant", "swift"),
    "brl": ("pix",),
    "mxn": ("spei",),
    "cop": ("achCop",),
    "ars": ("transfers",),
    "hkd": ("chats", "fps", "swift"),
    "cny": ("swift",),
    "sgd": ("swift",),
    **africa_nigeria.OFF_RAMP,
    **africa_general.OFF_RAMP,
}


@dataclass(frozen=True, slots=True)
class Line:
    """The rate of a pair, in units received per unit sent, and the rails that it holds for."""

    rate: Rate
    rails: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RateBoard:
    """Present rates of all organisations."""

    rates: RateSource
    clock: Clock
    price_age_max: timedelta = field(kw_only=True)

    async def onramp(self, caller: Caller, *, source: str, destination: str) -> Line:
        """What fiat buys of a coin.

        Raises `RouteInvalid` for a pair that is not served or has no price, and `QuoteNotReady`
        for a price that is too old.
        """
        _check("fromCurrency", source, RAILS_IN)
        _check("toCurrency", destination, COINS)
        return await self._line(caller, source, destination, RAILS_IN[source])

    async def offramp(self, caller: Caller, *, source: str, destination: str) -> Line:
        """What a coin buys of fiat, or in a corridor such as `usd-hka`. Raises as `onramp`."""
        _check("fromCurrency", source, COINS)
        _check("toCurrency", destination, RAILS_OUT)
        return await self._line(caller, source, destination, RAILS_OUT[destination])

    async def _line(
        self, caller: Caller, source: str, destination: str, rails: tuple[str, ...]
    ) -> Line:
        price = await fresh_price_of(
            self.rates,
            caller.org_id,
            source=source,
            destination=destination,
            now=self.clock.now(caller.clock_offset),
            age_max=self.price_age_max,
        )
        return Line(price.rate, rails)


def _check(name: str, currency: str, served: Iterable[str]) -> None:
    if currency not in served:
        raise RouteInvalid(
            f"{name}: {currency[:50]!r} is not served; served are {', '.join(served)}", field=name
        )
