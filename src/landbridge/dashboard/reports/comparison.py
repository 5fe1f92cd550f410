"""Total and average of a report, and its change against the period of equal length before.

Values that add up are added; a rate, a percentile or a balance is calculated for the whole period.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from litestar.di import NamedDependency

from landbridge.dashboard.charts import ChartKind
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.reports.calculation import calculate_report
from landbridge.dashboard.reports.report_query import Params, last_day, reference_of
from landbridge.dashboard.reports.results import ReportView
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.internal_client import InternalClient
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.custom.definition import TemplateSubject
from landbridge.reporting.metrics.measure_labels import in_unit
from landbridge.reporting.metrics.template_schemas import TemplateReply

_TENTH = Decimal("0.1")
_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """Value of the drawn measure over the period, in its unit: a sum, unless `average` is None.

    `average` is that of one interval of the report; values that do not add up have none. `before`
    is the value of the period of equal length before, which has `days` days; it is None if that
    period has no report. `change` is the difference in percent of `before`, with one decimal; it is
    None where that was zero.
    """

    total: Decimal
    average: Decimal | None
    days: int
    before: Decimal | None
    # Of balances: the value is that at the end of the period.
    is_at_end: bool = False

    @property
    def change(self) -> Decimal | None:
        """Return the change in percent."""
        if not self.before:
            return None
        return ((self.total - self.before) * 100 / self.before).quantize(_TENTH)


@dataclass(frozen=True, slots=True)
class ReportReader:
    """Reads reports for the visitor: over the API, and totals that its rows do not give."""

    interface: InternalClient
    calculator: Calculator
    caller: Caller

    async def compare(
        self, template: TemplateReply, params: Params, report: ReportView
    ) -> ReportComparison | None:
        """Return the comparison of a report; None if its measure has no value."""
        days, earlier = _period_before(params)
        if earlier is None:
            return None
        if report.chart.kind is not ChartKind.BARS:
            total = await self._whole(template, params, report)
            if total is None:
                return None
            before = await self._whole(template, earlier, report)
            definition = template.definition or None
            is_at_end = template.name == "BALANCES" or (
                definition is not None and definition.subject is TemplateSubject.BALANCES
            )
            return ReportComparison(total, None, days, before, is_at_end)
        total = total_of(report)
        try:
            found = await calculate_report(self.interface, template, earlier, report.measure)
        except Refused:
            return _comparison(report, total, days, None)
        return _comparison(report, total, days, total_of(found))

    async def _whole(
        self, template: TemplateReply, params: Params, report: ReportView
    ) -> Decimal | None:
        try:
            values = await self.calculator.totals(self.caller, reference_of(template), params)
        except Refused:
            return None
        value = values.get(report.measure)
        return None if value is None else in_unit(Decimal(value), report.unit)


def provide_report_reader(
    request: PageRequest, calculator: NamedDependency[Calculator]
) -> ReportReader:
    """Provide the reader to page handlers."""
    return ReportReader(request.interface, calculator, request.user.caller)


def total_of(report: ReportView) -> Decimal:
    """Return the sum of all values of the drawn measure."""
    values = (value for each in report.chart.series for value in each.values)
    return sum((each for each in values if each is not None), Decimal())


def _comparison(
    report: ReportView, total: Decimal, days: int, before: Decimal | None
) -> ReportComparison:
    intervals = max(len(report.chart.labels), 1)
    return ReportComparison(total, (total / intervals).quantize(_HUNDREDTH), days, before)


def _period_before(params: Params) -> tuple[int, Params | None]:
    """Return the days of a period, and the parameters of the one before; None for odd dates."""
    try:
        first = date.fromisoformat(str(params["createdAfter"])[:10])
        last = date.fromisoformat(last_day(params)[:10])
        days = (last - first).days + 1
        start = first - timedelta(days=days)
    except (ValueError, OverflowError):
        return 0, None
    return days, {**params, "createdAfter": str(start), "createdBefore": str(first)}
