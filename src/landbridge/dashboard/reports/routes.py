"""All pages of reports."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.reports.builder_pages import BuilderPages, TemplatePages
from landbridge.dashboard.reports.explore_pages import ExplorePages, SavedReportPages
from landbridge.dashboard.reports.fee_pages import FeesAndBillingPages
from landbridge.dashboard.reports.schedule_pages import SchedulePages
from landbridge.dashboard.reports.statement_pages import StatementPages

PAGES: Sequence[ControllerRouterHandler] = [
    ExplorePages,
    BuilderPages,
    TemplatePages,
    SavedReportPages,
    StatementPages,
    SchedulePages,
    FeesAndBillingPages,
]
