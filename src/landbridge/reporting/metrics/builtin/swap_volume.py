"""SWAP_VOLUME: swapped amounts by currency pair."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import permutations
from uuid import UUID

from landbridge.platform.core.money import units_as_decimal
from landbridge.providers.chains.tokens import ASSETS
from landbridge.reporting.metrics.builtin.amounts import (
    CHAINS,
    STABLECOINS,
    amount_name,
    amount_of,
    asset_of,
    code_on_any_chain,
    codes_of,
)
from landbridge.reporting.metrics.model import (
    Dimension,
    Dims,
    MetricFact,
    MetricQuery,
    MetricSources,
    MetricTemplate,
    Tally,
    Values,
)
from landbridge.reporting.rollups.model import RollupMeasure

_SOURCE, _DESTINATION = "source", "destination"
_CENTS_DECIMALS = 2
_FROM, _INTO, _CHAIN = "sourceCurrency", "destinationCurrency", "chain"


# Pairs are summed across chains, so that there are fewer sums per day.
_PAIRS = {
    (code, other_code): f"{code_on_any_chain(code)} {code_on_any_chain(other_code)}"
    for (code, asset), (other_code, other) in permutations(ASSETS.items(), 2)
    if asset.chain == other.chain
}


async def _read(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[MetricFact]:
    # Both sides are always broken down, so that coins of two currencies are not added up.
    has_chains = _CHAIN in query.breakdowns
    sums = await sources.rollups.sums(
        org_id,
        RollupMeasure.SWAP,
        (),
        query.span,
        by=("a", "b") if has_chains else ("b",),
        only=_only(query),
        names={} if has_chains else _PAIRS,
    )
    facts: list[MetricFact] = []
    for each in sums:
        dims, source, scale, destination, other_scale = _place(each.a, each.b)
        tally: Tally = {
            "count": each.count,
            "cents": each.usd_cents,
            source: each.units * scale,
            destination: each.other_units * other_scale,
        }
        facts.append(MetricFact(each.period, dims, tally))
    return facts


def _only(query: MetricQuery) -> Mapping[str, Collection[str]]:
    filters = query.filters
    chains = filters.get(_CHAIN)
    only: dict[str, Collection[str]] = {}
    if _FROM in filters or chains is not None:
        only["a"] = codes_of(filters.get(_FROM), chains)
    if _INTO in filters:
        only["b"] = codes_of(filters[_INTO], chains)
    return only


@cache
def _place(a: str, b: str) -> tuple[Dims, str, int, str, int]:
    # Without a breakdown by chain, the sum's key is the name of the pair, with both currencies.
    source_code, destination_code = (a, b) if a else b.split()
    source, destination = asset_of(source_code), asset_of(destination_code)
    return (
        (source.currency, destination.currency, source.chain if a else ""),
        *amount_name(_SOURCE, source),
        *amount_name(_DESTINATION, destination),
    )


def _values(tally: Tally) -> Values:
    return {
        "swapCount": tally.get("count", 0),
        "volumeUsd": units_as_decimal(tally.get("cents", 0), _CENTS_DECIMALS),
        "sourceAmount": amount_of(_SOURCE, tally),
        "destinationAmount": amount_of(_DESTINATION, tally),
    }


SWAP_VOLUME = MetricTemplate(
    name="SWAP_VOLUME",
    display_name="Swap Volume",
    description=(
        "Completed swaps by the pair of their currencies, by the time they were created. Amounts"
        " are null where coins of several currencies would be added up: break them down."
    ),
    dimensions=(
        Dimension(
            name=_FROM,
            param="sourceCurrencies",
            options=STABLECOINS,
            description="Only swaps out of these currencies; all if left out.",
        ),
        Dimension(
            name=_INTO,
            param="destinationCurrencies",
            options=STABLECOINS,
            description="Only swaps into these currencies; all if left out.",
        ),
        Dimension(
            name=_CHAIN,
            param="chains",
            options=CHAINS,
            description="Only swaps on these chains; all if left out.",
        ),
    ),
    fields=("swapCount", "volumeUsd", "sourceAmount", "destinationAmount"),
    read=_read,
    values=_values,
    is_by_day=True,
    defaults={},
)
