"""Parameters of a report: from the query or form of a page, and back to a query."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TypeAlias
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from landbridge.dashboard.json_text import JsonObject, JsonValue
from landbridge.dashboard.page_request import parse_integer
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.translations import later as _
from landbridge.reporting.metrics.custom.model import at_version
from landbridge.reporting.metrics.saved_schemas import MetricReply
from landbridge.reporting.metrics.template_schemas import ParamReply, TemplateReply

# By name.
Params: TypeAlias = Mapping[str, JsonValue]

# Default length of a report.
_DAYS = 30
# Parameters that the form shows before the filters.
PERIOD_PARAMS = ("createdAfter", "createdBefore", "calculationInterval", "timeZone")
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


def filters(template: TemplateReply) -> Sequence[ParamReply]:
    """Return the parameters that filter a report, in the order of the form."""
    return [
        each for each in template.params if each.name not in {*PERIOD_PARAMS, "breakdowns", "limit"}
    ]


def intervals_of(params: Sequence[ParamReply]) -> Sequence[tuple[str, str]]:
    """Return the intervals that the parameters of a template offer, with their labels."""
    offered = {
        option for each in params if each.name == "calculationInterval" for option in each.options
    }
    return [each for each in INTERVALS if each[0] in offered]


def params_of(
    params: Sequence[ParamReply],
    fields: Mapping[str, Sequence[str]],
    now: datetime,
    zone: ZoneInfo,
) -> JsonObject:
    """Return the values of a query or form for these parameters, with defaults for those left out.

    The API validates them. `until` is the last day, inclusive; the API's parameter is the moment
    after it.
    """
    today = now.astimezone(zone).date()
    found: JsonObject = {
        "createdAfter": str(today - timedelta(days=_DAYS - 1)),
        "calculationInterval": intervals_of(params)[0][0],
        "timeZone": zone.key,
    }
    for each in params:
        name = each.name
        values = [value.strip() for value in fields.get(name, ()) if value.strip()]
        if not values:
            continue
        is_list = each.multiple or each.type == _LISTS_OF_TEXT
        if each.type == _LISTS_OF_TEXT:
            values = [one.strip() for value in values for one in value.splitlines() if one.strip()]
        found[name] = values if is_list else values[0]
        if each.type == "integer":
            with suppress(FieldInvalid):
                found[name] = parse_integer(str(found[name]), name, minimum=0, maximum=_NUMBER_MAX)
    until = "".join(fields.get("until", ()))[:_DATE_LENGTH_MAX] or str(today)
    if "createdBefore" not in found:
        found["createdBefore"] = _end_of(
            until, today, zone if found["timeZone"] == zone.key else _UTC
        )
    return found


def last_day(params: Params) -> str:
    """Return the last day of a report, or its end if that is no start of a day."""
    try:
        end = datetime.fromisoformat(str(params["createdBefore"]))
        return str(end.date() - timedelta(days=1)) if end.time() == time() else str(end)
    except (ValueError, OverflowError):
        return str(params["createdBefore"])


def _end_of(until: str, today: date, zone: ZoneInfo) -> str:
    """Return the end of a day as the API accepts it: a date, or for today a time."""
    try:
        day = date.fromisoformat(until)
        next_day = day + timedelta(days=1)
    except (ValueError, OverflowError):
        return until
    return (
        str(next_day) if next_day <= today else datetime.combine(next_day, time(), zone).isoformat()
    )


@dataclass(frozen=True, slots=True)
class PeriodPreset:
    """Link to the same report over a common period."""

    title: str
    query: str
    is_current: bool


def period_presets(
    reference: str, params: Params, today: date, measure: str
) -> Sequence[PeriodPreset]:
    """Return the same report over common periods, up to `today`."""
    month = today.replace(day=1)
    last_month_end = month - timedelta(days=1)
    periods = (
        (_("7 days"), today - timedelta(days=6), today),
        (_("30 days"), today - timedelta(days=_DAYS - 1), today),
        (_("90 days"), today - timedelta(days=89), today),
        (_("This month"), month, today),
        (_("Last month"), last_month_end.replace(day=1), last_month_end),
        (_("This year"), today.replace(month=1, day=1), today),
    )
    others = {
        name: value
        for name, value in params.items()
        if name not in {"createdAfter", "createdBefore"}
    }
    shown = (str(params["createdAfter"])[:10], last_day(params)[:10])
    return [
        PeriodPreset(
            title,
            query_of(
                reference,
                {**others, "createdAfter": str(first), "until": str(last)},
                measure=measure,
            ),
            shown == (str(first), str(last)),
        )
        for title, first, last in periods
    ]


def reference_of(template: TemplateReply) -> str:
    """Return a template's name in requests; an own template has its version, `NAME@2`."""
    return at_version(template.name, template.version or None)


def used_reference(metric: MetricReply) -> str:
    """Return the name of a saved report's template in requests, with the version that it uses."""
    return at_version(metric.template, metric.template_version or None)


def query_of(template_name: str, params: Params, **more: str) -> str:
    """Return the query of the page that shows this report."""
    return urlencode({"template": template_name, **params, **more}, doseq=True)
