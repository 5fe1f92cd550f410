"""Pages of screened deposits, by status."""

from typing import Final

from litestar import Controller, get
from litestar.params import FromPath

from landbridge.customers.deposit_screening.review_api import (
    DepositScreeningList,
    DepositScreeningReply,
)
from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_request import Page, PageRequest
from landbridge.platform.formats.translations import later as _

_API: Final = "/v2/reviews/deposit-screenings"
_LIST: Final = ReviewList(
    _API,
    DepositScreeningList(count=0, reviews=[]),
    {
        "held": ["HELD"],
        "screening": ["IN_SCREENING"],
        "released": ["RELEASED"],
        "rejected": ["REJECTED", "LOST"],
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
        found = await _LIST.load(request)
        return request.page(
            "approvals/deposit_screenings.html",
            screenings=found.page.reviews,
            sources=SOURCES,
            categories=CATEGORIES,
            **found.values,
        )

    @get("/{screening_id:str}")
    async def show(self, request: PageRequest, screening_id: FromPath[str]) -> Page:
        """Show one screened deposit."""
        found = await request.interface.read(DepositScreeningReply, f"{_API}/{screening_id}")
        return request.page(
            "approvals/deposit_screening.html",
            screening=found,
            sources=SOURCES,
            categories=CATEGORIES,
        )
