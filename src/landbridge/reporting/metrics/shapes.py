"""Results on the wire. Source: contract, reporting 4."""

from typing import Annotated, Any, TypeAlias, cast

import msgspec
from litestar.openapi.spec import OpenAPIFormat, OpenAPIType, Schema
from litestar.params import BodyKwarg

from landbridge.reporting.metrics.model import Dimension, Result, Row
from landbridge.reporting.metrics.params import AFTER, BEFORE, INTERVAL
from landbridge.web.reply import WireStruct

# What differs by template stands beside these.
_ROW = {"periodStart": Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE)}
ResultRow: TypeAlias = Annotated[
    dict[str, Any],
    BodyKwarg(
        description="A period, told by its first day; the values of the breakdowns by their names; "
        "and the fields of the template.",
        schema_extra={"properties": _ROW},
    ),
]


class DateRange(WireStruct, frozen=True):
    """`createdAfter` and `createdBefore` as they were given."""

    start: str
    end: str


class Filter(WireStruct, frozen=True):
    """What a parameter came to: `specified` if it was given, `applied` if it left anything out.

    `values` is what was given, or what holds without; `count` is how many these are; `note` says
    why they are not shown.
    """

    applied: str
    specified: bool
    values: Any | msgspec.UnsetType = msgspec.UNSET
    count: int | msgspec.UnsetType = msgspec.UNSET
    note: str | msgspec.UnsetType = msgspec.UNSET


class Breakdowns(WireStruct, frozen=True):
    """What rows are told apart by; `dimensionCounts` is how many values each has."""

    dimensions: list[str]
    dimension_counts: dict[str, int]


class ResultMetadata(WireStruct, frozen=True):
    """How the rows were made; `filledCount` of them have nothing in their period.

    `projectedRowCount` is for all values of the breakdowns, null without any. `metric` is the name
    of a saved one. `timeZone` has the days; `hasMore` says that older rows were left out (ours).
    """

    template: str
    record_count: int
    projected_row_count: int | None
    filled_count: int
    calculation_interval: str
    date_range: DateRange
    filters: dict[str, Filter]
    breakdowns: Breakdowns | None
    time_zone: str
    has_more: bool
    metric: str | msgspec.UnsetType = msgspec.UNSET


class ResultReply(WireStruct, frozen=True):
    """What a metric came to: rows newest first."""

    status: str
    data: list[ResultRow]
    metadata: ResultMetadata


def result_reply(result: Result, metric_name: str | None = None) -> ResultReply:
    """A result as it is shown; with the name of the metric, if it is a saved one."""
    question = result.question
    breakdowns = None
    if result.dimension_counts is not None:
        breakdowns = Breakdowns(
            dimensions=list(question.breakdowns),
            dimension_counts=dict(result.dimension_counts),
        )
    return ResultReply(
        status="success",
        data=[row_reply(each) for each in result.rows],
        metadata=ResultMetadata(
            template=result.template.name,
            record_count=len(result.rows),
            projected_row_count=result.projected,
            filled_count=result.filled,
            calculation_interval=question.told[INTERVAL],
            date_range=DateRange(start=question.told[AFTER], end=question.told[BEFORE]),
            filters=_filters(result),
            breakdowns=breakdowns,
            time_zone=question.span.zone,
            has_more=result.has_more,
            metric=msgspec.UNSET if metric_name is None else metric_name,
        ),
    )


def row_reply(row: Row) -> dict[str, Any]:
    """A row as it is shown: period, dimensions, values."""
    return {"periodStart": row.period.isoformat(), **row.dims, **row.values}


def _filters(result: Result) -> dict[str, Filter]:
    filters = {
        name: _given(value)
        for name, value in result.question.told.items()
        if name in {AFTER, BEFORE, INTERVAL}
    }
    for each in result.template.dimensions:
        told = result.question.told.get(each.param)
        filters[each.param] = _left_out(each, result) if told is None else _given(told)
    for name, value in result.question.told.items():
        filters.setdefault(name, _given(value))
    return filters


def _given(value: Any) -> Filter:
    if isinstance(value, list | tuple):
        values = cast("list[Any] | tuple[Any, ...]", value)
        return Filter(applied="subset", specified=True, values=values, count=len(values))
    return Filter(applied="subset", specified=True, values=value)


def _left_out(dimension: Dimension, result: Result) -> Filter:
    default = result.template.defaults.get(dimension.name)
    if default is not None:
        return Filter(applied="subset", specified=False, values=default, count=len(default))
    if dimension.options is not None:
        options = dimension.options
        return Filter(applied="all", specified=False, values=options, count=len(options))
    return Filter(
        applied="all",
        specified=False,
        count=result.sizes.get(dimension.name, msgspec.UNSET),
        note="the values are too many to be listed",
    )
