"""What the worker does for rates, and the gauges that show how well they are."""

from prometheus_client import Gauge

from landbridge.core.clock import Clock
from landbridge.rates.guard import GUARDED, deviation
from landbridge.rates.market import Market
from landbridge.rates.reference import ReferenceRates

REFERENCE_AGE = Gauge(
    "landbridge_reference_rates_age_days",
    "Days since the last reference rates, where they are fetched.",
    multiprocess_mode="mostrecent",
)
MARKET_AGE = Gauge(
    "landbridge_market_rate_age_seconds",
    "Seconds since a currency's price was observed in the market.",
    ["currency"],
    multiprocess_mode="mostrecent",
)
PEG_DEVIATION = Gauge(
    "landbridge_peg_deviation_basis_points",
    "How far a stablecoin is from its dollar, in hundredths of a per cent, rounded down.",
    ["currency"],
    multiprocess_mode="mostrecent",
)
_BASIS_POINTS = 10_000


async def watch_reference(reference: ReferenceRates, clock: Clock) -> None:
    """Fetch reference rates that are out, and show how old the last ones are."""
    await reference.refresh()
    standing = await reference.standing()
    if reference.is_fetched and standing.last_on is not None:
        REFERENCE_AGE.set((clock.now().date() - standing.last_on).days)


async def watch_market(market: Market) -> None:
    """Ask the feed if it is time, and show what is known."""
    await market.refresh()
    for each in await market.all():
        # The age grows also while nothing comes of asking.
        MARKET_AGE.labels(each.currency).set(market.age(each).total_seconds())
        if each.currency in GUARDED:
            PEG_DEVIATION.labels(each.currency).set(int(deviation(each.usd) * _BASIS_POINTS))
