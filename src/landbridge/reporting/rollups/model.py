"""What is summed, over which time, and what such a sum is."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from uuid import UUID

import msgspec

UTC_ZONE = "UTC"


class Measure(StrEnum):
    """What is counted or summed; what `a`, `b`, `c` of its sums are stands in migration 0036."""

    STATE = "state"  # records by kind, status and reason, by when they were created
    TIME = "time"  # completed records by kind and duration, likewise
    SWAP = "swap"  # completed swaps by the assets of the pair, likewise
    FEE = "fee"  # what went to the house's fees by kind and asset, by when it did
    BALANCE = "balance"  # what was added to balances by asset and whose they are, by when
    USER = "user"  # users by when they were created
    APPROVAL = "approval"  # approvals by status and duration, by when they were asked for


class Interval(StrEnum):
    """How long a period is; weeks begin on Mondays."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


# Of these there are sums by the hour too, so that a range of them may begin and end at any instant.
# Ranges of others are of whole days.
BY_HOUR = frozenset({Measure.STATE, Measure.USER})

# Of these there are durations, not sums.
TIMED = frozenset({Measure.TIME, Measure.APPROVAL})

# Which amounts their sums have, besides counts.
AMOUNTS: Mapping[Measure, Collection[str]] = {
    Measure.STATE: ("usd_cents",),
    Measure.SWAP: ("units", "other_units", "usd_cents"),
    Measure.FEE: ("units",),
    Measure.BALANCE: ("units",),
    Measure.USER: (),
}

# For spans by these, days are summed by months.
_OF_MONTHS = frozenset({Interval.MONTH, Interval.QUARTER, Interval.YEAR})

# What `report_deltas` calls them by the tables that they are read from.
FAMILIES: Mapping[Measure, str] = {
    Measure.STATE: "record",
    Measure.TIME: "record",
    Measure.SWAP: "record",
    Measure.FEE: "entry",
    Measure.BALANCE: "entry",
    Measure.USER: "user",
    Measure.APPROVAL: "approval",
}


@dataclass(frozen=True, slots=True)
class Span:
    """From `after` (inclusive) to `before` (exclusive); days are those of `zone` (IANA's name).

    Periods are told by their first local day.
    """

    after: datetime
    before: datetime
    zone: str
    interval: Interval


@dataclass(frozen=True, slots=True)
class Asked:
    """What is summed: `kinds` are those of changes, `by` and `only` name `a`, `b` and `c`.

    `names` is what some `b` are told as, by `a` and `b`.
    """

    measure: Measure
    kinds: Collection[str]
    by: Collection[str]
    only: Mapping[str, Collection[str]]
    names: Mapping[tuple[str, str], str]

    def wanted(self, name: str) -> list[str] | None:
        """The values of `a` or `b` that are summed; None for all. `a` of states is a kind."""
        only = self.only.get(name)
        if name != "a" or self.measure is not Measure.STATE:
            return None if only is None else list(only)
        return [each for each in self.kinds if only is None or each in only]


# From (inclusive), until (exclusive).
Range = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Days:
    """Whole days: what they are in time, and the midnights that cells of them begin at.

    The two differ where clocks are set back at midnight. Without any day the end may lie before
    the beginning; likewise that of whole `months`, which are midnights too, as are `periods`, in
    order: the beginnings of all, of which the first may lie before the days and the last at their
    end; none if cells need not be divided by them.
    """

    whole: Range
    midnights: Range
    months: Range
    periods: Sequence[datetime]


@dataclass(frozen=True, slots=True)
class Parts:
    """A span as it is read: cells of frames, and what else lies in it.

    `cells` are in the roll-ups, as far as they are folded, each range in one period if there are
    any; they are made of what happened in `folded`. `rest` is not in any.
    """

    cells: tuple[tuple[str, Range], ...]
    folded: tuple[Range, ...]
    rest: tuple[Range, ...]


# What cells of the hour are called; those of a day are called like its zone.
HOUR_FRAME = "hour"


def month_frame(zone: str) -> str:
    """What cells of a zone's months are called."""
    return f"month:{zone}"


def parts(span: Span, days: Days, *, has_hours: bool) -> Parts:
    """Divide a span of which `days` are whole."""
    since, until = days.whole
    # With one midnight in it and no whole day, a span is still divided there: no hour may be of
    # both days.
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
    return Parts(
        cells=tuple(each for each in cells if each[1][0] < each[1][1]),
        folded=tuple(each for each in (days.whole, *hours) if each[0] < each[1]),
        rest=tuple(each for each in rest if each[0] < each[1]),
    )


def _day_cells(span: Span, days: Days) -> Iterator[tuple[str, Range]]:
    """Whole days: by months where that will do, and by days around these; period by period."""
    (since, until), (first, last) = days.midnights, days.months
    frames = [(span.zone, (since, until))]
    if span.interval in _OF_MONTHS and first < last:
        frames = [
            (span.zone, (since, first)),
            (month_frame(span.zone), (first, last)),
            (span.zone, (last, until)),
        ]
    for frame, (begin, end) in frames:
        inner = (each for each in days.periods if begin < each < end)
        yield from ((frame, each) for each in pairwise((begin, *inner, end)))


def _hour(at: datetime, *, up: bool = False) -> datetime:
    whole = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return whole + timedelta(hours=1) if up and whole < at else whole


class Sum(msgspec.Struct, frozen=True, gc=False):
    """A sum of one period; units are in the smallest units of the assets that `a` or `b` name."""

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
    """How long things took of one period and of `a`: how many took each time (ms, rounded up)."""

    period: date
    a: str
    counts: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Build:
    """A set of roll-ups; `zone` is the one in which it has days besides UTC."""

    org_id: UUID
    build: int
    zone: str
    folded_to: int
    is_current: bool


def live(builds: Sequence[Build]) -> Sequence[Build]:
    """Of all builds, newest last: the current one, and one that is to take its place.

    That is the newest; every other one is on its way out.
    """
    return [each for each in builds if each.is_current or each is builds[-1]]


@dataclass(frozen=True, slots=True)
class Zones:
    """Where an organisation has days besides UTC; `coming` is being made, None if nothing is."""

    current: str
    coming: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """How far a build was folded, and up to where it could be: both are transactions."""

    folded_to: int
    settled_to: int
    # Of the changes that were folded.
    count: int

    @property
    def is_last(self) -> bool:
        """Whether nothing was left to fold."""
        return self.folded_to >= self.settled_to
