"""When a bank's statement is due, and which days it covers: pure functions.

A statement of a banking day is due by the end of the next one, in the bank's time zone.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from landbridge.providers.rails.calendar import (
    FRANKFURT,
    NEW_YORK,
    is_target_day,
    is_us_banking_day,
)

_DAY = timedelta(days=1)
_SATURDAY = 5


def _is_weekday(day: date) -> bool:
    return day.weekday() < _SATURDAY


# Zone and banking days of all other currencies, for which holidays are not known.
_OTHERS: tuple[tzinfo, Callable[[date], bool]] = (UTC, _is_weekday)
_CALENDARS: dict[str, tuple[tzinfo, Callable[[date], bool]]] = {
    "usd": (NEW_YORK, is_us_banking_day),
    "eur": (FRANKFURT, is_target_day),
}


def local_day(currency: str, at: datetime) -> date:
    """Return the date in the bank's time zone."""
    zone, _ = _CALENDARS.get(currency, _OTHERS)
    return at.astimezone(zone).date()


def statement_due(currency: str, at: datetime) -> datetime:
    """Return when the statement of the bank's day at time `at` is due."""
    zone, _ = _CALENDARS.get(currency, _OTHERS)
    due_on = next_banking_day(currency, local_day(currency, at))
    return datetime.combine(due_on + _DAY, time(), zone).astimezone(UTC)


def silent_from(currency: str, closing_on: date) -> datetime:
    """Return when the statement after that of `closing_on` is overdue: the bank is silent then."""
    zone, _ = _CALENDARS.get(currency, _OTHERS)
    due_on = next_banking_day(currency, next_banking_day(currency, closing_on))
    return datetime.combine(due_on + _DAY, time(), zone).astimezone(UTC)


def covered_day(currency: str, closing_on: date) -> date:
    """Return the last day with this closing balance: the day before the next banking day."""
    return next_banking_day(currency, closing_on) - _DAY


def next_banking_day(currency: str, day: date) -> date:
    """Return the first banking day after a day."""
    _, is_open = _CALENDARS.get(currency, _OTHERS)
    day += _DAY
    while not is_open(day):
        day += _DAY
    return day
