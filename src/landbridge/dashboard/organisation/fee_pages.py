"""Fees of the organisation by currency pair, sources of its prices, and swap providers."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.dashboard.organisation.installation import Installation
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.payment_lines import currency_name
from landbridge.payments.quotes.pairs import DESTINATION_CODES, SOURCE_CODES
from landbridge.payments.swaps.provider_choices import (
    SwapProviderChoice,
    SwapProviderChoices,
    SwapProviderPolicy,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.core.money import Rate
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.providers.chains.markets import MarketPair, SwapProvider
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


_VERSION_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class SwapProviderRow:
    """A pair of coins on a chain, its configured provider, and the one that is chosen, if any."""

    chain: str
    source: str
    destination: str
    configured: SwapProvider
    is_comparable: bool
    has_market: bool
    chosen: str

    @property
    def name(self) -> str:
        """Return the name of the row's input."""
        return f"{self.chain}-{self.source}-{self.destination}"


class SwapProviderPages(Controller):
    """`/dashboard/settings/swap-providers`."""

    path = "/settings/swap-providers"

    @post("/", fresh=_HOME)
    async def set_providers(
        self, request: PageRequest, swap_provider_choices: NamedDependency[SwapProviderChoices]
    ) -> Page:
        """Replace the choices that the form showed."""
        caller = request.user.caller
        check_admin(caller)
        form = await read_form(request)
        policy = await swap_provider_choices.get(caller.org_id)
        rows = provider_rows(policy, swap_provider_choices.pairs)
        chosen = [(each, form.text(each.name)) for each in rows]
        await swap_provider_choices.set_for(
            caller,
            [
                SwapProviderChoice(each.chain, each.source, each.destination, _of(text))
                for each, text in chosen
                if text
            ],
            instead_of=form.integer("version", minimum=0, maximum=_VERSION_MAX),
        )
        return redirect(_HOME, notice=_("Swap providers set. They apply to new quotes."))


def provider_rows(policy: SwapProviderPolicy, pairs: Iterable[MarketPair]) -> list[SwapProviderRow]:
    """Return the pairs that have a market or a choice, with both."""
    chosen = {each.pair: each.provider for each in policy.choices}
    markets = {each.pair: each for each in pairs}
    return [
        SwapProviderRow(
            *pair,
            configured=markets[pair].provider if pair in markets else SwapProvider.TREASURY,
            is_comparable=pair in markets and markets[pair].is_comparable,
            has_market=pair in markets,
            chosen=chosen.get(pair, ""),
        )
        for pair in sorted(chosen.keys() | markets.keys())
    ]


def _of(text: str) -> SwapProvider:
    try:
        return SwapProvider(text)
    except ValueError as error:
        raise FieldInvalid("provider is TREASURY, MARKET or BEST", field="provider") from error
