"""Account statements: on the page, as PDF, as CSV."""

from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.types import ASGIApp

from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Renderer, headers
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.internal_client import InternalClient

_STATEMENTS = "/v2/reporting/statements"
# What a line is.
_PAYMENTS, _STEPS = "payments", "steps"


class StatementPages(Controller):
    """`/dashboard/reports/statements`."""

    path = "/reports/statements"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
    ) -> Response[str]:
        """Show the form, and the statement if a user is given."""
        query_values = _query_values(
            request, renderer.now(request).astimezone(request.user.zone).date()
        )
        other = _STEPS if query_values["detail"] != _STEPS else _PAYMENTS
        values: dict[str, Any] = {
            "values": query_values,
            "here": urlencode(query_values),
            "other_detail": urlencode(query_values | {"detail": other}),
            # Deposits of coins and resolutions have no page of their own.
            "payment_kinds": KIND_NAMES,
            "is_by_step": query_values["detail"] == _STEPS,
            "statement": None,
        }
        if not query_values["userId"]:
            return renderer.page(request, "reports/statements.html", **values)
        try:
            values["statement"] = (
                await interface.get(_STATEMENTS, **_without_empty(query_values))
            )["data"]
        except Refused as problem:
            return renderer.with_problem(request, "reports/statements.html", problem, **values)
        return renderer.page(request, "reports/statements.html", **values)

    @get("/file")
    async def file(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
    ) -> ASGIApp:
        """Download the statement."""
        query_values = _query_values(
            request, renderer.now(request).astimezone(request.user.zone).date()
        )
        query = request.query_params
        return interface.passing(
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


def _without_empty(fields: dict[str, str]) -> dict[str, str | None]:
    return {name: value or None for name, value in fields.items()}
