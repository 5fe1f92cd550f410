"""Fees of the organisation by currency pair, and the sources of its prices."""

from decimal import Decimal

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.dashboard.organisation.installation import Installation
from landbridge.dashboard.organisation.swap_providers import provider_rows
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.payment_lines import currency_name
from landbridge.payments.quotes.pairs import DESTINATION_CODES, SOURCE_CODES
from landbridge.payments.swaps.provider_choices import SwapProviderChoices
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Refused
from landbridge.platform.core.money import Rate
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.providers.rates.fees import PERCENT_MAX, CurrencyPair, PairFees, as_percent
from landbridge.providers.rates.price_table import PriceTable

_HOME, _PAGE = "/dashboard/settings/fees", "organisation/fees.html"


class FeePages(Controller):
    """`/dashboard/settings/fees`."""

    path = "/settings/fees"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        *,
        pair_fees: NamedDependency[PairFees],
        prices: NamedDependency[PriceTable],
        installation: NamedDependency[Installation],
        swap_provider_choices: NamedDependency[SwapProviderChoices],
    ) -> Response[str]:
        """Show pair fees, who swaps, fixed prices and the sources of all other prices."""
        caller = request.user.caller
        check_admin(caller)
        values = await _values(caller, pair_fees, prices, swap_provider_choices, Form())
        return request.page(_PAGE, lines=installation.pricing, **values)

    @post("/", fresh=_HOME)
    async def set_fee(
        self,
        request: PageRequest,
        *,
        pair_fees: NamedDependency[PairFees],
        prices: NamedDependency[PriceTable],
        installation: NamedDependency[Installation],
        swap_provider_choices: NamedDependency[SwapProviderChoices],
        clock: NamedDependency[Clock],
    ) -> Page:
        """Set a pair fee for new quotes."""
        caller = request.user.caller
        check_admin(caller)
        form = Form()
        try:
            form = await read_form(request)
            at = clock.stamp(caller.clock_offset)
            await pair_fees.set_for(caller, _currency_pair(form), form.number("fee"), at=at)
        except Refused as problem:
            values = await _values(caller, pair_fees, prices, swap_provider_choices, form)
            return request.with_problem(_PAGE, problem, lines=installation.pricing, **values)
        return redirect(_HOME, notice=_("Fee set. It applies to new quotes."))

    @post("/remove", fresh=_HOME)
    async def remove_fee(
        self,
        request: PageRequest,
        pair_fees: NamedDependency[PairFees],
        clock: NamedDependency[Clock],
    ) -> Page:
        """Remove a pair fee; the price's own fee applies again."""
        caller, form = request.user.caller, await read_form(request)
        await pair_fees.remove_for(
            caller, _currency_pair(form), at=clock.stamp(caller.clock_offset)
        )
        return redirect(_HOME, notice=_("Fee removed. The price's own fee applies again."))


def _currency_pair(form: Form) -> CurrencyPair:
    return CurrencyPair(form.text("source"), form.text("destination"))


async def _values(
    caller: Caller, fees: PairFees, prices: PriceTable, choices: SwapProviderChoices, form: Form
) -> dict[str, object]:
    """Return the current fees, prices and providers, and the submitted form values, if any."""
    policy = await choices.get(caller.org_id)
    return {
        "swap_providers": provider_rows(policy, choices.pairs),
        "providers_version": policy.version,
        "fees": await fees.all(caller.org_id),
        "prices": [
            (row, Decimal(str(Rate(row["rate"]))), as_percent(row["fee_fraction"]))
            for row in await prices.prices(caller.org_id)
        ],
        "sent": [(each, currency_name(each)) for each in SOURCE_CODES],
        "received": [(each, currency_name(each)) for each in DESTINATION_CODES],
        "percent_max": PERCENT_MAX,
        "form_values": {name: form.text(name) for name in ("source", "destination", "fee")},
    }
