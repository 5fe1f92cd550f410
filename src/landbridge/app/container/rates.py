"""Sources of prices and valuations."""

from decimal import Decimal

from landbridge.app.container.provider_services import ProviderServices
from landbridge.app.settings import OFF, Settings, SettingsInvalid
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.model import Mode
from landbridge.providers.rails.calendar import is_target_day
from landbridge.providers.rates.feeds import Feed, JsonFeed, Kraken
from landbridge.providers.rates.market import Market, MarketBounds, MarketPrices
from landbridge.providers.rates.port import RateSource
from landbridge.providers.rates.price_table import PriceTable, no_price
from landbridge.providers.rates.reference import FROM_ECB, ReferenceRates
from landbridge.providers.rates.sandbox import sandbox_price
from landbridge.providers.rates.spreads import read_spreads
from landbridge.providers.rates.valuation import Valuation
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.price_feed import ProviderFeed


def reference(settings: Settings, database: Database, clock: Clock) -> ReferenceRates:
    """Return reference rates: fetched as configured, by default only in production."""
    is_sandbox = settings.mode is Mode.SANDBOX
    source = settings.reference_rates or (OFF if is_sandbox else FROM_ECB)
    return ReferenceRates(
        database, clock, source=None if source == OFF else source, is_open=is_target_day
    )


def valuation(settings: Settings, rates: ReferenceRates) -> Valuation:
    """Return the valuation of amounts; a sandbox uses a table instead of rates."""
    return Valuation(rates, has_table=settings.mode is Mode.SANDBOX)


def market(
    settings: Settings,
    database: Database,
    clock: Clock,
    reference: ReferenceRates,
    providers: ProviderServices | None,
) -> Market | None:
    """Return current market prices, if a feed is configured.

    Raises `SettingsInvalid` if the settings and the providers file have one each.
    """
    feed = _feed(settings, None if providers is None else providers.rates)
    if feed is None:
        return None
    bounds = MarketBounds(
        age_max=settings.price_feed_age_max, peg=settings.peg_bound_percent * Decimal("0.01")
    )
    return Market(database, clock, feed, bounds, reference)


def _feed(settings: Settings, provider: SidecarClient | None) -> Feed | None:
    """Return the source of market prices; `off` is stronger than the providers file."""
    match settings.price_feed:
        case "off":
            return None
        case None:
            return None if provider is None else ProviderFeed(provider)
        case _ if provider is not None:
            raise SettingsInvalid(
                f"LANDBRIDGE_PRICE_FEED is set, and the providers file has rates of "
                f"{provider.name}: leave one of them out"
            )
        case "kraken":
            return Kraken()
        case location:
            return JsonFeed(location)


def prices(
    settings: Settings, database: Database, market: Market | None
) -> tuple[PriceTable, RateSource]:
    """Return the price table and the rates of quotes: the table itself without a feed."""
    default = sandbox_price if settings.mode is Mode.SANDBOX else no_price
    if market is None:
        table = PriceTable(database, default)
        return table, table
    own = PriceTable(database, no_price)
    return own, MarketPrices(own, market, read_spreads(settings.price_spreads), default)
