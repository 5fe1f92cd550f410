"""Pages of screened payments, by status."""

from typing import Final

from litestar import Controller, get
from litestar.params import FromPath

from landbridge.customers.payment_screening.review_api import (
    PaymentScreeningList,
    PaymentScreeningReply,
)
from landbridge.dashboard.approvals.deposit_screening_pages import CATEGORIES
from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_request import Page, PageRequest

_API: Final = "/v2/reviews/payment-screenings"
_LIST: Final = ReviewList(
    _API,
    PaymentScreeningList(count=0, reviews=[]),
    {
        "held": ["HELD"],
        "screening": ["IN_SCREENING"],
        "released": ["RELEASED"],
        "rejected": ["REJECTED", "VOID"],
    },
)


class PaymentScreeningPages(Controller):
    """`/dashboard/reviews/payment-screenings`."""

    path = "/reviews/payment-screenings"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List screened destinations of payments, longest waiting first."""
        found = await _LIST.load(request)
        return request.page(
            "approvals/payment_screenings.html",
            screenings=found.page.reviews,
            categories=CATEGORIES,
            **found.values,
        )

    @get("/{screening_id:str}")
    async def show(self, request: PageRequest, screening_id: FromPath[str]) -> Page:
        """Show one screened destination."""
        found = await request.interface.read(PaymentScreeningReply, f"{_API}/{screening_id}")
        return request.page(
            "approvals/payment_screening.html", screening=found, categories=CATEGORIES
        )
