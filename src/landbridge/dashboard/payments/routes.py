"""Route handlers of the pages that create payments."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.payments.action_pages import PaymentActions
from landbridge.dashboard.payments.new_pages import BatchPages, NewPaymentPages

PAGES: Sequence[ControllerRouterHandler] = [NewPaymentPages, BatchPages, PaymentActions]
