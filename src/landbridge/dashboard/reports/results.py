"""Rows of a report as a chart and a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from landbridge.dashboard.charts import Chart, ChartKind, ChartSeries, build_chart
from landbridge.dashboard.reports.template_form import is_additive, unit_of
from landbridge.reporting.metrics.custom.definition import TemplateDefinition
from landbridge.reporting.metrics.custom.tallies import VALUE
from landbridge.reporting.metrics.measure_labels import MEASURES, PERCENT, in_unit
from landbridge.reporting.metrics.schemas import MetricResultReply, ResultMetadata

Row: TypeAlias = Mapping[str, object]

_PERIOD = "periodStart"
# Measure that is drawn first, where it is not the first member.
_DEFAULT_MEASURES: Mapping[str, str] = {
    "SWAP_VOLUME": "volumeUsd",
    "FEES": "feesUsd",
    "OUTCOMES": "successRate",
    "COMPLETION_TIME": "p50Seconds",
    "APPROVAL_TURNAROUND": "p50Seconds",
}
# Measures whose groups do not add up: drawn as lines.
_NOT_ADDITIVE = frozenset(
    {"successRate", "failureRate", "p50Seconds", "p95Seconds", "balance", "balanceUsd"}
)
# Repeats another member.
_DUPLICATE = "grossVolume"


@dataclass(frozen=True, slots=True)
class ReportView:
    """Calculated report for a page; `rows` are those of the API in shown units, newest first."""

    measure: str
    measures: Sequence[str]
    dimensions: Sequence[str]
    rows: Sequence[Row]
    chart: Chart
    metadata: ResultMetadata
    # Unit of `value`, the only measure of an organisation's own template.
    value_unit: str = ""

    @property
    def rows_with_any(self) -> Sequence[Row]:
        """Return the rows with any value."""
        return [row for row in self.rows if any(row[each] for each in self.measures)]

    @property
    def unit(self) -> str:
        """Return the unit of the drawn measure."""
        return self.unit_of(self.measure)

    def unit_of(self, measure: str) -> str:
        """Return the unit of a measure."""
        return _unit_of(measure, self.value_unit)

    @property
    def measure_label(self) -> str:
        """Return the label of the drawn measure."""
        return MEASURES.get(self.measure, (self.measure, ""))[0]


def report_of(
    template: str,
    reply: MetricResultReply,
    measure: str,
    *,
    others: str,
    all_: str,
    definition: TemplateDefinition | None = None,
) -> ReportView:
    """Return the report of an API reply; an unknown `measure` is replaced by the default.

    `others` is the label of the combined rest, `all_` that of the series without breakdowns.
    """
    value_unit = "" if definition is None else unit_of(definition)
    rows = [_in_units(each, value_unit) for each in reply.data]
    breakdowns = reply.metadata.breakdowns
    dimensions = () if breakdowns is None else breakdowns.dimensions
    measures = [
        name
        for name in (rows[0] if rows else ())
        if name not in {_PERIOD, _DUPLICATE, *dimensions} and name in MEASURES
    ]
    chosen = (
        measure
        if measure in measures
        else _DEFAULT_MEASURES.get(template, measures[0] if measures else "")
    )
    is_stacked = chosen not in _NOT_ADDITIVE if definition is None else is_additive(definition)
    kind = ChartKind.BARS if is_stacked else ChartKind.LINES
    return ReportView(
        measure=chosen,
        measures=measures,
        dimensions=dimensions,
        rows=rows,
        chart=_chart(kind, rows, dimensions, chosen, others=others, all_=all_),
        metadata=reply.metadata,
        value_unit=value_unit,
    )


def _unit_of(measure: str, value_unit: str) -> str:
    return value_unit if measure == VALUE else MEASURES.get(measure, ("", ""))[1]


def _in_units(row: Row, value_unit: str) -> Row:
    shares = {
        name: in_unit(Decimal(str(value)), PERCENT)
        for name, value in row.items()
        if value is not None and _unit_of(name, value_unit) == PERCENT
    }
    return {**row, **shares}


def _chart(
    kind: ChartKind,
    rows: Sequence[Row],
    dimensions: Sequence[str],
    measure: str,
    *,
    others: str,
    all_: str,
) -> Chart:
    labels = sorted({str(row[_PERIOD]) for row in rows})
    indexes = {label: at for at, label in enumerate(labels)}
    found: dict[str, list[Decimal | None]] = {}
    for row in rows:
        name = " · ".join(str(row[each]) for each in dimensions) or all_
        values = found.setdefault(name, [None] * len(labels))
        value = row.get(measure)
        values[indexes[str(row[_PERIOD])]] = None if value is None else Decimal(str(value))
    series = [ChartSeries(name, values) for name, values in sorted(found.items())]
    return build_chart(kind, labels, series, others=others)
