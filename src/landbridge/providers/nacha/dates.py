"""Dates of an ACH payment: intended settlement, and the end of the return window.

All days are banking days of the Federal Reserve. Source: NACHA Operating Rules: a return reaches
the sending bank by the opening of business on the second banking day after settlement; a prenote is
answered within three. We wait until the end of the day, in New York.
"""

from datetime import UTC, date, datetime, time, timedelta

from landbridge.providers.rails.calendar import NEW_YORK, is_us_banking_day, settles_at

RETURN_DAYS = 2
PRENOTE_DAYS = 3
_DAY = timedelta(days=1)


def effective_on(at: datetime, *, is_same_day: bool = False) -> date:
    """Return the effective entry date of a payment that the bank receives at `at`."""
    return settles_at("ach", at, is_same_day=is_same_day).astimezone(NEW_YORK).date()


def settled_on(effective: date) -> date:
    """Return the settlement day: the effective date, or the first banking day after it."""
    day = effective
    while not is_us_banking_day(day):
        day += _DAY
    return day


def returns_end_at(effective: date) -> datetime:
    """Return the end of the return window, in UTC."""
    return _end_of(banking_days_after(settled_on(effective), RETURN_DAYS))


def prenote_over_on(effective: date) -> date:
    """Return the first settlement day of a payment to an account that a prenote tests."""
    return banking_days_after(settled_on(effective), PRENOTE_DAYS)


def banking_days_after(day: date, count: int) -> date:
    """Return the day that is `count` banking days later."""
    for _ in range(count):
        day = settled_on(day + _DAY)
    return day


def _end_of(day: date) -> datetime:
    return datetime.combine(day + _DAY, time(), NEW_YORK).astimezone(UTC)
