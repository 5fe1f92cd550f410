"""All pages of reports."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.reports.builder_pages import BuilderPages
from landbridge.dashboard.reports.explore_pages import ExplorePages
from landbridge.dashboard.reports.fee_pages import FeesAndBillingPages
from landbridge.dashboard.reports.saved_pages import SavedReportPages
from landbridge.dashboard.reports.schedule_pages import SchedulePages
from landbridge.dashboard.reports.statement_pages import StatementPages
from landbridge.dashboard.reports.template_pages import TemplatePages

PAGES: Sequence[ControllerRouterHandler] = [
    ExplorePages,
    BuilderPages,
    TemplatePages,
    SavedReportPages,
    StatementPages,
    SchedulePages,
    FeesAndBillingPages,
]
