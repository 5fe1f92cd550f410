"""Messages about rates; see `protocol.py`."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from landbridge.providers.sidecar.protocol import PricedCurrency, SidecarMessage

RATES_PATH = "/v1/rates/query"

# Maximum currencies of a query; a description may list as many.
RATES_MAX = 100

_Price = Annotated[str, Meta(pattern=r"^[0-9]{1,18}(\.[0-9]{1,18})?\Z")]


class RatesQuery(SidecarMessage, frozen=True):
    """Question for the value of currencies in dollars."""

    currencies: Annotated[tuple[PricedCurrency, ...], Meta(min_length=1, max_length=RATES_MAX)]


class RatesAnswer(SidecarMessage, frozen=True):
    """Dollars per unit of each currency, and the time of these values.

    Currencies that the provider does not price are left out; those that were not in the query are
    ignored.
    """

    at: Annotated[datetime, Meta(tz=True)]
    usd: Annotated[dict[PricedCurrency, _Price], Meta(max_length=RATES_MAX)]
