"""Pages of receivables: amounts owed by users whose bank reversed fiat already paid out."""

from typing import Final

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Page, Renderer
from landbridge.payments.receivables.api import ReceivableList
from landbridge.platform.http.internal_client import InternalClient

_LIST: Final = ReviewList(
    "/v2/reviews/receivables",
    ReceivableList(count=0, reviews=[]),
    {"open": ["OPEN"], "recovered": ["RECOVERED"], "written-off": ["WRITTEN_OFF"]},
)


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
        found = await _LIST.load(request, interface)
        return renderer.page(
            request, "approvals/receivables.html", receivables=found.page.reviews, **found.values
        )
