"""BALANCES: balances at the end of each period."""

from collections.abc import Collection, Sequence
from functools import cache
from uuid import UUID

from landbridge.ledger.model import HouseRole
from landbridge.providers.chains.tokens import NETWORK_TOKENS
from landbridge.providers.rails.currencies import AT_BANK
from landbridge.reporting.metrics.builtin.amounts import (
    CURRENCIES,
    amount_name,
    amount_of,
    asset_of,
    code_on_any_chain,
    codes_of,
    dollars_of,
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

# Holder for the sum of all users' wallets; other holders are roles of house accounts.
_CUSTOMERS = "customers"
_BALANCE = "balance"
# Without the role of gas, which is paid only in native coins.
_HOLDERS = (_CUSTOMERS, *(str(role) for role in HouseRole if role is not HouseRole.GAS))
_CURRENCY, _CHAIN, _HOLDER = "currency", "chain", "holder"


async def _read(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[MetricFact]:
    filters = query.filters
    # The filter excludes native coins, in which gas is paid: metrics do not have them.
    only: dict[str, Collection[str]] = {
        "a": codes_of(filters.get(_CURRENCY), filters.get(_CHAIN)),
    }
    if _HOLDER in filters:
        only["b"] = filters[_HOLDER]
    # Currencies are always broken down, so that different coins are not added up.
    has_holders, has_chains = (name in query.breakdowns for name in (_HOLDER, _CHAIN))
    are_named = not has_holders and not has_chains
    by = ("b",) if are_named else ("a", "b") if has_holders else ("a",)
    names: dict[tuple[str, str], str] = {}
    if are_named:
        # Balances are summed across chains, so that there are fewer sums per day.
        for holder in only.get("b", _HOLDERS):
            names |= {(code, holder): code_on_any_chain(code) for code in only["a"]}
    sums = await sources.rollups.sums(
        org_id, RollupMeasure.BALANCE, (), query.span, by=by, only=only, names=names
    )
    facts: list[MetricFact] = []
    for each in sums:
        code, holder = (each.b, "") if are_named else (each.a, each.b)
        dims, name, scale = _place(code, holder, has_chain=has_chains)
        facts.append(MetricFact(each.period, dims, {name: each.units * scale}))
    return facts


@cache
def _place(code: str, holder: str, *, has_chain: bool) -> tuple[Dims, str, int]:
    asset = asset_of(code)
    chain = asset.chain if has_chain else ""
    return (asset.currency, chain, holder), *amount_name(_BALANCE, asset)


def _values(tally: Tally) -> Values:
    return {
        "balanceUsd": dollars_of(_BALANCE, tally),
        "balance": amount_of(_BALANCE, tally),
    }


BALANCES = MetricTemplate(
    name="BALANCES",
    display_name="Balances",
    description=(
        "Balances at the end of each period, held money included: of all customers together, or of"
        " the organisation's own accounts. The amount is null where several currencies would be"
        " added up: break them down. balanceUsd counts dollars and dollar coins at par."
    ),
    dimensions=(
        Dimension(
            name=_CURRENCY,
            param="currencies",
            options=CURRENCIES,
            description="Only balances in these currencies; all if left out.",
        ),
        Dimension(
            name=_CHAIN,
            param="chains",
            options=(*dict.fromkeys(str(network) for network, _ in NETWORK_TOKENS), AT_BANK),
            description="Only balances on these chains, or at banks (BANK); all if left out.",
        ),
        Dimension(
            name=_HOLDER,
            param="holders",
            options=_HOLDERS,
            description="Only balances of these holders; the customers' if left out.",
        ),
    ),
    fields=("balanceUsd", "balance"),
    read=_read,
    values=_values,
    is_by_day=True,
    is_running=True,
    # A default holder, because the balances of all holders add up to zero by double entry.
    defaults={_HOLDER: (_CUSTOMERS,)},
)
