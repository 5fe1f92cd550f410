"""BALANCES: what there was at the end of each period."""

from collections.abc import Collection, Sequence
from functools import cache
from uuid import UUID

from landbridge.chains.tokens import NETWORK_TOKENS
from landbridge.ledger.model import Role
from landbridge.rails.currencies import AT_BANK
from landbridge.reporting.metrics.model import (
    Dimension,
    Dims,
    Fact,
    Question,
    Sources,
    Tally,
    Template,
    Values,
)
from landbridge.reporting.metrics.ours.amounts import (
    CURRENCIES,
    amount_name,
    amount_of,
    asset_of,
    codes_of,
    dollars_of,
)
from landbridge.reporting.rollups.model import Measure

# What is nobody's role: the sum of all wallets.
_CUSTOMERS = "customers"
_BALANCE = "balance"
_CURRENCY, _CHAIN, _HOLDER = "currency", "chain", "holder"


async def _read(sources: Sources, org_id: UUID, question: Question) -> Sequence[Fact]:
    # Currencies are told apart in any case, so that coins of two are not added up.
    by = ("a", "b") if _HOLDER in question.breakdowns else ("a",)
    filters = question.filters
    only: dict[str, Collection[str]] = {}
    if _CURRENCY in filters or _CHAIN in filters:
        only["a"] = codes_of(filters.get(_CURRENCY), filters.get(_CHAIN))
    if _HOLDER in filters:
        only["b"] = filters[_HOLDER]
    sums = await sources.rollups.sums(org_id, Measure.BALANCE, (), question.span, by=by, only=only)
    facts: list[Fact] = []
    for each in sums:
        dims, name, scale = _place(each.a, each.b)
        facts.append(Fact(each.period, dims, {name: each.units * scale}))
    return facts


@cache
def _place(code: str, holder: str) -> tuple[Dims, str, int]:
    asset = asset_of(code)
    return (asset.currency, asset.chain, holder), *amount_name(_BALANCE, asset)


def _values(tally: Tally) -> Values:
    return {
        "balanceUsd": dollars_of(_BALANCE, tally),
        "balance": amount_of(_BALANCE, tally),
    }


BALANCES = Template(
    name="BALANCES",
    display_name="Balances",
    description=(
        "Balances at the end of each period, held money included: of all customers together, or of"
        " the organisation's own accounts. The amount is null where several currencies would be"
        " added up: tell them apart. balanceUsd counts dollars and dollar coins at par."
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
            options=(_CUSTOMERS, *(str(role) for role in Role)),
            description="Only balances of these holders; the customers' if left out.",
        ),
    ),
    fields=("balanceUsd", "balance"),
    read=_read,
    values=_values,
    is_by_day=True,
    is_running=True,
    # Those of all holders add up to nothing: what one has another lacks.
    defaults={_HOLDER: (_CUSTOMERS,)},
)
