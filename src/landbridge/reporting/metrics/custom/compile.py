"""Compiles a definition to a `MetricTemplate`, which works everywhere a template works."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import msgspec

from landbridge.platform.db.pool import Tx
from landbridge.reporting.metrics.custom import record_store
from landbridge.reporting.metrics.custom.definition import (
    AmountRange,
    Function,
    Operand,
    TemplateDefinition,
    TemplateSubject,
    operands,
)
from landbridge.reporting.metrics.custom.dimensions import DIMENSIONS, fixed_values
from landbridge.reporting.metrics.custom.other_subjects import (
    read_approvals,
    read_balances,
    read_deliveries,
    read_users,
)
from landbridge.reporting.metrics.custom.tallies import VALUE, merge, values_of
from landbridge.reporting.metrics.custom.transactions import (
    is_match,
    range_of,
    read_transactions,
    users_with_facts,
    value_of,
)
from landbridge.reporting.metrics.model import (
    Dimension,
    Match,
    MetricFact,
    MetricQuery,
    MetricSources,
    MetricTemplate,
    ReadUsers,
)

_ReadOperand = Callable[
    [MetricSources, UUID, MetricQuery, int, Operand], Awaitable[list[MetricFact]]
]
_READS: Mapping[TemplateSubject, _ReadOperand] = {
    TemplateSubject.TRANSACTIONS: read_transactions,
    TemplateSubject.USERS: read_users,
    TemplateSubject.APPROVALS: read_approvals,
    TemplateSubject.DELIVERIES: read_deliveries,
    TemplateSubject.BALANCES: read_balances,
}
# Subjects without hourly roll-ups: their ranges must be whole days.
_BY_DAY = frozenset(
    {TemplateSubject.APPROVALS, TemplateSubject.DELIVERIES, TemplateSubject.BALANCES}
)
_TIMES = frozenset({Function.MEDIAN, Function.P95})
_HOLDER, _CUSTOMERS = "holder", "customers"


def compile_template(
    definition: TemplateDefinition,
    *,
    name: str,
    version: int | None,
    display_name: str,
    description: str,
) -> MetricTemplate:
    """Return the template of a definition that passed all checks."""
    fixed = fixed_values(definition.subject, definition.filters)
    parts = operands(definition.measure)
    defaults = dict(fixed)
    if definition.subject is TemplateSubject.BALANCES and not any(
        each.filters.holders for each in parts
    ):
        defaults.setdefault(_HOLDER, (_CUSTOMERS,))
    return MetricTemplate(
        name=name,
        display_name=display_name,
        description=description,
        dimensions=tuple(_narrowed(each, fixed) for each in DIMENSIONS[definition.subject]),
        fields=(VALUE,),
        read=_read(definition),
        read_users=_read_users(definition),
        values=values_of(definition.measure),
        is_by_day=is_by_day(definition),
        is_running=definition.subject is TemplateSubject.BALANCES,
        defaults=defaults,
        intervals=tuple(definition.intervals),
        breakdown_names=tuple(definition.breakdowns),
        param_names=frozenset(definition.params),
        merge=merge,
        version=version,
        digits=max(each.digits or 0 for each in (definition.measure, *parts)),
        match=match_of(definition),
    )


def is_by_day(definition: TemplateDefinition) -> bool:
    """Return whether the ranges of a definition are whole days."""
    functions = {each.function for each in operands(definition.measure)}
    return definition.subject in _BY_DAY or bool(functions & _TIMES)


def _narrowed(dimension: Dimension, fixed: Mapping[str, tuple[str, ...]]) -> Dimension:
    """Return a dimension whose options are only the values that a fixed filter allows."""
    allowed = fixed.get(dimension.name)
    if allowed is None:
        return dimension
    if dimension.options is None:
        return replace(dimension, options=allowed)
    return replace(dimension, options=tuple(each for each in dimension.options if each in allowed))


def _read(
    definition: TemplateDefinition,
) -> Callable[[MetricSources, UUID, MetricQuery], Awaitable[Sequence[MetricFact]]]:
    read_operand = _READS[definition.subject]

    async def read(
        sources: MetricSources, org_id: UUID, query: MetricQuery
    ) -> Sequence[MetricFact]:
        facts: list[MetricFact] = []
        for at, operand, part in _parts(definition, query):
            facts += await read_operand(sources, org_id, part, at, operand)
        return facts

    return read


def _read_users(definition: TemplateDefinition) -> ReadUsers | None:
    if definition.subject is not TemplateSubject.TRANSACTIONS:
        return None

    async def read(
        sources: MetricSources, org_id: UUID, query: MetricQuery
    ) -> Sequence[UUID] | None:
        found: dict[UUID, None] = {}
        for _, operand, part in _parts(definition, query):
            users = await users_with_facts(sources, org_id, part, operand)
            if users is None:
                return None
            found |= dict.fromkeys(users)
        return list(found)

    return read


def _parts(
    definition: TemplateDefinition, query: MetricQuery
) -> Iterator[tuple[int, Operand, MetricQuery]]:
    """Yield the index of each operand, the operand, and the query with the filters of both."""
    for at, operand in enumerate(operands(definition.measure)):
        own = fixed_values(definition.subject, operand.filters)
        filters = {**own, **query.filters}
        for name in own.keys() & query.filters.keys():
            filters[name] = tuple(each for each in own[name] if each in query.filters[name])
        if definition.subject is TemplateSubject.BALANCES:
            # A default holder, because the balances of all holders add up to zero by double entry.
            filters.setdefault(_HOLDER, (_CUSTOMERS,))
        if all(filters.values()):
            amounts = range_of(definition.filters.amount_usd, operand.filters.amount_usd)
            narrowed = msgspec.structs.replace(
                operand,
                filters=msgspec.structs.replace(operand.filters, amount_usd=amounts),
            )
            yield at, narrowed, replace(query, filters=filters)


def match_of(definition: TemplateDefinition) -> Match | None:
    """Return a function that finds a definition's transactions; None for other subjects.

    For a ratio or a difference, it finds the transactions of either operand.
    """
    if definition.subject is not TemplateSubject.TRANSACTIONS:
        return None
    parts = [
        (
            fixed_values(definition.subject, each.filters),
            range_of(definition.filters.amount_usd, each.filters.amount_usd),
        )
        for each in operands(definition.measure)
    ]

    async def match(
        tx: Tx, org_id: UUID, ids: Sequence[UUID], filters: Mapping[str, tuple[str, ...]]
    ) -> frozenset[UUID]:
        found = await record_store.by_ids(tx, org_id, ids)
        return frozenset(
            each.id
            for each in found
            if any(_is_behind(each, filters, own, amounts) for own, amounts in parts)
        )

    return match


def _is_behind(
    each: record_store.RecordValues,
    filters: Mapping[str, tuple[str, ...]],
    own: Mapping[str, tuple[str, ...]],
    amounts: AmountRange | None,
) -> bool:
    names = {*filters, *own}
    values = {name: value_of(name, each.values) for name in names}
    if not is_match(values, filters) or not is_match(values, own):
        return False
    if amounts is None:
        return True
    worth = each.worth_cents / 100
    return (amounts.minimum is None or worth >= Decimal(amounts.minimum)) and (
        amounts.maximum is None or worth <= Decimal(amounts.maximum)
    )
