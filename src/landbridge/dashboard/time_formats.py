"""Jinja filters for dates and times, in the organisation's time zone and on its clock."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime, format_skeleton, format_time, format_timedelta
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from landbridge.dashboard.number_formats import NONE

_YEAR = timedelta(days=366)


@pass_context
def moment(context: Context, value: str | datetime | None) -> Markup:
    """Return a time in the organisation's zone; the tooltip has microseconds and zone."""
    return _local_time(context, value, "d MMM y, HH:mm")


@pass_context
def second(context: Context, value: str | datetime | None) -> Markup:
    """Return a time as `moment` does, to the second."""
    return _local_time(context, value, "d MMM y, HH:mm:ss")


@pass_context
def clock_time(context: Context, value: datetime) -> Markup:
    """Return the time of a day, in the organisation's zone."""
    zone: ZoneInfo = context["zone"]
    text = format_time(value.astimezone(zone), "HH:mm:ss", locale=str(context["locale"]))
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        value.isoformat(), _with_zone(value, zone), text
    )


@pass_context
def day(context: Context, value: str | date | None) -> str:
    """Return a date."""
    if not value:
        return NONE
    on = date.fromisoformat(value[:10]) if isinstance(value, str) else value
    return format_date(on, "d MMM y", locale=str(context["locale"]))


@pass_context
def month_name(context: Context, value: date) -> str:
    """Return a month in words, such as `March 2026`."""
    return format_skeleton("yMMMM", value, locale=str(context["locale"]))


@pass_context
def axis_day(context: Context, value: str, labels: Sequence[str]) -> str:
    """Return a date for a chart's axis, without the year where all labels lie within a year."""
    try:
        on, first, last = (date.fromisoformat(each[:10]) for each in (value, labels[0], labels[-1]))
    except ValueError:
        return value
    pattern = "d MMM" if last - first < _YEAR else "MMM y"
    return format_date(on, pattern, locale=str(context["locale"]))


@pass_context
def ago(context: Context, value: str | datetime | None) -> Markup:
    """Return a time relative to now, past or future, on the organisation's clock."""
    at = _moment(value)
    if at is None:
        return NONE
    zone: ZoneInfo = context["zone"]
    text = format_timedelta(
        at - context["now"], add_direction=True, locale=str(context["locale"]), threshold=1.2
    )
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.isoformat(), _with_zone(at, zone), text
    )


@pass_context
def countdown(context: Context, value: str | datetime | None) -> Markup:
    """Return the remaining time, which a script counts down, on the organisation's clock."""
    at = _moment(value)
    if at is None:
        return NONE
    remaining = max(at - context["now"], timedelta())
    text = duration(context, remaining)
    return Markup('<time datetime="{}" data-left="{}" title="{}">{}</time>').format(
        at.isoformat(),
        int(remaining.total_seconds()),
        _with_zone(at, context["zone"]),
        text,
    )


@pass_context
def is_past(context: Context, value: str | datetime | None) -> bool:
    """Return whether a deadline is over, on the organisation's clock."""
    at = _moment(value)
    return at is not None and at <= context["now"]


@pass_context
def duration(context: Context, value: timedelta) -> str:
    """Return how long something takes, in its largest unit."""
    return format_timedelta(value, locale=str(context["locale"]), threshold=1.2)


def _local_time(context: Context, value: str | datetime | None, pattern: str) -> Markup:
    at = _moment(value)
    if at is None:
        return NONE
    zone, locale = context["zone"], str(context["locale"])
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.isoformat(),
        _with_zone(at, zone, "microseconds"),
        format_datetime(at.astimezone(zone), pattern, locale=locale),
    )


def _with_zone(at: datetime, zone: ZoneInfo, precision: str = "seconds") -> str:
    """Return a time with its zone, for tooltips."""
    return f"{at.astimezone(zone).isoformat(sep=' ', timespec=precision)} ({zone.key})"


def _moment(value: str | datetime | None) -> datetime | None:
    if not value:
        return None
    return datetime.fromisoformat(value) if isinstance(value, str) else value


TIME_FILTERS: Final[Mapping[str, Callable[..., object]]] = {
    "moment": moment,
    "second": second,
    "clock_time": clock_time,
    "day": day,
    "month_name": month_name,
    "axis_day": axis_day,
    "ago": ago,
    "countdown": countdown,
    "duration": duration,
    "is_past": is_past,
}
