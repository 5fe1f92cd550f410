"""Measures, intervals, spans and sums of roll-ups."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

UTC_ZONE = "UTC"


class RollupMeasure(StrEnum):
    """Measure of a roll-up. The view report_deltas describes `a`, `b` and `c` of each measure."""

    STATE = "state"  # records by kind, status and reason, by creation time
    TIME = "time"  # completed records by kind and duration, by creation time
    SWAP = "swap"  # completed swaps by the assets of the pair, by creation time
    FEE = "fee"  # fees earned by kind and asset, by posting time
    BALANCE = "balance"  # balance movements by asset and holder, by posting time
    USER = "user"  # users by creation time
    APPROVAL = "approval"  # approvals by status and duration, by request time


class Interval(StrEnum):
    """Length of a period; weeks begin on Mondays."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


# Measures with hourly sums: their ranges may start and end at any instant. Ranges of all other
# measures are whole days.
BY_HOUR = frozenset({RollupMeasure.STATE, RollupMeasure.USER})

# Measures with durations instead of sums.
TIMED = frozenset({RollupMeasure.TIME, RollupMeasure.APPROVAL})

# Amounts in the sums of each measure, in addition to counts.
AMOUNTS: Mapping[RollupMeasure, Collection[str]] = {
    RollupMeasure.STATE: ("usd_cents",),
    RollupMeasure.SWAP: ("units", "other_units", "usd_cents"),
    RollupMeasure.FEE: ("units",),
    RollupMeasure.BALANCE: ("units",),
    RollupMeasure.USER: (),
}

# Intervals for which whole months are read from monthly cells.
_OF_MONTHS = frozenset({Interval.MONTH, Interval.QUARTER, Interval.YEAR})

# Family of each measure in `report_deltas`, named for the table from which it is read.
FAMILIES: Mapping[RollupMeasure, str] = {
    RollupMeasure.STATE: "record",
    RollupMeasure.TIME: "record",
    RollupMeasure.SWAP: "record",
    RollupMeasure.FEE: "entry",
    RollupMeasure.BALANCE: "entry",
    RollupMeasure.USER: "user",
    RollupMeasure.APPROVAL: "approval",
}


@dataclass(frozen=True, slots=True)
class Span:
    """Range from `after` (inclusive) to `before` (exclusive); days are those of `zone` (IANA name).

    Periods are identified by their first local day.
    """

    after: datetime
    before: datetime
    zone: str
    interval: Interval


@dataclass(frozen=True, slots=True)
class RollupQuery:
    """Sums to read: `kinds` are change kinds, `by` and `only` refer to `a`, `b` and `c`.

    `names` maps (`a`, `b`) to a replacement of `b`, which has no comma. If `has_amounts` is False,
    only counts are read.
    """

    measure: RollupMeasure
    kinds: Collection[str]
    by: Collection[str]
    only: Mapping[str, Collection[str]]
    names: Mapping[tuple[str, str], str]
    has_amounts: bool = True

    def values_of(self, name: str) -> list[str] | None:
        """Return the values of `a` or `b` to sum; None for all. `a` of states is a kind."""
        only = self.only.get(name)
        if name != "a" or self.measure is not RollupMeasure.STATE:
            return None if only is None else list(only)
        return [each for each in self.kinds if only is None or each in only]


# Start (inclusive) and end (exclusive).
Range = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class DayRange:
    """Whole days as a time range, and the midnights at which their cells start.

    The two differ where clocks are set back at midnight. If a range has no whole day, its end may
    precede its start; the same holds for its whole `months`, which are midnights, too.
    """

    whole: Range
    midnights: Range
    months: Range


def utc_days(span: Span) -> DayRange:
    """Return the whole days of a span in UTC; other zones have the calendar of the database."""
    since, until = _midnight(span.after), _midnight(span.before)
    if since < span.after:
        since += timedelta(days=1)
    month = since.replace(day=1)
    if month < since:
        # From the first day of a month, 32 days later is always in the next month.
        month = (month + timedelta(days=32)).replace(day=1)
    return DayRange(
        whole=(since, until),
        midnights=(since, until),
        months=(month, until.replace(day=1)),
    )


def _midnight(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True, slots=True)
class SpanParts:
    """Parts in which a span is read.

    `cells` are ranges of roll-up cells, with their frame (granularity). `folded` are the ranges of
    changes that these cells sum. `rest` are ranges that no cell covers.
    """

    cells: tuple[tuple[str, Range], ...]
    folded: tuple[Range, ...]
    rest: tuple[Range, ...]


# Frame name of hourly cells; daily cells are named for their zone.
HOUR_FRAME = "hour"


def month_frame(zone: str) -> str:
    """Return the frame name of a zone's monthly cells."""
    return f"month:{zone}"


def parts(span: Span, days: DayRange, *, has_hours: bool) -> SpanParts:
    """Divide a span of which `days` are whole."""
    since, until = days.whole
    # A span with one midnight and no whole day is split there, too, because an hour must not
    # belong to both days.
    edges = (
        ((span.after, since), (until, span.before))
        if since <= until
        else ((span.after, span.before),)
    )
    hours: list[Range] = []
    rest: list[Range] = []
    for begin, end in edges:
        first, last = (_hour(begin, up=True), _hour(end)) if has_hours else (end, end)
        if first < last:
            hours.append((first, last))
            rest += [(begin, first), (last, end)]
        else:
            rest.append((begin, end))
    cells = [*_day_cells(span, days), *((HOUR_FRAME, each) for each in hours)]
    return SpanParts(
        cells=tuple(each for each in cells if each[1][0] < each[1][1]),
        folded=tuple(each for each in (days.whole, *hours) if each[0] < each[1]),
        rest=tuple(each for each in rest if each[0] < each[1]),
    )


def _day_cells(span: Span, days: DayRange) -> Iterator[tuple[str, Range]]:
    """Split whole days into whole months where possible, and the days around them."""
    (since, until), (first, last) = days.midnights, days.months
    if span.interval in _OF_MONTHS and first < last:
        yield span.zone, (since, first)
        yield month_frame(span.zone), (first, last)
        since = last
    yield span.zone, (since, until)


def _hour(at: datetime, *, up: bool = False) -> datetime:
    hour = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return hour + timedelta(hours=1) if up and hour < at else hour


class RollupSum(msgspec.Struct, frozen=True, gc=False):
    """Sum of a period; units are the smallest units of the assets named by `a` or `b`."""

    period: date
    user_id: UUID | None
    a: str
    b: str
    c: str
    count: int
    units: int
    other_units: int
    usd_cents: int


@dataclass(frozen=True, slots=True)
class Durations:
    """Durations of a period and a value of `a`: counts by duration in ms, rounded up."""

    period: date
    a: str
    counts: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class RollupBuild:
    """Set of roll-ups; `zone` is the zone in which it has days besides UTC."""

    org_id: UUID
    build: int
    zone: str
    rolled_up_to: int
    is_current: bool


def live(builds: Sequence[RollupBuild]) -> Sequence[RollupBuild]:
    """Return the current build and the one that will replace it; `builds` are newest last.

    The replacement is the newest build; every other one is being removed.
    """
    return [each for each in builds if each.is_current or each is builds[-1]]


@dataclass(frozen=True, slots=True)
class TimeZoneState:
    """Zone of an organisation's days besides UTC; `coming` is the one being built, or None."""

    current: str
    coming: str | None


@dataclass(frozen=True, slots=True)
class RollupProgress:
    """Progress of a build: the places in the log up to which it is folded, and can be folded."""

    rolled_up_to: int
    placed_to: int
    # Number of changes folded.
    count: int

    @property
    def is_last(self) -> bool:
        """Return whether nothing is left to fold."""
        return self.rolled_up_to >= self.placed_to
