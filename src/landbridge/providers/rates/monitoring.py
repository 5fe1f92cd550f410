"""Worker tasks for rates, and gauges of their state."""

from prometheus_client import Gauge

from landbridge.platform.core.clock import Clock
from landbridge.providers.rates.market import Market
from landbridge.providers.rates.peg_guard import GUARDED, deviation
from landbridge.providers.rates.reference import ReferenceRates

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
    """Fetch newly published reference rates, and report the age of the last ones."""
    await reference.refresh()
    status = await reference.get_status()
    if reference.is_fetched and status.last_on is not None:
        REFERENCE_AGE.set((clock.now().date() - status.last_on).days)


async def watch_market(market: Market) -> None:
    """Poll the feed if it is due, and report the known rates."""
    await market.refresh()
    for each in await market.list_observations():
        # Set on each run, because the age also grows while polls fail.
        MARKET_AGE.labels(each.currency).set(market.age(each).total_seconds())
        if each.currency in GUARDED:
            PEG_DEVIATION.labels(each.currency).set(int(deviation(each.usd) * _BASIS_POINTS))
