"""What a report is asked for: a page's query or form to the parameters of a template, and back."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any, TypeAlias
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.forms import whole_number
from landbridge.dashboard.words import later as _

# A template as `GET /v2/reporting/templates` has it; its parameters by name.
Template: TypeAlias = Mapping[str, Any]
Params: TypeAlias = Mapping[str, Any]

# What a report begins with.
_DAYS = 30
_INTERVAL = "day"
# Shown apart from filters.
FRAME = ("createdAfter", "createdBefore", "calculationInterval", "timeZone")
_LISTS_OF_TEXT = "array"
_DATE_LENGTH_MAX = 40
_NUMBER_MAX = 10**9 - 1
_UTC = ZoneInfo("UTC")

INTERVALS = (
    ("day", _("Day")),
    ("week", _("Week")),
    ("month", _("Month")),
    ("quarter", _("Quarter")),
    ("year", _("Year")),
)


def filters(template: Template) -> Sequence[Mapping[str, Any]]:
    """The parameters that narrow a report, as they are to be shown."""
    return [
        each for each in template["params"] if each["name"] not in {*FRAME, "breakdowns", "limit"}
    ]


def params_of(
    template: Template, told: Mapping[str, Sequence[str]], now: datetime, zone: ZoneInfo
) -> dict[str, Any]:
    """What is asked, of what a query or form told; what was not told is as a report begins.

    Nothing is checked: the interface does that, and says what is wrong. `until` is the last day, as
    people say it; the interface has the moment behind it.
    """
    today = now.astimezone(zone).date()
    found: dict[str, Any] = {
        "createdAfter": str(today - timedelta(days=_DAYS - 1)),
        "calculationInterval": _INTERVAL,
        "timeZone": zone.key,
    }
    for each in template["params"]:
        name = each["name"]
        values = [value.strip() for value in told.get(name, ()) if value.strip()]
        if not values:
            continue
        is_list = each["multiple"] or each["type"] == _LISTS_OF_TEXT
        if each["type"] == _LISTS_OF_TEXT:
            values = [one.strip() for value in values for one in value.splitlines() if one.strip()]
        found[name] = values if is_list else values[0]
        if each["type"] == "integer":
            with suppress(FieldInvalid):
                found[name] = whole_number(str(found[name]), name, least=0, most=_NUMBER_MAX)
    until = "".join(told.get("until", ()))[:_DATE_LENGTH_MAX] or str(today)
    if "createdBefore" not in found:
        found["createdBefore"] = _behind(
            until, today, zone if found["timeZone"] == zone.key else _UTC
        )
    return found


def last_day(params: Params) -> str:
    """The last day of a report, if it ends with one; else the moment of its end."""
    try:
        end = datetime.fromisoformat(params["createdBefore"])
        return str(end.date() - timedelta(days=1)) if end.time() == time() else str(end)
    except (ValueError, OverflowError):
        return str(params["createdBefore"])


def _behind(until: str, today: date, zone: ZoneInfo) -> str:
    """The end of a day, as the interface takes it: of today that is a moment, no date."""
    try:
        day = date.fromisoformat(until)
        behind = day + timedelta(days=1)
    except (ValueError, OverflowError):
        return until
    return str(behind) if behind <= today else datetime.combine(behind, time(), zone).isoformat()


def query_of(template_name: str, params: Params, **more: str) -> str:
    """The query of the page that shows this report."""
    return urlencode({"template": template_name, **params, **more}, doseq=True)
