"""Routes of rates: /v2/onramps/rates and /v2/offramps/rates.

Source: interface/onramp and interface/offramp (rates).
"""

from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.payments.quotes.rate_board import PairRate, RateBoard
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import form, query
from landbridge.platform.http.responses import DecimalText, WireStruct

# Only the form is declared, because the valid codes depend on the other currency and the banks.
_CODE = form("^[a-z]{3,5}(-[a-z]{3})?$")

From = Annotated[
    str | None, query("fromCurrency", _CODE, description="Currency that is sent.", is_required=True)
]
To = Annotated[
    str | None,
    query("toCurrency", _CODE, description="Currency that is received.", is_required=True),
]


class RailRateReply(WireStruct, frozen=True):
    """The rate on one rail."""

    transfer_type: str
    conversion_rate: DecimalText


class RateReply(WireStruct, frozen=True):
    """The current rate: units received per unit sent, as a decimal string."""

    from_currency: str
    to_currency: str
    conversion_rate: DecimalText
    conversion_rates: list[RailRateReply]


class RateRoutes(Controller):
    """Current exchange rates."""

    path = "/v2"
    tags = ("Rates",)

    @get("/onramps/rates", summary="Rate of an onramp", operation_id="onramps.retrieveRate")
    async def onramp(
        self,
        request: ApiRequest,
        rate_board: NamedDependency[RateBoard],
        source: From = None,
        destination: To = None,
    ) -> RateReply:
        """Return the stablecoins received per unit of fiat."""
        sent, received = _named("fromCurrency", source), _named("toCurrency", destination)
        pair_rate = await rate_board.onramp(request.user, source=sent, destination=received)
        return _rate_reply(sent, received, pair_rate)

    @get("/offramps/rates", summary="Rate of an offramp", operation_id="offramps.retrieveRate")
    async def offramp(
        self,
        request: ApiRequest,
        rate_board: NamedDependency[RateBoard],
        source: From = None,
        destination: To = None,
    ) -> RateReply:
        """Return the fiat per stablecoin; `usd-hka`, `usd-chn` and `usd-sgp` are dollars abroad."""
        sent, received = _named("fromCurrency", source), _named("toCurrency", destination)
        pair_rate = await rate_board.offramp(request.user, source=sent, destination=received)
        return _rate_reply(sent, received, pair_rate)


def _named(name: str, value: str | None) -> str:
    if not value:
        raise FieldInvalid(f"{name} is required", field=name)
    return value


def _rate_reply(source: str, destination: str, pair_rate: PairRate) -> RateReply:
    rate = str(pair_rate.rate)
    return RateReply(
        from_currency=source,
        to_currency=destination,
        conversion_rate=rate,
        conversion_rates=[
            RailRateReply(transfer_type=rail, conversion_rate=rate) for rail in pair_rate.rails
        ],
    )
