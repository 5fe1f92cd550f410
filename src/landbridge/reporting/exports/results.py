"""Results as tables: period, breakdowns, values."""

from decimal import Decimal

from landbridge.reporting.exports.model import AMOUNT_DECIMALS, Batch, Column, ColumnKind, Value
from landbridge.reporting.metrics.model import MetricResult, MetricTemplate

_PERIOD = Column("periodStart", ColumnKind.DATE)


def columns(result: MetricResult) -> tuple[Column, ...]:
    """Return the columns: named as the members of a row, and independent of the rows."""
    return (
        _PERIOD,
        *(Column(each, ColumnKind.TEXT) for each in result.query.breakdowns),
        *_fields(result.template),
    )


def batch(result: MetricResult) -> Batch:
    """Return the rows as columns, in row order."""
    kinds = {each.name: each.kind for each in _fields(result.template)}
    return [
        [row.period for row in result.rows],
        *([row.dims[name] for row in result.rows] for name in result.query.breakdowns),
        *([_value(row.values[name], kind) for row in result.rows] for name, kind in kinds.items()),
    ]


def _fields(template: MetricTemplate) -> list[Column]:
    """Return the template's value fields and their types."""
    empty = template.values({})
    decimals = max(AMOUNT_DECIMALS, template.digits)
    return [
        Column(each, ColumnKind.COUNT)
        if isinstance(empty[each], int)
        else Column(each, ColumnKind.AMOUNT, decimals)
        for each in template.fields
    ]


def _value(value: int | Decimal | None, kind: ColumnKind) -> Value:
    if value is None or (kind is ColumnKind.COUNT and isinstance(value, int)):
        return value
    return f"{value:f}" if isinstance(value, Decimal) else str(value)
