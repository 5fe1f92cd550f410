"""Rate board: current rates between fiat and coins, per rail.

Source: contract, interface/onramp and interface/offramp (rates). Beyond the pairs published there,
every pair of an onramp or offramp has a rate.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from landbridge.customers.kyc.model import Rail
from landbridge.customers.kyc.rails import RAILS
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.payments.quotes.pricing import fresh_price_of
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.money import Rate
from landbridge.platform.http.caller import Caller
from landbridge.providers.rails.currencies import CORRIDORS
from landbridge.providers.rates.port import RateSource

# Source: contract, lifecycles 7 and 8 (source currency of an offramp, destination of an onramp).
COINS = ("usdc", "usdt", "usdHifi")

RAILS_IN: Mapping[str, tuple[str, ...]] = {
    "usd": ("ach", "wire", "rtp"),
    "eur": ("sepa", "sepaInstant"),
    "brl": ("pix",),
    "mxn": ("spei",),
    **RAILS[Rail.AFRICA_NIGERIA].on_ramp,
    **RAILS[Rail.AFRICA_GENERAL].on_ramp,
}
# Rails of payouts by currency or, if its banks have a price of their own, by corridor.
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
    **RAILS[Rail.AFRICA_NIGERIA].off_ramp,
    **RAILS[Rail.AFRICA_GENERAL].off_ramp,
}


@dataclass(frozen=True, slots=True)
class PairRate:
    """Rate of a pair, in units received per unit sent, and its rails."""

    rate: Rate
    rails: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RateBoard:
    """Current rates of all organisations."""

    rates: RateSource
    clock: Clock
    price_age_max: timedelta = field(kw_only=True)

    async def onramp(self, caller: Caller, *, source: str, destination: str) -> PairRate:
        """Return the rate from fiat to a coin.

        Raises `RouteInvalid` for a pair that is not served or has no price, and `QuoteNotReady` for
        a stale price.
        """
        _check("fromCurrency", source, RAILS_IN)
        _check("toCurrency", destination, COINS)
        return await self._pair_rate(caller, source, destination, RAILS_IN[source])

    async def offramp(self, caller: Caller, *, source: str, destination: str) -> PairRate:
        """Return the rate from a coin to fiat, or to a corridor such as `usd-hka`.

        Raises as `onramp`.
        """
        _check("fromCurrency", source, COINS)
        _check("toCurrency", destination, RAILS_OUT)
        return await self._pair_rate(caller, source, destination, RAILS_OUT[destination])

    async def _pair_rate(
        self, caller: Caller, source: str, destination: str, rails: tuple[str, ...]
    ) -> PairRate:
        price = await fresh_price_of(
            self.rates,
            caller.org_id,
            source=source,
            destination=destination,
            now=self.clock.now(caller.clock_offset),
            age_max=self.price_age_max,
        )
        return PairRate(price.rate, rails)


def _check(name: str, currency: str, served: Iterable[str]) -> None:
    if currency not in served:
        raise RouteInvalid(
            f"{name}: {currency[:50]!r} is not served; served are {', '.join(served)}", field=name
        )
