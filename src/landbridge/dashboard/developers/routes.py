"""Route handlers of developer pages."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.developers.delivery_pages import DeliveryPages, EventPages
from landbridge.dashboard.developers.key_pages import KeyPages
from landbridge.dashboard.developers.request_pages import RequestPages
from landbridge.dashboard.developers.webhook_pages import WebhookPages

PAGES: Sequence[ControllerRouterHandler] = [
    DeliveryPages,
    EventPages,
    KeyPages,
    RequestPages,
    WebhookPages,
]
