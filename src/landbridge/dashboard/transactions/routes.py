"""Route handlers of transaction pages."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.transactions.export_pages import TransactionExportPages
from landbridge.dashboard.transactions.list_pages import TransactionPages
from landbridge.dashboard.transactions.search_pages import SearchPages
from landbridge.dashboard.transactions.view_pages import SavedViewPages

PAGES: Sequence[ControllerRouterHandler] = [
    TransactionPages,
    TransactionExportPages,
    SavedViewPages,
    SearchPages,
]
