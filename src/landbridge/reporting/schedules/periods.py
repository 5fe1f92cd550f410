"""Periods of schedules and their due times, in a zone's local time.

A time that clocks skip is read with the offset before the change: 02:30 is 03:30 on that day. If a
time occurs twice, the first one counts. No report is due before its period has ended.
"""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from landbridge.reporting.date_params import local_day, start_of_day
from landbridge.reporting.metrics.periods import period_of
from landbridge.reporting.rollups.model import Interval
from landbridge.reporting.schedules.model import MISSED_MAX, ScheduleInterval, SchedulePlan

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)


def first_due(plan: SchedulePlan, now: datetime) -> date:
    """Return the period whose report is the next one due after `now`."""
    today = local_day(now, plan.zone)
    period = preceding(plan, preceding(plan, _begin(plan.cadence, today)))
    while due_at(plan, period) <= now:
        period = following(plan, period)
    return period


def next_to_make(plan: SchedulePlan, period: date, now: datetime) -> date:
    """Return the period to continue with: this one, or a later one if too many were missed."""
    earliest = first_due(plan, now)
    for _ in range(MISSED_MAX):
        earliest = preceding(plan, earliest)
    return max(period, earliest)


def due_at(plan: SchedulePlan, period: date) -> datetime:
    """Return when the report of a period is due."""
    until = end_of(plan, period)
    local = datetime.combine(until, plan.at, ZoneInfo(plan.zone))
    return max(local.astimezone(UTC), start_of_day(until, plan.zone))


def end_of(plan: SchedulePlan, period: date) -> date:
    """Return the day after the last day of a period."""
    match plan.cadence:
        case ScheduleInterval.DAY:
            return period + _DAY
        case ScheduleInterval.WEEK:
            return period + _WEEK
        case ScheduleInterval.MONTH:
            return _begin(ScheduleInterval.MONTH, period.replace(day=28) + _WEEK)


def following(plan: SchedulePlan, period: date) -> date:
    """Return the next period that exists in the zone, which may skip a whole day."""
    after = end_of(plan, period)
    while _is_empty(plan, after):
        after = end_of(plan, after)
    return after


def preceding(plan: SchedulePlan, period: date) -> date:
    """Return the previous period that exists in the zone."""
    before = _begin(plan.cadence, period - _DAY)
    while _is_empty(plan, before):
        before = _begin(plan.cadence, before - _DAY)
    return before


def _begin(every: ScheduleInterval, day: date) -> date:
    """Return the first day of the period that contains this day."""
    return period_of(day, Interval(every))


def _is_empty(plan: SchedulePlan, period: date) -> bool:
    return start_of_day(period, plan.zone) >= start_of_day(end_of(plan, period), plan.zone)
