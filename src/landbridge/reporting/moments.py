"""Moments as reports are asked for them: dates of a time zone, or instants.

The zones are UTC and, while roll-ups have its days, the organisation's own.
"""

from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.core.errors import FieldInvalid, ResourceConflict
from landbridge.core.pages import parse_moment
from landbridge.reporting.rollups.model import UTC_ZONE
from landbridge.reporting.rollups.service import Rollups

TIME_ZONE = "timeZone"


async def check_zone(rollups: Rollups, org_id: UUID, zone: str | None) -> str:
    """The zone of a report: UTC if none is named.

    Raises `FieldInvalid` for one that is neither UTC nor the organisation's, and
    `ResourceConflict` while days of that one are still being made.
    """
    if zone is None or zone == UTC_ZONE:
        return UTC_ZONE
    builds = await rollups.builds(org_id)
    if any(each.is_current and each.zone == zone for each in builds):
        return zone
    if any(each.zone == zone for each in builds if not each.is_current):
        raise ResourceConflict(
            "the days of this time zone are being made; try again in a while", field=TIME_ZONE
        )
    own = next((each.zone for each in builds if each.is_current), UTC_ZONE)
    known = UTC_ZONE if own == UTC_ZONE else f"{UTC_ZONE} or {own}"
    raise FieldInvalid(
        f"timeZone must be {known}; PUT /v2/reporting/time-zone sets the organisation's own",
        field=TIME_ZONE,
    )


def is_bare_date(text: str) -> bool:
    """Whether a moment is told as a date, `YYYY-MM-DD`, and no more."""
    return len(text) == len("2026-01-05")


def parse_bound(text: str, zone: str) -> datetime:
    """The start of a date in `zone`, or an ISO 8601 time with an offset.

    Raises ValueError with a sentence that goes on after the parameter's name.
    """
    moment = parse_moment(text)
    try:
        if is_bare_date(text):
            moment = start_of_day(moment.date(), zone)
        local_day(moment, zone)
    except OverflowError as error:
        raise ValueError("lies too far away") from error
    return moment


def start_of_day(day: date, zone: str) -> datetime:
    """The first instant of a day in `zone`: not always midnight, where clocks change then.

    Of the first day of all it is the first that can be told, if it began before.
    """
    try:
        return datetime.combine(day, time(), tzinfo=ZoneInfo(zone)).astimezone(UTC)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def local_day(moment: datetime, zone: str) -> date:
    """The day that a moment belongs to in `zone`."""
    return moment.astimezone(ZoneInfo(zone)).date()


def last_local_day(before: datetime, zone: str) -> date:
    """The last day in `zone` that has a moment before this one."""
    return local_day(before - timedelta(microseconds=1), zone)
