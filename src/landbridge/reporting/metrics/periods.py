"""Periods of a span, identified by their first local day."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache

from landbridge.reporting.date_params import last_local_day, local_day, start_of_day
from landbridge.reporting.rollups.model import UTC_ZONE, Interval, Span

_QUARTER_MONTHS = 3
_DAY = timedelta(days=1)


def periods(span: Span) -> Iterator[date]:
    """Yield every period that overlaps the span, newest first."""
    first = period_of(local_day(span.after, span.zone), span.interval)
    period = period_of(last_local_day(span.before, span.zone), span.interval)
    is_complete = span.interval is not Interval.DAY or span.zone == UTC_ZONE
    while period >= first:
        if is_complete or period not in _left_out(period.year, span.zone):
            yield period
        if period == first:
            return
        period = period_of(period - _DAY, span.interval)


def starts_at(period: date, span: Span) -> datetime:
    """Return the first moment of a period within the span."""
    return max(span.after, start_of_day(period, span.zone))


def period_of(day: date, interval: Interval) -> date:
    """Return the first day of the period that contains this day; weeks begin on Mondays."""
    match interval:
        case Interval.DAY:
            return day
        case Interval.WEEK:
            return day - timedelta(days=day.weekday())
        case Interval.MONTH:
            return day.replace(day=1)
        case Interval.QUARTER:
            month = (day.month - 1) // _QUARTER_MONTHS * _QUARTER_MONTHS + 1
            return day.replace(month=month, day=1)
        case Interval.YEAR:
            return day.replace(month=1, day=1)


@lru_cache(maxsize=1_000)
def _left_out(year: int, zone: str) -> frozenset[date]:
    """Return the days of a year that a zone skipped, for example when the date line moved."""
    first, following = date(year, 1, 1), date(year + 1, 1, 1)
    days = [first + timedelta(days=each) for each in range((following - first).days + 1)]
    starts = [start_of_day(each, zone) for each in days]
    ends = starts[1:]
    return frozenset(
        day for day, start, end in zip(days, starts, ends, strict=False) if start == end
    )
