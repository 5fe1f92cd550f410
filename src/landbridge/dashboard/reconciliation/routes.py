"""Page controllers of reconciliation."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.reconciliation.close_pages import ClosePages
from landbridge.dashboard.reconciliation.difference_pages import DifferencePages
from landbridge.dashboard.reconciliation.halt_pages import HaltPages

PAGES: Sequence[ControllerRouterHandler] = [ClosePages, DifferencePages, HaltPages]
