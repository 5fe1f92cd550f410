"""Receivables: what users owe, since their bank took fiat back that was delivered or returned."""

from collections.abc import Mapping, Sequence
from typing import Final

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.dashboard.pages import Page, Renderer
from landbridge.dashboard.queries import PAGE_SIZE, asked, listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.web.inside import Interface

_SHOWN: Final[Mapping[str, Sequence[str]]] = {
    "open": ["OPEN"],
    "recovered": ["RECOVERED"],
    "written-off": ["WRITTEN_OFF"],
}
_UNPROCESSABLE = 422


class ReceivablePages(Controller):
    """`/dashboard/reviews/receivables`."""

    path = "/reviews/receivables"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """The longest waiting first."""
        told = asked(request, "show")
        shown = told.text("show") if told.text("show") in _SHOWN else "open"
        found, wrong = await listed(
            interface.get(
                "/v2/reviews/receivables",
                status=_SHOWN[shown],
                limit=PAGE_SIZE,
                createdAfter=told.cursor,
            ),
            {"reviews": [], "count": 0, "nextCursor": None},
        )
        is_full = found["count"] == PAGE_SIZE
        return renderer.page(
            request,
            "approvals/receivables.html",
            status=_UNPROCESSABLE if wrong else 200,
            receivables=found["reviews"],
            asked=told,
            shown=shown,
            next=told.older(found["nextCursor"]) if is_full else None,
            wrong=wrong,
        )
