"""Routes of the providers of swaps: /v2/organization/swap-providers. Ours."""

from typing import Any

from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody

from landbridge.payments.swaps.provider_choices import (
    SwapProviderChoice,
    SwapProviderChoices,
    SwapProviderPolicy,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.responses import WireStruct
from landbridge.providers.chains.markets import MarketPair, SwapProvider
from landbridge.providers.chains.tokens import TOKENS, Chain


class SwapProviderChoiceData(WireStruct, frozen=True):
    """Pair of a chain in one direction, and who swaps it.

    `TREASURY` is the organisation's own coins, `MARKET` a pool of the chain, `BEST` the better
    quote of both after gas.
    """

    chain: Chain
    source_currency: str
    destination_currency: str
    provider: SwapProvider


class SwapProvidersRequest(WireStruct, frozen=True):
    """Choices of the organisation, all of them; the chains file decides for other pairs."""

    choices: list[SwapProviderChoiceData]


class SwapProvidersData(WireStruct, frozen=True):
    """Choices in force, and the pairs that have a market with their provider in the chains file.

    `version` is 0 if nothing was ever chosen.
    """

    choices: list[SwapProviderChoiceData]
    pairs: list[SwapProviderChoiceData]
    version: int


class SwapProvidersReply(WireStruct, frozen=True):
    """Who swaps the pairs of an organisation."""

    status: str
    data: SwapProvidersData
    metadata: dict[str, Any]


class SwapProviderRoutes(Controller):
    """Who swaps the pairs of an organisation."""

    path = "/v2/organization/swap-providers"
    tags = ("Swaps",)

    @get(summary="Retrieve the providers of swaps", operation_id="swapProviders.retrieve")
    async def retrieve(
        self, request: ApiRequest, swap_provider_choices: NamedDependency[SwapProviderChoices]
    ) -> SwapProvidersReply:
        """Return the organisation's choices, and the pairs that have a market."""
        found = await swap_provider_choices.get(request.user.org_id)
        return _reply(found, swap_provider_choices)

    @put(summary="Choose the providers of swaps", operation_id="swapProviders.replace")
    async def set(
        self,
        request: ApiRequest,
        data: JSONBody[SwapProvidersRequest],
        swap_provider_choices: NamedDependency[SwapProviderChoices],
    ) -> SwapProvidersReply:
        """Replace the choices; they apply to new quotes."""
        wanted = [_choice(at, each) for at, each in enumerate(data.choices)]
        found = await swap_provider_choices.set_for(request.user, wanted)
        return _reply(found, swap_provider_choices)


def _choice(at: int, data: SwapProviderChoiceData) -> SwapProviderChoice:
    source, destination = data.source_currency, data.destination_currency
    if source == destination or not {(data.chain, source), (data.chain, destination)} <= {*TOKENS}:
        raise FieldInvalid(
            f"choices[{at}]: {data.chain} does not swap {source} to {destination}",
            field=f"choices[{at}]",
        )
    return SwapProviderChoice(data.chain, source, destination, data.provider)


def _reply(policy: SwapProviderPolicy, choices: SwapProviderChoices) -> SwapProvidersReply:
    return SwapProvidersReply(
        status="success",
        data=SwapProvidersData(
            choices=[_data(each) for each in policy.choices],
            pairs=[_data(each) for each in choices.pairs],
            version=policy.version,
        ),
        metadata={},
    )


def _data(found: SwapProviderChoice | MarketPair) -> SwapProviderChoiceData:
    return SwapProviderChoiceData(
        chain=Chain(found.chain),
        source_currency=found.source,
        destination_currency=found.destination,
        provider=found.provider,
    )
