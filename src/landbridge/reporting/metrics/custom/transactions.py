"""Reads transactions for one operand of a definition, from the roll-ups or from the records.

The roll-ups have types, statuses and users. An operand that needs only these is read from them; an
amount, however, only for completed transactions. Everything else is read from the records through
an index, within the limits of `bounds.py`.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from uuid import UUID

from landbridge.reporting.metrics.builtin.kinds import COMPLETED, FAILED, OUTCOME_OF, TYPES
from landbridge.reporting.metrics.custom import bounds, record_store
from landbridge.reporting.metrics.custom.definition import (
    AmountRange,
    Function,
    Measure,
    Operand,
    Quantity,
    TemplateSubject,
)
from landbridge.reporting.metrics.custom.dimensions import (
    CHAIN,
    COUNTRY,
    COUNTRY_OF,
    CURRENCY,
    DESTINATION,
    DIMENSIONS,
    FEE_PAYER,
    INITIATED_BY,
    NONE,
    OUTCOME,
    RAIL,
    STATUS,
    TYPE,
    USER,
    USER_TYPE,
)
from landbridge.reporting.metrics.custom.record_store import Amounts, RecordGroup, RecordRead
from landbridge.reporting.metrics.custom.tallies import WITHOUT, amount_key, key, usd_key
from landbridge.reporting.metrics.model import Dims, MetricFact, MetricQuery, MetricSources, Tally
from landbridge.reporting.metrics.user_options import users_within_limit
from landbridge.reporting.rollups.model import RollupMeasure, RollupSum

_NAMES = tuple(each.name for each in DIMENSIONS[TemplateSubject.TRANSACTIONS])
_ROLLED_UP = frozenset({TYPE.name, STATUS.name, OUTCOME.name, USER.name})
_TIMED = frozenset({TYPE.name})
_COMPLETED = "COMPLETED"
# Columns of the records that determine each dimension.
_GROUPS: Mapping[str, frozenset[str]] = {
    TYPE.name: frozenset({"kind"}),
    STATUS.name: frozenset({"status"}),
    OUTCOME.name: frozenset({"kind", "status"}),
    CURRENCY.name: frozenset({"source_asset"}),
    DESTINATION.name: frozenset({"destination_asset"}),
    CHAIN.name: frozenset({"source_asset", "destination_asset"}),
    COUNTRY.name: frozenset({"bank"}),
    RAIL.name: frozenset({"rail"}),
    USER_TYPE.name: frozenset({"user_type"}),
    USER.name: frozenset({"user_id"}),
    INITIATED_BY.name: frozenset({"initiated_by"}),
    FEE_PAYER.name: frozenset({"fee_payer"}),
}
_SHARES = frozenset({Function.SUCCESS_SHARE, Function.FAILURE_SHARE})
_TIMES = frozenset({Function.MEDIAN, Function.P95})
_AMOUNTS = frozenset({Function.SUM, Function.AVERAGE})


async def read_transactions(
    sources: MetricSources, org_id: UUID, query: MetricQuery, at: int, operand: Operand
) -> list[MetricFact]:
    """Return the facts of an operand with index `at`; `query.filters` include its own filters."""
    amounts = operand.filters.amount_usd
    needed = {*query.breakdowns, *query.filters}
    kinds = _kinds(query.filters)
    if amounts is None and _is_rolled_up(operand, needed, query.filters):
        if operand.function in _TIMES:
            return await _times(sources, org_id, query, at, kinds)
        return await _sums(sources, org_id, query, at, kinds)
    # The two operands of a ratio or a difference share the limits.
    parts = 1 if isinstance(operand, Measure) else 2
    sums = await sources.rollups.sums(org_id, RollupMeasure.STATE, kinds, query.span, by=())
    bounds.check_records(
        sum(each.count for each in sums), of="transactions", most=bounds.RECORDS_MAX // parts
    )
    read = RecordRead(
        kinds=kinds,
        groups=_groups(operand, needed),
        has_units=operand.of is Quantity.AMOUNT,
        has_fees=operand.of in {Quantity.FEES, Quantity.FEES_USD},
        has_durations=operand.function in _TIMES,
        user_ids=_users(query.filters),
        cents_min=_cents(amounts and amounts.minimum),
        cents_max=_cents(amounts and amounts.maximum),
    )
    limit = bounds.GROUPS_MAX + 1
    groups = await bounds.in_time(
        sources,
        lambda tx: record_store.transactions(tx, org_id, read, query.span, limit=limit),
        parts=parts,
    )
    bounds.check_groups(len(groups))

    def facts() -> list[MetricFact]:
        return [
            MetricFact(each.period, dims, _tally(at, operand, each))
            for each, dims in _matching(groups, needed, query.filters)
        ]

    return await asyncio.to_thread(facts)


async def users_with_facts(
    sources: MetricSources, org_id: UUID, query: MetricQuery, operand: Operand
) -> Sequence[UUID] | None:
    """Return the users with facts of an operand; None if they are only known from the facts."""
    filters = query.filters
    if (
        operand.filters.amount_usd is not None
        or OUTCOME.name in filters
        or not _is_rolled_up(operand, {*query.breakdowns, *filters}, filters)
    ):
        return None
    statuses = filters.get(STATUS.name)
    return await users_within_limit(sources, org_id, query, _kinds(filters), statuses)


def _is_rolled_up(
    operand: Operand, needed: Collection[str], filters: Mapping[str, tuple[str, ...]]
) -> bool:
    """Return whether the roll-ups have the needed dimensions and the operand's number."""
    if not set(needed) <= (_TIMED if operand.function in _TIMES else _ROLLED_UP):
        return False
    if operand.function in _TIMES:
        return True
    if operand.function is Function.COUNT or operand.function in _SHARES:
        return True
    # The roll-ups have the USD value of completed transactions only.
    is_completed = filters.get(STATUS.name) == (_COMPLETED,) or filters.get(OUTCOME.name) == (
        COMPLETED,
    )
    return operand.function in _AMOUNTS and operand.of is Quantity.AMOUNT_USD and is_completed


async def _sums(
    sources: MetricSources, org_id: UUID, query: MetricQuery, at: int, kinds: Sequence[str]
) -> list[MetricFact]:
    users = _users(query.filters)
    if users is None and USER.name in query.breakdowns:
        users = await sources.users.ids(org_id)
    if users is None:
        sums = await sources.rollups.sums(
            org_id, RollupMeasure.STATE, kinds, query.span, by=("a", "b")
        )
    else:
        sums = await sources.rollups.sums_of_users(
            org_id, users, kinds, query.span, by=("user", "a", "b")
        )
    facts: list[MetricFact] = []
    for each in sums:
        values = _rolled_up_values(each)
        if is_match(values, query.filters):
            tally: Tally = {
                key(at, "count"): each.count,
                key(at, values[OUTCOME.name]): each.count,
                usd_key(at, "sum"): each.usd_cents * 10_000,
            }
            facts.append(MetricFact(each.period, _dims(values, query.breakdowns), tally))
    return facts


def _rolled_up_values(each: RollupSum) -> dict[str, str]:
    return {
        TYPE.name: TYPES[each.a],
        STATUS.name: each.b,
        OUTCOME.name: OUTCOME_OF.get((each.a, each.b), "unfinished"),
        USER.name: str(each.user_id or ""),
    }


async def _times(
    sources: MetricSources, org_id: UUID, query: MetricQuery, at: int, kinds: Sequence[str]
) -> list[MetricFact]:
    found = await sources.rollups.durations(org_id, RollupMeasure.TIME, query.span, kinds)
    return [
        MetricFact(
            each.period,
            _dims({TYPE.name: TYPES[each.a]}, query.breakdowns),
            {key(at, f"ms.{ms}"): times for ms, times in each.counts.items()},
        )
        for each in found
        if each.counts
    ]


def _groups(operand: Operand, needed: Collection[str]) -> frozenset[str]:
    groups = {group for name in needed for group in _GROUPS[name]}
    if operand.function in _SHARES:
        groups |= {"kind", "status"}
    if operand.function is Function.DISTINCT_USERS:
        groups.add("user_id")
    if operand.of is Quantity.AMOUNT:
        groups.add("source_asset")
    return frozenset(groups)


def _matching(
    groups: Sequence[RecordGroup], needed: Collection[str], filters: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[RecordGroup, Dims]]:
    for each in groups:
        values = {name: value_of(name, each.values) for name in needed}
        if is_match(values, filters):
            yield each, _dims(values, needed)


def value_of(name: str, group: Mapping[str, str]) -> str:
    """Return the value of a dimension, from the columns of a group or record."""
    if name == TYPE.name:
        return TYPES[group["kind"]]
    if name == OUTCOME.name:
        return OUTCOME_OF.get((group["kind"], group["status"]), "unfinished")
    if name == COUNTRY.name:
        return COUNTRY_OF[group["bank"]]
    if name in {CURRENCY.name, DESTINATION.name}:
        asset = "source_asset" if name == CURRENCY.name else "destination_asset"
        return group[asset].partition(":")[0]
    if name == CHAIN.name:
        return _chain(group["source_asset"], group["destination_asset"])
    (column,) = _GROUPS[name]
    return group[column]


def _chain(*assets: str) -> str:
    """Return the chain of the source coins or, for an onramp, of the destination coins."""
    chains = [each.partition(":")[2] for each in assets]
    return next((each for each in chains if each != "BANK"), NONE)


def _dims(values: Mapping[str, str], names: Collection[str]) -> Dims:
    return tuple(values.get(name, "") if name in names else "" for name in _NAMES)


def is_match(values: Mapping[str, str], filters: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether the values pass the filters."""
    return all(values.get(name) in allowed for name, allowed in filters.items())


def _tally(at: int, operand: Operand, each: RecordGroup) -> Tally:
    tally: dict[str | int, int] = {key(at, "count"): each.count}
    if operand.function in _SHARES:
        outcome = OUTCOME_OF.get((each.values["kind"], each.values["status"]))
        if outcome in {COMPLETED, FAILED}:
            tally[key(at, str(outcome))] = each.count
    elif operand.function is Function.DISTINCT_USERS:
        tally[key(at, f"user.{each.values['user_id']}")] = each.count
    elif operand.function in _TIMES:
        if each.duration >= 0:
            tally[key(at, f"ms.{each.duration}")] = each.count
    else:
        _add_quantity(tally, at, operand, each)
    return tally


def _add_quantity(
    tally: dict[str | int, int], at: int, operand: Operand, each: RecordGroup
) -> None:
    if operand.of is Quantity.AMOUNT_USD:
        _add_usd(tally, at, each.worth_cents, 10_000)
    elif operand.of is Quantity.AMOUNT:
        _add_amounts(tally, at, each.units, each.values["source_asset"])
    elif operand.of is Quantity.FEES:
        if each.fee_asset:
            _add_amounts(tally, at, each.fees, each.fee_asset)
        else:
            tally[key(at, WITHOUT)] = each.count
    elif operand.of is Quantity.FEES_USD:
        _add_usd(tally, at, *_fees_usd(each))


def _fees_usd(each: RecordGroup) -> tuple[Amounts, int]:
    """Return fees in dollars, with stablecoins at par; other currencies count as zero."""
    currency, _, chain = each.fee_asset.partition(":")
    if not currency or (chain == "BANK" and currency != "usd"):
        return Amounts(0, 0, 0), 1
    _, scale = amount_key(0, "sum", each.fee_asset)
    return each.fees, scale


def _add_usd(tally: dict[str | int, int], at: int, amounts: Amounts, scale: int) -> None:
    for name, units in zip(("sum", "least", "greatest"), amounts, strict=True):
        tally[usd_key(at, name)] = units * scale


def _add_amounts(tally: dict[str | int, int], at: int, amounts: Amounts, asset: str) -> None:
    for name, units in zip(("sum", "least", "greatest"), amounts, strict=True):
        side, scale = amount_key(at, name, asset)
        tally[side] = units * scale


def _kinds(filters: Mapping[str, tuple[str, ...]]) -> list[str]:
    types = filters.get(TYPE.name)
    return [kind for kind, name in TYPES.items() if types is None or name in types]


def _users(filters: Mapping[str, tuple[str, ...]]) -> list[UUID] | None:
    users = filters.get(USER.name)
    return None if users is None else [UUID(each) for each in users]


def _cents(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text) * 100


def range_of(*ranges: AmountRange | None) -> AmountRange | None:
    """Return the intersection of ranges; None if there is none."""
    known = [each for each in ranges if each is not None]
    if not known:
        return None
    least = [Decimal(each.minimum) for each in known if each.minimum is not None]
    most = [Decimal(each.maximum) for each in known if each.maximum is not None]
    return AmountRange(
        minimum=str(max(least)) if least else None, maximum=str(min(most)) if most else None
    )
