"""Who swaps each pair that has a market: rows of the fee page, and the form that sets them."""

from collections.abc import Iterable
from dataclasses import dataclass

from litestar import Controller, post
from litestar.di import NamedDependency

from landbridge.dashboard.page_request import Page, PageRequest, read_form, redirect
from landbridge.payments.swaps.provider_choice_model import SwapProviderChoice, SwapProviderPolicy
from landbridge.payments.swaps.provider_choices import SwapProviderChoices
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import check_admin
from landbridge.providers.chains.markets import MarketPair, SwapProvider

_HOME = "/dashboard/settings/fees"
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
