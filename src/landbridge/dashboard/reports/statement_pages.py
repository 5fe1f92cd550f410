"""Account statements: on the page, as PDF, as CSV."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from urllib.parse import urlencode

from litestar import Controller, Response, get
from litestar.types import ASGIApp

from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.rendering import headers
from landbridge.dashboard.reports.report_query import PeriodPreset
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.user_lookup import find_user_id
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.providers.chains.tokens import CURRENCIES
from landbridge.reporting.statements.schemas import StatementReply

_STATEMENTS = "/v2/reporting/statements"
# What a line is.
_PAYMENTS, _STEPS = "payments", "steps"


class StatementPages(Controller):
    """`/dashboard/reports/statements`."""

    path = "/reports/statements"

    @get("/")
    async def show(self, request: PageRequest) -> Response[str]:
        """Show the form, and the statement if a user is given."""
        today = request.now().astimezone(request.user.zone).date()
        query_values = _query_values(request, today)
        other = _STEPS if query_values["detail"] != _STEPS else _PAYMENTS
        values: dict[str, object] = {
            "values": query_values,
            "here": urlencode(query_values),
            "other_detail": urlencode(query_values | {"detail": other}),
            # Deposits of coins and resolutions have no page of their own.
            "payment_kinds": KIND_NAMES,
            "is_by_step": query_values["detail"] == _STEPS,
            "statement": None,
            **_choices(query_values, request.user.zone.key),
            "presets": _presets(query_values, today),
        }
        if not query_values["userId"]:
            return request.page("reports/statements.html", **values)
        try:
            user_id = await find_user_id(request.interface, query_values["userId"])
            query = query_values | {"userId": user_id or ""}
            values["here"] = urlencode(query)
            reply = await request.interface.read(
                StatementReply, _STATEMENTS, **_without_empty(query)
            )
            values["statement"] = reply.data
        except Refused as problem:
            if problem.field == "user":
                problem.field = "userId"
            return request.with_problem("reports/statements.html", problem, **values)
        return request.page("reports/statements.html", **values)

    @get("/file")
    async def file(self, request: PageRequest) -> ASGIApp:
        """Download the statement."""
        query_values = _query_values(request, request.now().astimezone(request.user.zone).date())
        query = request.query_params
        return request.interface.passing(
            _STATEMENTS,
            around=headers(),
            **_without_empty(query_values),
            format=query.get("format"),
        )


def _query_values(request: PageRequest, today: date) -> dict[str, str]:
    """Return the fields of the address; the default is the month so far, up to yesterday.

    On the first of a month that is the month before, because a period has at least one day.
    """
    begin = {
        "userId": "",
        "createdAfter": str((today - timedelta(days=1)).replace(day=1)),
        "createdBefore": str(today),
        "currency": "",
        "timeZone": request.user.zone.key,
        "detail": _PAYMENTS,
    }
    return {
        name: request.query_params.get(name, "").strip() or first for name, first in begin.items()
    }


def _choices(values: Mapping[str, str], zone: str) -> Mapping[str, object]:
    """Return what the selects offer, with what the address names, and whether it names days."""
    zones = dict.fromkeys((zone, "UTC", values["timeZone"]))
    # Wallets hold coins alone.
    chosen = (values["currency"],) if values["currency"] not in {"", *CURRENCIES} else ()
    return {
        "zones": [(each, each) for each in zones],
        "currencies": [(each, each.upper()) for each in (*CURRENCIES, *chosen)],
        "has_dates": all(_is_date(values[each]) for each in ("createdAfter", "createdBefore")),
    }


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _presets(values: Mapping[str, str], today: date) -> Sequence[PeriodPreset]:
    """Return the same statement over common periods; a period ends before its last date."""
    month = today.replace(day=1)
    last_month = (month - timedelta(days=1)).replace(day=1)
    periods = (
        *((_("This month"), month, today),) * (month < today),
        (_("Last month"), last_month, month),
        (_("90 days"), today - timedelta(days=90), today),
        *((_("This year"), month.replace(month=1), today),) * (month.replace(month=1) < today),
    )
    shown = values["createdAfter"], values["createdBefore"]
    return [
        PeriodPreset(
            title,
            urlencode(dict(values) | {"createdAfter": str(first), "createdBefore": str(end)}),
            shown == (str(first), str(end)),
        )
        for title, first, end in periods
    ]


def _without_empty(fields: dict[str, str]) -> dict[str, str | None]:
    return {name: value or None for name, value in fields.items()}
