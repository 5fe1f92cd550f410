"""Pages of receivables: amounts owed by users whose bank reversed fiat already paid out."""

from collections.abc import Mapping, Sequence
from typing import Final

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Page, Renderer
from landbridge.platform.http.internal_client import InternalClient

_STATUS_FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "open": ["OPEN"],
    "recovered": ["RECOVERED"],
    "written-off": ["WRITTEN_OFF"],
}


class ReceivablePages(Controller):
    """`/dashboard/reviews/receivables`."""

    path = "/reviews/receivables"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
    ) -> Page:
        """List receivables, longest waiting first."""
        query = read_list_query(request, "show")
        status_filter = query.text("show") if query.text("show") in _STATUS_FILTERS else "open"
        found, filter_error = await load_list(
            interface.get(
                "/v2/reviews/receivables",
                status=_STATUS_FILTERS[status_filter],
                limit=PAGE_SIZE,
                createdAfter=query.cursor,
            ),
            {"reviews": [], "count": 0, "nextCursor": None},
        )
        is_full = found["count"] == PAGE_SIZE
        return renderer.page(
            request,
            "approvals/receivables.html",
            receivables=found["reviews"],
            list_query=query,
            status_filter=status_filter,
            next=query.older(found.get("nextCursor")) if is_full else None,
            filter_error=filter_error,
        )
