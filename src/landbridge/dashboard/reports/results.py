"""Rows of a report as a chart and a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from landbridge.dashboard.charts import Chart, Kind, Series, draw
from landbridge.dashboard.words import later as _

Row: TypeAlias = Mapping[str, Any]

_PERIOD = "periodStart"
# What members of rows are called by people, and their unit.
MEASURES: Mapping[str, tuple[str, str]] = {
    "grossVolumeUsd": (_("Gross volume"), "USD"),
    "transactionCount": (_("Transactions"), ""),
    "newUserCount": (_("New users"), ""),
    "swapCount": (_("Swaps"), ""),
    "volumeUsd": (_("Volume"), "USD"),
    "sourceAmount": (_("Amount out"), ""),
    "destinationAmount": (_("Amount in"), ""),
    "feeCount": (_("Fees charged"), ""),
    "feesUsd": (_("Fees earned"), "USD"),
    "fees": (_("Fees in coins"), ""),
    "completedCount": (_("Completed"), ""),
    "failedCount": (_("Failed"), ""),
    "unfinishedCount": (_("Unfinished"), ""),
    "successRate": (_("Success rate"), ""),
    "failureRate": (_("Failure rate"), ""),
    "p50Seconds": (_("Half took at most"), "s"),
    "p95Seconds": (_("95 of 100 took at most"), "s"),
    "approvalCount": (_("Approvals"), ""),
    "decidedCount": (_("Decided"), ""),
    "attemptCount": (_("Attempts"), ""),
    "deliveredCount": (_("Delivered"), ""),
    "refusedCount": (_("Refused (4xx)"), ""),
    "unansweredCount": (_("Unanswered"), ""),
    "givenUpCount": (_("Given up"), ""),
    "balanceUsd": (_("Balance"), "USD"),
    "balance": (_("Balance in coins"), ""),
}
# The measure with which a template begins, where it is not its first member.
_FIRST: Mapping[str, str] = {
    "SWAP_VOLUME": "volumeUsd",
    "FEES": "feesUsd",
    "OUTCOMES": "successRate",
    "COMPLETION_TIME": "p50Seconds",
    "APPROVAL_TURNAROUND": "p50Seconds",
}
# These don't add up.
_RATES = frozenset(
    {"successRate", "failureRate", "p50Seconds", "p95Seconds", "balance", "balanceUsd"}
)
# Twice the same number.
_TWIN = "grossVolume"


@dataclass(frozen=True, slots=True)
class Report:
    """What is shown of a calculated metric; `rows` are as they came, the newest period first."""

    measure: str
    measures: Sequence[str]
    dimensions: Sequence[str]
    rows: Sequence[Row]
    chart: Chart
    metadata: Mapping[str, Any]

    @property
    def rows_with_any(self) -> Sequence[Row]:
        """Those of periods in which something happened."""
        return [row for row in self.rows if any(row[each] for each in self.measures)]

    @property
    def unit(self) -> str:
        """Of the measure that is drawn."""
        return MEASURES.get(self.measure, ("", ""))[1]

    @property
    def named(self) -> str:
        """What that measure is called."""
        return MEASURES.get(self.measure, (self.measure, ""))[0]


def report_of(
    template: str, answer: Mapping[str, Any], measure: str, *, others: str, all_: str
) -> Report:
    """The report in what the interface answered; `measure` may be any text that a query told.

    `others` names what is put together, `all_` the one series of a report without breakdowns.
    """
    rows: Sequence[Row] = answer["data"]
    metadata = answer["metadata"]
    told_apart: Any = metadata["breakdowns"] or {"dimensions": ()}
    dimensions: Sequence[str] = told_apart["dimensions"]
    members: Row = rows[0] if rows else dict[str, Any]()
    measures = [
        name for name in members if name not in {_PERIOD, _TWIN, *dimensions} and name in MEASURES
    ]
    chosen = (
        measure if measure in measures else _FIRST.get(template, measures[0] if measures else "")
    )
    return Report(
        measure=chosen,
        measures=measures,
        dimensions=dimensions,
        rows=rows,
        chart=_chart(rows, dimensions, chosen, others=others, all_=all_),
        metadata=metadata,
    )


def _chart(
    rows: Sequence[Row], dimensions: Sequence[str], measure: str, *, others: str, all_: str
) -> Chart:
    labels = sorted({row[_PERIOD] for row in rows})
    places = {label: at for at, label in enumerate(labels)}
    found: dict[str, list[Decimal | None]] = {}
    for row in rows:
        name = " · ".join(str(row[each]) for each in dimensions) or all_
        values = found.setdefault(name, [None] * len(labels))
        value = row.get(measure)
        values[places[row[_PERIOD]]] = None if value is None else Decimal(str(value))
    series = [Series(name, values) for name, values in sorted(found.items())]
    kind = Kind.LINES if measure in _RATES else Kind.BARS
    return draw(kind, labels, series, others=others)
