"""A result as a table: its period, what rows are told apart by, and what was measured."""

from decimal import Decimal

from landbridge.reporting.exports.model import Batch, Column, Kind, Value
from landbridge.reporting.metrics.model import Result, Template

_PERIOD = Column("periodStart", Kind.DATE)


def columns(result: Result) -> tuple[Column, ...]:
    """The columns: named as the members of a row, and the same whatever the rows hold."""
    return (
        _PERIOD,
        *(Column(each, Kind.TEXT) for each in result.question.breakdowns),
        *_fields(result.template),
    )


def batch(result: Result) -> Batch:
    """The rows, in their order."""
    kinds = {each.name: each.kind for each in _fields(result.template)}
    return [
        [row.period for row in result.rows],
        *([row.dims[name] for row in result.rows] for name in result.question.breakdowns),
        *([_value(row.values[name], kind) for row in result.rows] for name, kind in kinds.items()),
    ]


def _fields(template: Template) -> list[Column]:
    """What a template calls a whole number is one for nothing at all, too."""
    empty = template.values({})
    return [
        Column(each, Kind.COUNT if isinstance(empty[each], int) else Kind.AMOUNT)
        for each in template.fields
    ]


def _value(value: int | Decimal | None, kind: Kind) -> Value:
    if value is None or (kind is Kind.COUNT and isinstance(value, int)):
        return value
    return f"{value:f}" if isinstance(value, Decimal) else str(value)
