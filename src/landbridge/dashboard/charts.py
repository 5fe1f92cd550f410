"""Charts as SVG rendered by the server: bars and lines, with a table of the exact numbers.

This module computes the geometry; `templates/charts.html` draws it. Positions are rounded to a
tenth of a pixel, values are exact. With more series than colors, the largest are drawn separately
and the others as one sum; the table lists all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum

WIDTH, HEIGHT = 760, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 8, 10, 26
_COLOURS = 6
_TICKS = 4
_LABELS_MAX = 8
_GAP = 0.25
_SPARK_WIDTH, _SPARK_HEIGHT = 120, 32
# Possible upper ends of a scale, times a power of ten.
_ROUND_ENDS = (Decimal(1), Decimal(2), Decimal(4), Decimal(6), Decimal(8), Decimal(10))


class ChartKind(StrEnum):
    """Type of a chart."""

    BARS = "bars"  # stacked: amounts that add up
    LINES = "lines"  # side by side: balances, rates, durations


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """One line, or one color of bars; a value is None where it is unknown."""

    name: str
    values: Sequence[Decimal | None]

    @property
    def size(self) -> Decimal:
        """Return the sum of absolute values, by which series are ranked."""
        return sum((abs(each) for each in self.values if each is not None), Decimal())


@dataclass(frozen=True, slots=True)
class ChartBar:
    """One segment of a stacked bar."""

    x: float
    y: float
    width: float
    height: float
    colour: int
    period: str
    series: str
    value: str


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line, split where values are missing; a segment of one point is drawn as a dot."""

    pieces: Sequence[str]
    dots: Sequence[tuple[float, float]]
    colour: int


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """Area of one period, in which a pointer shows its values: `index` counts labels."""

    x: float
    width: float
    index: int


@dataclass(frozen=True, slots=True)
class AxisTick:
    """Tick of an axis: `value` on the vertical axis, `text` on the horizontal one."""

    at: float
    value: Decimal = Decimal()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Geometry of a chart, and its table with `labels` as rows and `series` as columns."""

    kind: ChartKind
    labels: Sequence[str]
    series: Sequence[ChartSeries]
    plotted: Sequence[str]
    bars: Sequence[ChartBar]
    lines: Sequence[ChartLine]
    rows: Sequence[AxisTick]
    columns: Sequence[AxisTick]
    hits: Sequence[ChartColumn]

    @property
    def is_empty(self) -> bool:
        """Return whether all values are zero."""
        return not any(each.size for each in self.series)


def build_chart(
    kind: ChartKind, labels: Sequence[str], series: Sequence[ChartSeries], *, others: str
) -> Chart:
    """Return a chart of these values, oldest label first; `others` names the sum of the rest."""
    plotted = _reduced(series, others)
    top = _top(kind, plotted)
    return Chart(
        kind=kind,
        labels=labels,
        series=series,
        plotted=[each.name for each in plotted],
        bars=_bars(labels, plotted, top) if kind is ChartKind.BARS else (),
        lines=_lines(labels, plotted, top) if kind is ChartKind.LINES else (),
        rows=[
            AxisTick(_y(top * step / _TICKS, top), top * step / _TICKS)
            for step in range(_TICKS + 1)
        ],
        columns=_columns(labels),
        hits=_hits(labels),
    )


def sparkline(chart: Chart) -> str:
    """Return the points of a small line over the sums of each period, in a box of 120 by 32."""
    sums = [
        sum((value for value in column if value is not None), Decimal())
        for column in zip(*(each.values for each in chart.series), strict=True)
    ]
    top = max((abs(each) for each in sums), default=Decimal()) or Decimal(1)
    step = _SPARK_WIDTH / max(len(sums) - 1, 1)
    inner = _SPARK_HEIGHT - 2
    heights = [float(max(value, Decimal()) / top) * inner for value in sums]
    return " ".join(
        f"{round(step * index, 1)},{round(1 + inner - height, 1)}"
        for index, height in enumerate(heights)
    )


def _hits(labels: Sequence[str]) -> list[ChartColumn]:
    step = (WIDTH - _LEFT - _RIGHT) / max(len(labels), 1)
    return [
        ChartColumn(round(_LEFT + step * index, 1), round(step, 1), index)
        for index in range(len(labels))
    ]


def _reduced(series: Sequence[ChartSeries], others_label: str) -> Sequence[ChartSeries]:
    if len(series) <= _COLOURS:
        return series
    ranked = sorted(series, key=lambda each: each.size, reverse=True)
    largest, smaller = ranked[: _COLOURS - 1], ranked[_COLOURS - 1 :]
    sums = [
        sum((each for each in column if each is not None), Decimal())
        for column in zip(*(each.values for each in smaller), strict=True)
    ]
    return [*largest, ChartSeries(others_label, sums)]


def _top(kind: ChartKind, series: Sequence[ChartSeries]) -> Decimal:
    """Return the upper end of the scale: a round number not below any value."""
    columns = list(zip(*(each.values for each in series), strict=True))
    present = [[each for each in column if each is not None] for column in columns]
    largest = max(
        (
            sum(column, Decimal()) if kind is ChartKind.BARS else max(column)
            for column in present
            if column
        ),
        default=Decimal(),
    )
    if largest <= 0:
        return Decimal(_TICKS)
    power = Decimal(10) ** largest.adjusted()
    return next(each * power for each in _ROUND_ENDS if each * power >= largest)


def _bars(labels: Sequence[str], series: Sequence[ChartSeries], top: Decimal) -> list[ChartBar]:
    step = (WIDTH - _LEFT - _RIGHT) / max(len(labels), 1)
    found: list[ChartBar] = []
    for position, label in enumerate(labels):
        below = Decimal()
        for colour, each in enumerate(series, start=1):
            value = each.values[position]
            if not value or value < 0:
                continue
            y = _y(below + value, top)
            found.append(
                ChartBar(
                    x=round(_LEFT + step * (position + _GAP / 2), 1),
                    y=y,
                    width=round(step * (1 - _GAP), 1),
                    height=round(_y(below, top) - y, 1),
                    colour=colour,
                    period=label,
                    series=each.name,
                    value=f"{value:f}",
                )
            )
            below += value
    return found


def _lines(labels: Sequence[str], series: Sequence[ChartSeries], top: Decimal) -> list[ChartLine]:
    step = (WIDTH - _LEFT - _RIGHT) / max(len(labels), 1)
    found: list[ChartLine] = []
    for colour, each in enumerate(series, start=1):
        pieces: list[list[tuple[float, float]]] = [[]]
        for position, value in enumerate(each.values):
            if value is None:
                pieces.append([])
            else:
                pieces[-1].append((round(_LEFT + step * (position + 0.5), 1), _y(value, top)))
        found.append(
            ChartLine(
                pieces=[" ".join(f"{x},{y}" for x, y in one) for one in pieces if len(one) > 1],
                dots=[one[0] for one in pieces if len(one) == 1],
                colour=colour,
            )
        )
    return found


def _columns(labels: Sequence[str]) -> list[AxisTick]:
    """Return ticks for a few evenly spaced labels."""
    step = (WIDTH - _LEFT - _RIGHT) / max(len(labels), 1)
    interval = int((Decimal(len(labels)) / _LABELS_MAX).to_integral_value(ROUND_CEILING)) or 1
    return [
        AxisTick(round(_LEFT + step * (position + 0.5), 1), text=label)
        for position, label in enumerate(labels)
        if position % interval == 0
    ]


def _y(value: Decimal, top: Decimal) -> float:
    inner = HEIGHT - _TOP - _BOTTOM
    return round(_TOP + inner - float(max(value, Decimal()) / top) * inner, 1)
