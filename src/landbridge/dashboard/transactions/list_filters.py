"""Filters of the transaction list: from the page's query string to the API's parameters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from landbridge.dashboard.list_queries import ListQuery
from landbridge.dashboard.number_formats import parse_number
from landbridge.dashboard.transactions.list_views import chosen_sort, view_statuses
from landbridge.dashboard.user_lookup import find_user_id
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

FILTERS = (
    *("view", "type", "status", "currency", "user", "from", "until", "minimum", "maximum"),
    "sort",
)
_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class ListPeriod:
    """Link to the same list over a common period."""

    path: str
    title: str
    is_current: bool


def list_periods(query: ListQuery, today: date) -> Sequence[ListPeriod]:
    """Return the same list over common periods up to `today`. Weeks begin on Monday."""
    monday = today - timedelta(days=today.weekday())
    month = today.replace(day=1)
    periods = (
        (_("Today"), today, today),
        (_("7 days"), today - 6 * _DAY, today),
        (_("Last week"), monday - _WEEK, monday - _DAY),
        (_("This month"), month, today),
        (_("Last month"), (month - _DAY).replace(day=1), month - _DAY),
    )
    chosen = (query.text("from"), query.text("until"))
    return [
        ListPeriod(
            path=replace(query, filters={**query.filters, "from": str(first)}).with_filter(
                "until", str(last)
            ),
            title=title,
            is_current=chosen == (str(first), str(last)),
        )
        for title, first, last in periods
    ]


async def to_api_query(
    query: ListQuery, interface: InternalClient, zone: ZoneInfo, language: str
) -> dict[str, str | list[str] | None]:
    """Return the API query of the filters; raise `FieldInvalid` for an invalid one."""
    return {
        "type": query.text("type") or None,
        "status": view_statuses(query),
        "currency": query.text("currency") or None,
        "userId": await find_user_id(interface, query.text("user")),
        "createdAfter": _day_start("from", query.text("from"), zone, timedelta()),
        "createdBefore": _day_start("until", query.text("until"), zone, _DAY),
        "minAmount": _amount(query, "minimum", language),
        "maxAmount": _amount(query, "maximum", language),
        "sort": chosen_sort(query),
        "cursor": query.cursor,
    }


def _amount(query: ListQuery, name: str, language: str) -> str | None:
    return parse_number(query.text(name), language, field=name) or None


def _day_start(name: str, text: str, zone: ZoneInfo, later: timedelta) -> str | None:
    """Return the start of a day, or of the next, in the organisation's zone."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text) + later
        return datetime.combine(day, time(), tzinfo=zone).isoformat()
    except (ValueError, OverflowError):
        raise FieldInvalid("Enter a date, for example 2026-01-31.", field=name) from None
