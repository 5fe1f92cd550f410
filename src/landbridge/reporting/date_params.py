"""Date parameters of reports: dates in a time zone, or instants.

The zones are UTC and the organisation's own, once the roll-ups have days in that zone.
"""

from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.pagination import parse_moment
from landbridge.reporting.rollups.model import UTC_ZONE
from landbridge.reporting.rollups.service import Rollups

TIME_ZONE = "timeZone"


async def check_zone(rollups: Rollups, org_id: UUID, zone: str | None) -> str:
    """Return the zone of a report: UTC if none is given.

    Raises `FieldInvalid` for a zone that is neither UTC nor the organisation's, and
    `ResourceConflict` while its days are still being built.
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
    """Return whether a value is a bare date, `YYYY-MM-DD`."""
    return len(text) == len("2026-01-05")


def parse_bound(text: str, zone: str) -> datetime:
    """Parse a bound: the start of a date in `zone`, or an ISO 8601 time with an offset.

    Raises ValueError with a message that continues a sentence after the parameter's name.
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
    """Return the first instant of a day in `zone`, which is not midnight if clocks change then.

    For the first representable day, return the first representable instant.
    """
    try:
        return datetime.combine(day, time(), tzinfo=ZoneInfo(zone)).astimezone(UTC)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def local_day(moment: datetime, zone: str) -> date:
    """Return the day in `zone` that contains a moment."""
    return moment.astimezone(ZoneInfo(zone)).date()


def last_local_day(before: datetime, zone: str) -> date:
    """Return the last day in `zone` that starts before a moment."""
    return local_day(before - timedelta(microseconds=1), zone)
