"""Pages of receivables: amounts owed by users whose bank reversed fiat already paid out."""

from typing import Final

from litestar import Controller, get

from landbridge.dashboard.approvals.review_lists import ReviewList, review_users
from landbridge.dashboard.page_request import Page, PageRequest
from landbridge.payments.receivables.api import ReceivableList

_LIST: Final = ReviewList(
    "/v2/reviews/receivables",
    ReceivableList(count=0, reviews=[]),
    {"open": ["OPEN"], "recovered": ["RECOVERED"], "written-off": ["WRITTEN_OFF"]},
)


class ReceivablePages(Controller):
    """`/dashboard/reviews/receivables`."""

    path = "/reviews/receivables"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List receivables, longest waiting first."""
        found = await _LIST.load(request)
        return request.page(
            "approvals/receivables.html",
            rows=found.page.reviews,
            users=await review_users(request, found.page.reviews),
            **found.values,
        )
