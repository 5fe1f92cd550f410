"""Account statements: on the page, as PDF, as CSV."""

from datetime import date
from typing import Any
from urllib.parse import urlencode

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.types import ASGIApp

from landbridge.core.errors import Refused
from landbridge.dashboard.pages import Renderer, headers
from landbridge.dashboard.visitors import PageRequest
from landbridge.web.inside import Interface

_STATEMENTS = "/v2/reporting/statements"


class StatementPages(Controller):
    """`/dashboard/reports/statements`."""

    path = "/reports/statements"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """The form, and the statement once a user is named."""
        told = _told(request, renderer.now(request).astimezone(request.user.zone).date())
        values: dict[str, Any] = {"asked": told, "here": urlencode(told), "statement": None}
        if not told["userId"]:
            return renderer.page(request, "reports/statements.html", **values)
        try:
            values["statement"] = (await interface.get(_STATEMENTS, **_given(told)))["data"]
        except Refused as problem:
            return renderer.again(request, "reports/statements.html", problem, **values)
        return renderer.page(request, "reports/statements.html", **values)

    @get("/file")
    async def file(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> ASGIApp:
        """The statement as a file."""
        told = _told(request, renderer.now(request).astimezone(request.user.zone).date())
        query = request.query_params
        return interface.passing(
            _STATEMENTS, around=headers(), **_given(told), format=query.get("format")
        )


def _told(request: PageRequest, today: date) -> dict[str, str]:
    """What the address asks for; else this month so far."""
    begin = {
        "userId": "",
        "createdAfter": str(today.replace(day=1)),
        "createdBefore": str(today),
        "currency": "",
        "timeZone": request.user.zone.key,
    }
    return {
        name: request.query_params.get(name, "").strip() or first for name, first in begin.items()
    }


def _given(told: dict[str, str]) -> dict[str, str | None]:
    return {name: value or None for name, value in told.items()}
