"""Figures of a scheduled report's whole period, beside those of the period before."""

from collections.abc import Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from landbridge.platform.core.errors import FieldsInvalid
from landbridge.platform.http.caller import Caller
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.custom.tallies import VALUE
from landbridge.reporting.metrics.measure_labels import MEASURES, in_unit
from landbridge.reporting.metrics.model import MetricTemplate, Values
from landbridge.reporting.schedules import periods
from landbridge.reporting.schedules.content import period_params
from landbridge.reporting.schedules.model import SchedulePlan

_NONE = ("No figures in this period",)
_TENTH = Decimal("0.1")


async def summary_lines(
    calculator: Calculator,
    caller: Caller,
    plan: SchedulePlan,
    period: date,
    *,
    template: str,
    params: Mapping[str, Any],
) -> tuple[str, ...]:
    """Return a line per figure, such as `Transactions: 120, +20.0 % (period before: 100)`.

    The report's filters apply, but not its breakdowns, so that no figure names a user. A figure
    without a value is left out. Raises `ResourceConflict` and `Busy`, as a calculation does.
    """
    found = await calculator.find(caller.org_id, template)

    async def values(of: date) -> Values:
        try:
            return await calculator.totals(caller, found, period_params(params, plan, of))
        except FieldsInvalid:
            # The period before may be out of range; the report itself does not fail for this.
            return {}

    now, before = await values(period), await values(periods.preceding(plan, period))
    lines = (
        _line(found, name, each, before.get(name))
        for name, each in now.items()
        if name in MEASURES and each is not None
    )
    return tuple(lines) or _NONE


def _line(
    template: MetricTemplate, name: str, value: int | Decimal, before: int | Decimal | None
) -> str:
    label, unit = MEASURES[name]
    label = template.display_name if name == VALUE else label
    text = f"{label}: {_number(value, unit)}"
    if before is None:
        return text
    if before:
        change = (Decimal(value - before) * 100 / abs(before)).quantize(_TENTH, ROUND_HALF_UP)
        text += f", {change:+,f} %"
    return f"{text} (period before: {_number(before, unit)})"


def _number(value: int | Decimal, unit: str) -> str:
    if unit == "USD":
        return f"{value:,.2f} USD"
    number = f"{in_unit(Decimal(value), unit):,f}"
    return f"{number} {unit}" if unit else number
