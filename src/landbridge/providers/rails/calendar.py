"""Banking days and cut-off times: when an outgoing payment settles.

Guarantees: a payment never settles before it was sent. It settles on a banking day wherever the
rail has banking days. Of two payments by the same rail, the earlier one never settles later.

Source: contract, lifecycles 10 (wires, same-day ACH, SWIFT); the Federal Reserve's calendar of
holidays; the European Central Bank's calendar of TARGET. Where the contract is silent, our own
rules hold: docs/reference/sandbox.md.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

NEW_YORK = ZoneInfo("America/New_York")
FRANKFURT = ZoneInfo("Europe/Berlin")

_DAY = timedelta(days=1)
_MONDAY, _THURSDAY, _SATURDAY, _SUNDAY = 0, 3, 5, 6

# A Fedwire day opens at 21:00 on the evening before. It closes at 19:00, before the next one opens.
_WIRES_OPEN = time(21)
# Cut-off for same-day wires.
_WIRE_CUT_OFF = time(15)
_WIRE_DURATION = timedelta(minutes=30)
# Cut-off times of same-day ACH, each with the settlement time of its batch.
_SAME_DAY_ACH = ((time(10), time(13)), (time(14), time(17)), (time(16), time(18)))
# Standard ACH is collected until the last cut-off and settles on the morning two banking days
# later.
_ACH_CUT_OFF = time(16)
_ACH_SETTLED = time(8, 30)
_ACH_DAYS = 2
_SWIFT_CUT_OFF = time(11, 30)
_SWIFT_SETTLED = time(16)
_SWIFT_DAYS = 1
_SEPA_CUT_OFF = time(15)
_SEPA_SETTLED = time(9)
_SEPA_DAYS = 1

# Settlement times of rails that run around the clock, every day.
_AT_ONCE = {
    "rtp": timedelta(seconds=5),
    "sepainstant": timedelta(seconds=10),
    "pix": timedelta(seconds=10),
    "fps": timedelta(seconds=30),
    "spei": timedelta(minutes=2),
    "momo": timedelta(minutes=5),
    "chats": timedelta(hours=2),
}


def settles_at(rail: str, at: datetime, *, is_same_day: bool = False) -> datetime:
    """Return when a payment that the bank receives at `at` reaches the payee, in UTC.

    `is_same_day` applies only to `ach`. A payment by an unknown rail takes a day.
    """
    name = rail.lower()
    if name in _AT_ONCE:
        return at + _AT_ONCE[name]
    match name:
        case "wire":
            settled = _wire(at)
        case "ach" if is_same_day:
            settled = _same_day_ach(at)
        case "ach":
            settled = _days_after(_US, at, cut_off=_ACH_CUT_OFF, days=_ACH_DAYS, to=_ACH_SETTLED)
        case "swift":
            settled = _days_after(
                _US, at, cut_off=_SWIFT_CUT_OFF, days=_SWIFT_DAYS, to=_SWIFT_SETTLED
            )
        case "sepa":
            settled = _days_after(
                _EURO, at, cut_off=_SEPA_CUT_OFF, days=_SEPA_DAYS, to=_SEPA_SETTLED
            )
        case _:
            settled = at + _DAY
    return settled.astimezone(UTC)


def cut_off(rail: str, at: datetime, *, is_same_day: bool = False) -> datetime:
    """Return the cut-off of the batch of a payment at `at`, in UTC.

    It is `at` itself for rails that run around the clock, and for unknown rails.
    """
    match rail.lower():
        case "wire":
            bank_zone, until = _US, _WIRE_CUT_OFF
        case "ach" if is_same_day:
            zone, _ = bank_zone = _US
            day = _acceptance_day(bank_zone, at, _SAME_DAY_ACH[-1][0])
            until = next(
                each
                for each, _ in _SAME_DAY_ACH
                if at < datetime.combine(day, each, zone).astimezone(UTC)
            )
        case "ach":
            bank_zone, until = _US, _ACH_CUT_OFF
        case "swift":
            bank_zone, until = _US, _SWIFT_CUT_OFF
        case "sepa":
            bank_zone, until = _EURO, _SEPA_CUT_OFF
        case _:
            return at
    zone, _ = bank_zone
    return datetime.combine(_acceptance_day(bank_zone, at, until), until, zone).astimezone(UTC)


def is_us_banking_day(day: date) -> bool:
    """Return whether the Federal Reserve Banks are open on a day."""
    return day.weekday() < _SATURDAY and day not in us_holidays(day.year)


def is_target_day(day: date) -> bool:
    """Return whether TARGET, and so SEPA, is open on a day."""
    return day.weekday() < _SATURDAY and day not in target_holidays(day.year)


def wire_day(at: datetime) -> date:
    """Return the Fedwire day that `at` falls into, whether it is a banking day or not."""
    local = at.astimezone(NEW_YORK)
    return local.date() + _DAY if local.time() >= _WIRES_OPEN else local.date()


@cache
def us_holidays(year: int) -> frozenset[date]:
    """Return the Federal Reserve's holidays in a year.

    A holiday on a Sunday is observed on Monday; one on a Saturday is not observed on Friday.
    """
    fixed = (
        date(year, 1, 1),  # New Year's Day
        date(year, 6, 19),  # Juneteenth
        date(year, 7, 4),  # Independence Day
        date(year, 11, 11),  # Veterans Day
        date(year, 12, 25),  # Christmas Day
    )
    moving = (
        _nth(year, 1, _MONDAY, 3),  # Martin Luther King, Jr.
        _nth(year, 2, _MONDAY, 3),  # Washington's Birthday
        _nth(year, 6, _MONDAY, 1) - 7 * _DAY,  # Memorial Day, the last Monday of May
        _nth(year, 9, _MONDAY, 1),  # Labor Day
        _nth(year, 10, _MONDAY, 2),  # Columbus Day
        _nth(year, 11, _THURSDAY, 4),  # Thanksgiving Day
    )
    return frozenset(each + _DAY if each.weekday() == _SUNDAY else each for each in fixed + moving)


@cache
def target_holidays(year: int) -> frozenset[date]:
    """Return the closing days of TARGET in a year, besides weekends; none moves to another day."""
    easter = _easter(year)
    return frozenset(
        {
            date(year, 1, 1),
            easter - 2 * _DAY,  # Good Friday
            easter + _DAY,  # Easter Monday
            date(year, 5, 1),
            date(year, 12, 25),
            date(year, 12, 26),
        }
    )


_BankZone = tuple[ZoneInfo, Callable[[date], bool]]
_US: _BankZone = (NEW_YORK, is_us_banking_day)
_EURO: _BankZone = (FRANKFURT, is_target_day)


def _wire(at: datetime) -> datetime:
    """Return a settlement within half an hour while the network is open, before the cut-off."""
    day = _acceptance_day(_US, at, _WIRE_CUT_OFF)
    opened = datetime.combine(day - _DAY, _WIRES_OPEN, NEW_YORK).astimezone(UTC)
    return max(at, opened) + _WIRE_DURATION


def _same_day_ach(at: datetime) -> datetime:
    zone, _ = _US
    day = _acceptance_day(_US, at, _SAME_DAY_ACH[-1][0])
    settled = next(
        settled
        for cut_off, settled in _SAME_DAY_ACH
        if at < datetime.combine(day, cut_off, zone).astimezone(UTC)
    )
    return datetime.combine(day, settled, zone)


def _days_after(
    bank_zone: _BankZone, at: datetime, *, cut_off: time, days: int, to: time
) -> datetime:
    """Return the time `to` on the day `days` banking days after the acceptance day."""
    zone, is_open = bank_zone
    day = _acceptance_day(bank_zone, at, cut_off)
    for _ in range(days):
        day = _next(day, is_open)
    return datetime.combine(day, to, zone)


def _acceptance_day(bank_zone: _BankZone, at: datetime, cut_off: time) -> date:
    """Return the first banking day with a cut-off after `at`."""
    zone, is_open = bank_zone
    day = at.astimezone(zone).date()
    if is_open(day) and at < datetime.combine(day, cut_off, zone).astimezone(UTC):
        return day
    return _next(day, is_open)


def _next(day: date, is_open: Callable[[date], bool]) -> date:
    while True:
        day += _DAY
        if is_open(day):
            return day


def _nth(year: int, month: int, weekday: int, nth: int) -> date:
    """Return the nth given weekday of a month, counted from 1."""
    first = date(year, month, 1)
    return first + _DAY * ((weekday - first.weekday()) % 7 + 7 * (nth - 1))


def _easter(year: int) -> date:
    """Return Easter Sunday by the anonymous Gregorian rule (Meeus, Astronomical Algorithms, 8)."""
    cycle = year % 19
    century, in_century = divmod(year, 100)
    leaps, remainder = divmod(century, 4)
    moved = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * cycle + century - leaps - moved + 15) % 30
    quads, year_mod_4 = divmod(in_century, 4)
    week = (32 + 2 * remainder + 2 * quads - moon - year_mod_4) % 7
    late = (cycle + 11 * moon + 22 * week) // 451
    month, day = divmod(moon + week - 7 * late + 114, 31)
    return date(year, month, day + 1)
