"""Route handlers of the pages that create payments."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.payments.action_pages import PaymentActions
from landbridge.dashboard.payments.batch_pages import BatchPages
from landbridge.dashboard.payments.new_pages import NewPaymentPages

PAGES: Sequence[ControllerRouterHandler] = [NewPaymentPages, BatchPages, PaymentActions]
