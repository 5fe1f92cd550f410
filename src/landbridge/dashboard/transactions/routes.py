"""Route handlers of transaction pages."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.transactions.export_pages import TransactionExportPages
from landbridge.dashboard.transactions.list_pages import SavedViewPages, TransactionPages
from landbridge.dashboard.transactions.search_pages import SearchPages

PAGES: Sequence[ControllerRouterHandler] = [
    TransactionPages,
    TransactionExportPages,
    SavedViewPages,
    SearchPages,
]
