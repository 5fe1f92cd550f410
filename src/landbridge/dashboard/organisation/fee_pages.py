"""What the organisation keeps of what is sent, pair by pair; and what its prices come from."""

from decimal import Decimal
from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.core.clock import Clock
from landbridge.core.errors import Refused
from landbridge.core.money import Rate
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.organisation.installation import Installation
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.quotes.pairs import RECEIVED, SENT
from landbridge.rates.fees import PERCENT_MAX, Fees, Way, as_percent
from landbridge.rates.table import PriceTable
from landbridge.web.caller import Caller, check_admin

_HOME, _PAGE = "/dashboard/settings/fees", "organisation/fees.html"


class FeePages(Controller):
    """`/dashboard/settings/fees`."""

    path = "/settings/fees"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        fees: NamedDependency[Fees],
        prices: NamedDependency[PriceTable],
        installation: NamedDependency[Installation],
    ) -> Response[str]:
        """The fees that hold, the prices that were set, and where all others come from."""
        caller = request.user.caller
        check_admin(caller)
        values = await _values(caller, fees, prices, Form())
        return renderer.page(request, _PAGE, lines=installation.pricing, **values)

    @post("/", fresh=_HOME)
    async def set_fee(
        self,
        request: PageRequest,
        *,
        renderer: NamedDependency[Renderer],
        fees: NamedDependency[Fees],
        prices: NamedDependency[PriceTable],
        installation: NamedDependency[Installation],
        clock: NamedDependency[Clock],
    ) -> Page:
        """For quotes from now on."""
        caller = request.user.caller
        check_admin(caller)
        form = Form()
        try:
            form = await read_form(request)
            at = clock.stamp(caller.clock_offset)
            await fees.set_for(caller, _way(form), form.text("fee"), at=at)
        except Refused as problem:
            values = await _values(caller, fees, prices, form)
            return renderer.again(request, _PAGE, problem, lines=installation.pricing, **values)
        return go(_HOME, said=_("The fee counts for quotes from now on."))

    @post("/remove", fresh=_HOME)
    async def remove_fee(
        self,
        request: PageRequest,
        fees: NamedDependency[Fees],
        clock: NamedDependency[Clock],
    ) -> Page:
        """The fee that comes with the price counts again."""
        caller, form = request.user.caller, await read_form(request)
        await fees.remove_for(caller, _way(form), at=clock.stamp(caller.clock_offset))
        return go(_HOME, said=_("The fee that comes with the price counts again."))


def _way(form: Form) -> Way:
    return Way(form.text("source"), form.text("destination"))


async def _values(caller: Caller, fees: Fees, prices: PriceTable, form: Form) -> dict[str, Any]:
    """What holds, and what was typed instead, if anything was."""
    return {
        "fees": await fees.all(caller.org_id),
        "prices": [
            (row, Decimal(str(Rate(row["rate"]))), as_percent(row["fee_fraction"]))
            for row in await prices.prices(caller.org_id)
        ],
        "sent": [(each, each) for each in SENT],
        "received": [(each, each) for each in RECEIVED],
        "percent_max": PERCENT_MAX,
        "typed": {name: form.text(name) for name in ("source", "destination", "fee")},
    }
