"""The pages of this room."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.reports.explore_pages import ExplorePages
from landbridge.dashboard.reports.saved_pages import SavedReportPages
from landbridge.dashboard.reports.schedule_pages import SchedulePages
from landbridge.dashboard.reports.statement_pages import StatementPages

PAGES: Sequence[ControllerRouterHandler] = [
    ExplorePages,
    SavedReportPages,
    StatementPages,
    SchedulePages,
]
