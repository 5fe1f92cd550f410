"""Pages of screened deposits and of screened payments, by status."""

from typing import Final

from litestar import Controller, get
from litestar.params import FromPath

from landbridge.customers.deposit_screening.review_api import (
    DepositScreeningList,
    DepositScreeningReply,
)
from landbridge.customers.payment_screening.review_api import (
    PaymentScreeningList,
    PaymentScreeningReply,
)
from landbridge.dashboard.approvals.review_lists import ReviewList, review_users
from landbridge.dashboard.page_request import Page, PageRequest
from landbridge.platform.formats.translations import later as _

_DEPOSITS, _PAYMENTS = "/v2/reviews/deposit-screenings", "/v2/reviews/payment-screenings"
_DEPOSIT_LIST: Final = ReviewList(
    _DEPOSITS,
    DepositScreeningList(count=0, reviews=[]),
    {
        "held": ["HELD"],
        "screening": ["IN_SCREENING"],
        "released": ["RELEASED"],
        "rejected": ["REJECTED", "LOST"],
    },
)
_PAYMENT_LIST: Final = ReviewList(
    _PAYMENTS,
    PaymentScreeningList(count=0, reviews=[]),
    {
        "held": ["HELD"],
        "screening": ["IN_SCREENING"],
        "released": ["RELEASED"],
        "rejected": ["REJECTED", "VOID"],
    },
)
SOURCES: Final = {
    "WALLET": _("Coins for a wallet"),
    "TREASURY": _("Coins for the organisation"),
    "BANK": _("Fiat"),
}
CATEGORIES: Final = {
    "sanctions": _("Sanctions"),
    "terrorism": _("Terrorism"),
    "child_abuse": _("Child abuse"),
    "darknet": _("Darknet market"),
    "fraud": _("Fraud"),
    "mixer": _("Mixer"),
    "ransomware": _("Ransomware"),
    "theft": _("Theft"),
    "other": _("Other"),
}


class DepositScreeningPages(Controller):
    """`/dashboard/reviews/deposit-screenings`."""

    path = "/reviews/deposit-screenings"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List screened deposits, longest waiting first."""
        found = await _DEPOSIT_LIST.load(request)
        return request.page(
            "approvals/deposit_screenings.html",
            rows=found.page.reviews,
            users=await review_users(request, found.page.reviews),
            sources=SOURCES,
            categories=CATEGORIES,
            **found.values,
        )

    @get("/{screening_id:str}")
    async def show(self, request: PageRequest, screening_id: FromPath[str]) -> Page:
        """Show one screened deposit."""
        found = await request.interface.read(DepositScreeningReply, f"{_DEPOSITS}/{screening_id}")
        return request.page(
            "approvals/deposit_screening.html",
            screening=found,
            users=await review_users(request, [found]),
            sources=SOURCES,
            categories=CATEGORIES,
        )


class PaymentScreeningPages(Controller):
    """`/dashboard/reviews/payment-screenings`."""

    path = "/reviews/payment-screenings"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List screened destinations of payments, longest waiting first."""
        found = await _PAYMENT_LIST.load(request)
        return request.page(
            "approvals/payment_screenings.html",
            rows=found.page.reviews,
            users=await review_users(request, found.page.reviews),
            categories=CATEGORIES,
            **found.values,
        )

    @get("/{screening_id:str}")
    async def show(self, request: PageRequest, screening_id: FromPath[str]) -> Page:
        """Show one screened destination."""
        found = await request.interface.read(PaymentScreeningReply, f"{_PAYMENTS}/{screening_id}")
        return request.page(
            "approvals/payment_screening.html",
            screening=found,
            users=await review_users(request, [found]),
            categories=CATEGORIES,
        )
