"""Routes of rates: /v2/onramps/rates and /v2/offramps/rates.

Source: interface/onramp and interface/offramp (rates).
"""

from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from landbridge.core.errors import FieldInvalid
from landbridge.quotes.board import Line, RateBoard
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import WireStruct

From = Annotated[
    str | None, QueryParameter(name="fromCurrency", description="Currency that is sent.")
]
To = Annotated[
    str | None, QueryParameter(name="toCurrency", description="Currency that is received.")
]


class RailRateReply(WireStruct, frozen=True):
    """The rate on one rail."""

    transfer_type: str
    conversion_rate: str


class RateReply(WireStruct, frozen=True):
    """The present rate: units received per unit sent, as a decimal string."""

    from_currency: str
    to_currency: str
    conversion_rate: str
    conversion_rates: list[RailRateReply]


class RateRoutes(Controller):
    """What money is changed at now."""

    path = "/v2"
    tags = ("Rates",)

    @get("/onramps/rates", summary="Rate of an onramp")
    async def onramp(
        self,
        request: ApiRequest,
        rate_board: NamedDependency[RateBoard],
        source: From = None,
        destination: To = None,
    ) -> RateReply:
        """What a unit of fiat buys of a stablecoin."""
        sent, received = _named("fromCurrency", source), _named("toCurrency", destination)
        line = await rate_board.onramp(request.user, source=sent, destination=received)
        return _shape(sent, received, line)

    @get("/offramps/rates", summary="Rate of an offramp")
    async def offramp(
        self,
        request: ApiRequest,
        rate_board: NamedDependency[RateBoard],
        source: From = None,
        destination: To = None,
    ) -> RateReply:
        """What a stablecoin buys of fiat; `usd-hka`, `usd-chn` and `usd-sgp` are dollars abroad."""
        sent, received = _named("fromCurrency", source), _named("toCurrency", destination)
        line = await rate_board.offramp(request.user, source=sent, destination=received)
        return _shape(sent, received, line)


def _named(name: str, value: str | None) -> str:
    if not value:
        raise FieldInvalid(f"{name} is required", field=name)
    return value


def _shape(source: str, destination: str, line: Line) -> RateReply:
    rate = str(line.rate)
    return RateReply(
        from_currency=source,
        to_currency=destination,
        conversion_rate=rate,
        conversion_rates=[
            RailRateReply(transfer_type=rail, conversion_rate=rate) for rail in line.rails
        ],
    )
