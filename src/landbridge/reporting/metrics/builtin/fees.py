"""FEES: fees earned by the organisation."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from uuid import UUID

from landbridge.providers.rails.currencies import AT_BANK
from landbridge.reporting.metrics.builtin.amounts import (
    CHAINS,
    CURRENCIES,
    amount_name,
    amount_of,
    asset_of,
    code_on_any_chain,
    codes_of,
    dollars_of,
)
from landbridge.reporting.metrics.builtin.kinds import (
    CORRECTION,
    TYPES,
    kinds_of,
    type_dimension,
    type_of,
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

_FEES = "fees"
_TYPE, _CURRENCY, _CHAIN = "transactionType", "currency", "chain"

# Fees are summed across chains, so that there are fewer sums per day.
_CURRENCIES = {
    (kind, code): code_on_any_chain(code)
    for kind in kinds_of((*TYPES.values(), CORRECTION))
    for code in codes_of(None, None)
}


async def _read(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[MetricFact]:
    # Currencies are always broken down, so that different coins are not added up.
    by = ("a", "b") if _TYPE in query.breakdowns else ("b",)
    has_chains = _CHAIN in query.breakdowns
    sums = await sources.rollups.sums(
        org_id,
        RollupMeasure.FEE,
        (),
        query.span,
        by=by,
        only=_only(query),
        names={} if has_chains else _CURRENCIES,
    )
    facts: list[MetricFact] = []
    for each in sums:
        dims, name, scale = _place(each.a, each.b, has_chain=has_chains)
        facts.append(MetricFact(each.period, dims, {"count": each.count, name: each.units * scale}))
    return facts


def _only(query: MetricQuery) -> Mapping[str, Collection[str]]:
    filters = query.filters
    only: dict[str, Collection[str]] = {}
    if _TYPE in filters:
        only["a"] = kinds_of(filters[_TYPE])
    if _CURRENCY in filters or _CHAIN in filters:
        only["b"] = codes_of(filters.get(_CURRENCY), filters.get(_CHAIN))
    return only


@cache
def _place(kind: str, code: str, *, has_chain: bool) -> tuple[Dims, str, int]:
    asset = asset_of(code)
    chain = asset.chain if has_chain else ""
    return (type_of(kind), asset.currency, chain), *amount_name(_FEES, asset)


def _values(tally: Tally) -> Values:
    return {
        "feeCount": tally.get("count", 0),
        "feesUsd": dollars_of(_FEES, tally),
        "fees": amount_of(_FEES, tally),
    }


FEES = MetricTemplate(
    name="FEES",
    display_name="Fees Earned",
    description=(
        "Fees that were posted to the organisation's fees, less those given back, by the time of"
        " the posting. Amounts are null where several currencies would be added up: break them"
        " down. feesUsd counts dollars and dollar coins at par."
    ),
    dimensions=(
        type_dimension(CORRECTION),
        Dimension(
            name=_CURRENCY,
            param="currencies",
            options=CURRENCIES,
            description="Only fees in these currencies; all if left out.",
        ),
        Dimension(
            name=_CHAIN,
            param="chains",
            options=(*CHAINS, AT_BANK),
            description="Only fees on these chains, or in fiat (BANK); all if left out.",
        ),
    ),
    fields=("feeCount", "feesUsd", "fees"),
    read=_read,
    values=_values,
    is_by_day=True,
    defaults={},
)
