"""Transactions behind a number of an organisation's own template, for downloads."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.reporting.metrics.custom import record_store
from landbridge.reporting.metrics.custom.definition import (
    AmountRange,
    TemplateDefinition,
    TemplateSubject,
    operands,
)
from landbridge.reporting.metrics.custom.dimensions import fixed_values
from landbridge.reporting.metrics.custom.transactions import is_match, range_of, value_of
from landbridge.reporting.metrics.model import Match


def match_of(definition: TemplateDefinition) -> Match | None:
    """Return which transactions are behind a definition; None if it measures something else.

    For a ratio or a difference these are the transactions of either number.
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
