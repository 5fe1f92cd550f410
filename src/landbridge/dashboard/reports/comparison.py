"""Total and average of a report, and its change against the period of equal length before."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from landbridge.dashboard.charts import ChartKind
from landbridge.dashboard.reports.calculation import calculate_report
from landbridge.dashboard.reports.report_query import Params, Template, last_day
from landbridge.dashboard.reports.results import ReportView
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.internal_client import InternalClient

_TENTH = Decimal("0.1")
_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """Sums of the drawn measure, in its unit.

    `average` is that of one interval of the report. `before` is the sum of the period of equal
    length before, which has `days` days; it is None if that period has no report. `change` is the
    difference in percent of `before`, with one decimal; it is None where that was zero.
    """

    total: Decimal
    average: Decimal
    days: int
    before: Decimal | None

    @property
    def change(self) -> Decimal | None:
        """Return the change in percent."""
        if not self.before:
            return None
        return ((self.total - self.before) * 100 / self.before).quantize(_TENTH)


async def compare(
    interface: InternalClient, template: Template, params: Params, report: ReportView
) -> ReportComparison | None:
    """Return the comparison of a report; None if the values of its measure do not add up."""
    days, earlier = _period_before(params)
    if report.chart.kind is not ChartKind.BARS or earlier is None:
        return None
    total = total_of(report)
    try:
        before = await calculate_report(interface, template, earlier, report.measure)
    except Refused:
        return _comparison(report, total, days, None)
    return _comparison(report, total, days, total_of(before))


def total_of(report: ReportView) -> Decimal:
    """Return the sum of all values of the drawn measure."""
    values = (value for each in report.chart.series for value in each.values)
    return sum((each for each in values if each is not None), Decimal())


def _comparison(
    report: ReportView, total: Decimal, days: int, before: Decimal | None
) -> ReportComparison:
    intervals = max(len(report.chart.labels), 1)
    return ReportComparison(total, (total / intervals).quantize(_HUNDREDTH), days, before)


def _period_before(params: Params) -> tuple[int, Mapping[str, Any] | None]:
    """Return the days of a period, and the parameters of the one before; None for odd dates."""
    try:
        first = date.fromisoformat(str(params["createdAfter"])[:10])
        last = date.fromisoformat(last_day(params)[:10])
        days = (last - first).days + 1
        start = first - timedelta(days=days)
    except (ValueError, OverflowError):
        return 0, None
    return days, {**params, "createdAfter": str(start), "createdBefore": str(first)}
