"""Charts as SVG that the server draws: bars and lines, with a table of the exact numbers beside.

Here is the geometry; `templates/charts.html` draws it. Numbers are placed to a tenth of a pixel and
told exactly. Of more series than there are colours the largest are drawn by themselves and the rest
together; the table has all of them.
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
# What a scale may end at, times a power of ten.
_ROUND_ENDS = (Decimal(1), Decimal(2), Decimal(4), Decimal(6), Decimal(8), Decimal(10))


class Kind(StrEnum):
    """How values are drawn."""

    BARS = "bars"  # stacked: amounts that add up
    LINES = "lines"  # beside each other: balances, rates, durations


@dataclass(frozen=True, slots=True)
class Series:
    """One line, or one colour of bars; None where nothing can be told."""

    name: str
    values: Sequence[Decimal | None]

    @property
    def size(self) -> Decimal:
        """By which the largest are found."""
        return sum((abs(each) for each in self.values if each is not None), Decimal())


@dataclass(frozen=True, slots=True)
class Bar:
    """A piece of a stack."""

    x: float
    y: float
    width: float
    height: float
    colour: int
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line, in pieces where values are missing; a piece of one point is drawn as a dot."""

    pieces: Sequence[str]
    dots: Sequence[tuple[float, float]]
    colour: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis; `value` of the vertical one, `text` of the other."""

    at: float
    value: Decimal = Decimal()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """What there is to draw, and the table: `labels` down, `series` across."""

    kind: Kind
    labels: Sequence[str]
    series: Sequence[Series]
    drawn: Sequence[str]
    bars: Sequence[Bar]
    lines: Sequence[Line]
    rows: Sequence[Tick]
    columns: Sequence[Tick]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing but noughts."""
        return not any(each.size for each in self.series)


def draw(kind: Kind, labels: Sequence[str], series: Sequence[Series], *, others: str) -> Chart:
    """A chart of these values, the oldest label first; `others` names what is put together."""
    drawn = _fewer(series, others)
    top = _top(kind, drawn)
    return Chart(
        kind=kind,
        labels=labels,
        series=series,
        drawn=[each.name for each in drawn],
        bars=_bars(labels, drawn, top) if kind is Kind.BARS else (),
        lines=_lines(labels, drawn, top) if kind is Kind.LINES else (),
        rows=[
            Tick(_y(top * step / _TICKS, top), top * step / _TICKS) for step in range(_TICKS + 1)
        ],
        columns=_columns(labels),
    )


def _fewer(series: Sequence[Series], others: str) -> Sequence[Series]:
    if len(series) <= _COLOURS:
        return series
    ranked = sorted(series, key=lambda each: each.size, reverse=True)
    kept, rest = ranked[: _COLOURS - 1], ranked[_COLOURS - 1 :]
    sums = [
        sum((each for each in column if each is not None), Decimal())
        for column in zip(*(each.values for each in rest), strict=True)
    ]
    return [*kept, Series(others, sums)]


def _top(kind: Kind, series: Sequence[Series]) -> Decimal:
    """Where the scale ends: a round number that nothing passes."""
    columns = list(zip(*(each.values for each in series), strict=True))
    known = [[each for each in column if each is not None] for column in columns]
    largest = max(
        (
            sum(column, Decimal()) if kind is Kind.BARS else max(column)
            for column in known
            if column
        ),
        default=Decimal(),
    )
    if largest <= 0:
        return Decimal(_TICKS)
    power = Decimal(10) ** largest.adjusted()
    return next(each * power for each in _ROUND_ENDS if each * power >= largest)


def _bars(labels: Sequence[str], series: Sequence[Series], top: Decimal) -> list[Bar]:
    step = (WIDTH - _LEFT - _RIGHT) / max(len(labels), 1)
    found: list[Bar] = []
    for place, label in enumerate(labels):
        below = Decimal()
        for colour, each in enumerate(series, start=1):
            value = each.values[place]
            if not value or value < 0:
                continue
            y = _y(below + value, top)
            found.append(
                Bar(
                    x=round(_LEFT + step * (place + _GAP / 2), 1),
                    y=y,
                    width=round(step * (1 - _GAP), 1),
                    height=round(_y(below, top) - y, 1),
                    colour=colour,
                    title=f"{label} · {each.name}: {value:f}",
                )
            )
            below += value
    return found


def _lines(labels: Sequence[str], series: Sequence[Series], top: Decimal) -> list[Line]:
    step = (WIDTH - _LEFT - _RIGHT) / max(len(labels), 1)
    found: list[Line] = []
    for colour, each in enumerate(series, start=1):
        pieces: list[list[tuple[float, float]]] = [[]]
        for place, value in enumerate(each.values):
            if value is None:
                pieces.append([])
            else:
                pieces[-1].append((round(_LEFT + step * (place + 0.5), 1), _y(value, top)))
        found.append(
            Line(
                pieces=[" ".join(f"{x},{y}" for x, y in one) for one in pieces if len(one) > 1],
                dots=[one[0] for one in pieces if len(one) == 1],
                colour=colour,
            )
        )
    return found


def _columns(labels: Sequence[str]) -> list[Tick]:
    """A few of the labels, evenly."""
    step = (WIDTH - _LEFT - _RIGHT) / max(len(labels), 1)
    every = int((Decimal(len(labels)) / _LABELS_MAX).to_integral_value(ROUND_CEILING)) or 1
    return [
        Tick(round(_LEFT + step * (place + 0.5), 1), text=label)
        for place, label in enumerate(labels)
        if place % every == 0
    ]


def _y(value: Decimal, top: Decimal) -> float:
    inner = HEIGHT - _TOP - _BOTTOM
    return round(_TOP + inner - float(max(value, Decimal()) / top) * inner, 1)
