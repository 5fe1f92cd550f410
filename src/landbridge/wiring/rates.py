"""Where prices and values come from."""

from decimal import Decimal

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.orgs.model import Mode
from landbridge.rails.calendar import is_target_day
from landbridge.rates.feeds import Feed, JsonFeed, Kraken
from landbridge.rates.market import Bounds, Market, MarketPrices
from landbridge.rates.port import RateSource
from landbridge.rates.reference import FROM_ECB, ReferenceRates
from landbridge.rates.sandbox import sandbox_price
from landbridge.rates.spreads import read_spreads
from landbridge.rates.table import PriceTable, no_price
from landbridge.rates.valuation import Valuation
from landbridge.settings import OFF, Settings


def reference(settings: Settings, database: Database, clock: Clock) -> ReferenceRates:
    """Reference rates: fetched as the setting says, else in production alone."""
    is_sandbox = settings.mode is Mode.SANDBOX
    source = settings.reference_rates or (OFF if is_sandbox else FROM_ECB)
    return ReferenceRates(
        database, clock, source=None if source == OFF else source, is_open=is_target_day
    )


def valuation(settings: Settings, rates: ReferenceRates) -> Valuation:
    """What money is worth; a sandbox needs no rates for that."""
    return Valuation(rates, has_table=settings.mode is Mode.SANDBOX)


def market(
    settings: Settings, database: Database, clock: Clock, reference: ReferenceRates
) -> Market | None:
    """Present prices, if a feed is set."""
    match settings.price_feed:
        case None | "off":
            return None
        case "kraken":
            feed: Feed = Kraken()
        case place:
            feed = JsonFeed(place)
    bounds = Bounds(
        age_max=settings.price_feed_age_max, peg=settings.peg_bound_percent * Decimal("0.01")
    )
    return Market(database, clock, feed, bounds, reference)


def prices(
    settings: Settings, database: Database, market: Market | None
) -> tuple[PriceTable, RateSource]:
    """The price table, and what quotes are made from: the table itself if there is no feed."""
    default = sandbox_price if settings.mode is Mode.SANDBOX else no_price
    if market is None:
        table = PriceTable(database, default)
        return table, table
    own = PriceTable(database, no_price)
    return own, MarketPrices(own, market, read_spreads(settings.price_spreads), default)
