"""Which periods there are, and when their reports are due, by the clocks of a zone.

A time that clocks skip is taken as if they had not been put forward yet: 02:30 is 03:30 on that
day. Of one that comes twice, the first counts. No report is due before its period has ended.
"""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from landbridge.reporting.metrics.periods import period_of
from landbridge.reporting.moments import local_day, start_of_day
from landbridge.reporting.rollups.model import Interval
from landbridge.reporting.schedules.model import MISSED_MAX, Every, Plan

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)


def first_due(plan: Plan, now: datetime) -> date:
    """The period whose report is the next one that is due after `now`."""
    today = local_day(now, plan.zone)
    period = preceding(plan, preceding(plan, _begin(plan.every, today)))
    while due_at(plan, period) <= now:
        period = following(plan, period)
    return period


def next_to_make(plan: Plan, period: date, now: datetime) -> date:
    """The period to go on with: this one, or later where too many are due to make them all."""
    earliest = first_due(plan, now)
    for _ in range(MISSED_MAX):
        earliest = preceding(plan, earliest)
    return max(period, earliest)


def due_at(plan: Plan, period: date) -> datetime:
    """When the report of a period is due."""
    until = end_of(plan, period)
    local = datetime.combine(until, plan.at, ZoneInfo(plan.zone))
    return max(local.astimezone(UTC), start_of_day(until, plan.zone))


def end_of(plan: Plan, period: date) -> date:
    """The day after the last of a period."""
    match plan.every:
        case Every.DAY:
            return period + _DAY
        case Every.WEEK:
            return period + _WEEK
        case Every.MONTH:
            return _begin(Every.MONTH, period.replace(day=28) + _WEEK)


def following(plan: Plan, period: date) -> date:
    """The next period of which there is any time: a zone may leave out a whole day."""
    after = end_of(plan, period)
    while _is_empty(plan, after):
        after = end_of(plan, after)
    return after


def preceding(plan: Plan, period: date) -> date:
    """The period before, likewise."""
    before = _begin(plan.every, period - _DAY)
    while _is_empty(plan, before):
        before = _begin(plan.every, before - _DAY)
    return before


def _begin(every: Every, day: date) -> date:
    """The first day of the period that has this day."""
    return period_of(day, Interval(every))


def _is_empty(plan: Plan, period: date) -> bool:
    return start_of_day(period, plan.zone) >= start_of_day(end_of(plan, period), plan.zone)
