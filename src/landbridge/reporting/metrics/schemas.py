"""Results on the wire. Source: contract, reporting 4."""

from typing import Annotated, Any, TypeAlias, cast

import msgspec
from litestar.openapi.spec import OpenAPIFormat, OpenAPIType, Schema
from litestar.params import BodyKwarg

from landbridge.platform.http.responses import WireStruct
from landbridge.reporting.metrics.model import Dimension, MetricResult, MetricRow
from landbridge.reporting.metrics.params import AFTER, BEFORE, INTERVAL

# Members of a row that every template has; the others depend on the template.
_ROW = {"periodStart": Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE)}
ResultRow: TypeAlias = Annotated[
    dict[str, Any],
    BodyKwarg(
        description="A period, named by its first day; the values of the breakdowns by their names;"
        " and the fields of the template.",
        schema_extra={"properties": _ROW},
    ),
]


class DateRange(WireStruct, frozen=True):
    """`createdAfter` and `createdBefore` as they were given."""

    start: str
    end: str


class AppliedFilter(WireStruct, frozen=True):
    """Effect of a parameter: `specified` if it was given, `applied` states if it restricts.

    `values` are the given or default values, `count` their number; `note` gives the reason if they
    are not listed.
    """

    applied: str
    specified: bool
    values: Any | msgspec.UnsetType = msgspec.UNSET
    count: int | msgspec.UnsetType = msgspec.UNSET
    note: str | msgspec.UnsetType = msgspec.UNSET


class Breakdowns(WireStruct, frozen=True):
    """Breakdown dimensions; `dimensionCounts` is the number of values of each."""

    dimensions: list[str]
    dimension_counts: dict[str, int]


class ResultMetadata(WireStruct, frozen=True):
    """Facts about the rows; `filledCount` of them have no data in their period.

    `projectedRowCount` is for all breakdown values, null without breakdowns. `metric` is the name
    of a saved metric. `timeZone` defines the days; `hasMore` is true if older rows were left out
    (both ours).
    """

    template: str
    record_count: int
    projected_row_count: int | None
    filled_count: int
    calculation_interval: str
    date_range: DateRange
    filters: dict[str, AppliedFilter]
    breakdowns: Breakdowns | None
    time_zone: str
    has_more: bool
    metric: str | msgspec.UnsetType = msgspec.UNSET


class MetricResultReply(WireStruct, frozen=True):
    """Result of a metric: rows newest first."""

    status: str
    data: list[ResultRow]
    metadata: ResultMetadata


def result_reply(result: MetricResult, metric_name: str | None = None) -> MetricResultReply:
    """Return the wire form of a result, with the metric's name if it is a saved one."""
    query = result.query
    breakdowns = None
    if result.dimension_counts is not None:
        breakdowns = Breakdowns(
            dimensions=list(query.breakdowns),
            dimension_counts=dict(result.dimension_counts),
        )
    return MetricResultReply(
        status="success",
        data=[row_reply(each) for each in result.rows],
        metadata=ResultMetadata(
            template=result.template.name,
            record_count=len(result.rows),
            projected_row_count=result.projected,
            filled_count=result.filled,
            calculation_interval=query.given[INTERVAL],
            date_range=DateRange(start=query.given[AFTER], end=query.given[BEFORE]),
            filters=_filters(result),
            breakdowns=breakdowns,
            time_zone=query.span.zone,
            has_more=result.has_more,
            metric=msgspec.UNSET if metric_name is None else metric_name,
        ),
    )


def row_reply(row: MetricRow) -> dict[str, Any]:
    """Return the wire form of a row: period, dimensions, values."""
    return {"periodStart": row.period, **row.dims, **row.values}


def _filters(result: MetricResult) -> dict[str, AppliedFilter]:
    filters = {
        name: _given(value)
        for name, value in result.query.given.items()
        if name in {AFTER, BEFORE, INTERVAL}
    }
    for each in result.template.filters:
        given_value = result.query.given.get(each.param)
        filters[each.param] = (
            _left_out(each, result) if given_value is None else _given(given_value)
        )
    for name, value in result.query.given.items():
        filters.setdefault(name, _given(value))
    return filters


def _given(value: Any) -> AppliedFilter:
    if isinstance(value, list | tuple):
        values = cast("list[Any] | tuple[Any, ...]", value)
        return AppliedFilter(applied="subset", specified=True, values=values, count=len(values))
    return AppliedFilter(applied="subset", specified=True, values=value)


def _left_out(dimension: Dimension, result: MetricResult) -> AppliedFilter:
    default = result.template.defaults.get(dimension.name)
    if default is not None:
        return AppliedFilter(applied="subset", specified=False, values=default, count=len(default))
    if dimension.options is not None:
        options = dimension.options
        return AppliedFilter(applied="all", specified=False, values=options, count=len(options))
    return AppliedFilter(
        applied="all",
        specified=False,
        count=result.sizes.get(dimension.name, msgspec.UNSET),
        note="the values are too many to be listed",
    )
