"""Route handlers of approval and review pages."""

from collections.abc import Sequence

from litestar import Router
from litestar.types import ControllerRouterHandler

from landbridge.dashboard.approvals.approval_pages import ApprovalPages
from landbridge.dashboard.approvals.bank_line_pages import BankLinePages
from landbridge.dashboard.approvals.deposit_review_pages import DepositReviewPages
from landbridge.dashboard.approvals.queue_pages import QueuePages
from landbridge.dashboard.approvals.receivable_pages import ReceivablePages
from landbridge.dashboard.approvals.resolution_pages import ResolutionPages
from landbridge.dashboard.approvals.screening_pages import (
    DepositScreeningPages,
    PaymentScreeningPages,
)
from landbridge.dashboard.approvals.stuck_pages import StuckPages
from landbridge.dashboard.approvals.transfer_review_pages import TransferReviewPages

PAGES: Sequence[ControllerRouterHandler] = [
    Router(
        "/",
        route_handlers=[
            ApprovalPages,
            QueuePages,
            TransferReviewPages,
            DepositReviewPages,
            DepositScreeningPages,
            PaymentScreeningPages,
            BankLinePages,
            ReceivablePages,
            ResolutionPages,
            StuckPages,
        ],
    )
]
