"""Routes of all dashboard pages."""

from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

from litestar import Router, get
from litestar.di import Provide
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from landbridge.customers.team.model import SignedInSession
from landbridge.dashboard.actor_names import ActorNames
from landbridge.dashboard.approvals import routes as approvals
from landbridge.dashboard.assets import asset
from landbridge.dashboard.auth import routes as auth
from landbridge.dashboard.authentication import page_guard
from landbridge.dashboard.compliance import routes as compliance
from landbridge.dashboard.developers import routes as developers
from landbridge.dashboard.error_pages import ErrorPages
from landbridge.dashboard.lists import routes as lists
from landbridge.dashboard.organisation import routes as organisation
from landbridge.dashboard.overview import OverviewPages
from landbridge.dashboard.page_request import TOOLS, PageRequest, PageTools
from landbridge.dashboard.payments import routes as payments
from landbridge.dashboard.reconciliation import routes as reconciliation
from landbridge.dashboard.rendering import InstallationInfo, Renderer
from landbridge.dashboard.reports import routes as reports
from landbridge.dashboard.reports.comparison import provide_report_reader
from landbridge.dashboard.reports.schedule_pages import provide_recipients
from landbridge.dashboard.style_guide_pages import StyleGuidePages
from landbridge.dashboard.team import routes as team
from landbridge.dashboard.transactions import routes as transactions
from landbridge.dashboard.users import routes as users
from landbridge.platform.http.caller import Caller
from landbridge.reporting.attention_counts import AttentionCount


@get("/{path:path}")
async def not_found(path: FromPath[str]) -> None:
    """Raise `NotFoundException` for an unknown path, so that an error page is shown."""
    raise NotFoundException(f"there is no page at {path}")


PAGES: Sequence[ControllerRouterHandler] = [
    asset,
    not_found,
    OverviewPages,
    StyleGuidePages,
    *approvals.PAGES,
    *compliance.PAGES,
    *developers.PAGES,
    *auth.PAGES,
    *lists.PAGES,
    *organisation.PAGES,
    *payments.PAGES,
    *reconciliation.PAGES,
    *reports.PAGES,
    *team.PAGES,
    *transactions.PAGES,
    *users.PAGES,
]

# Forms have a few kilobytes; pages with uploads declare a larger limit.
FORM_BYTES_MAX = 256 * 1024


def dashboard(
    *,
    get_installation: Callable[[], InstallationInfo],
    find_session: Callable[[str], Awaitable[SignedInSession | None]],
    is_fresh: Callable[[SignedInSession], bool],
    zone_of: Callable[[UUID], Awaitable[ZoneInfo]],
    waiting: Callable[[Caller], Awaitable[AttentionCount]],
    names_of: Callable[[UUID], Awaitable[ActorNames]],
) -> Router:
    """Return the router of all pages, with their guard."""
    renderer = Renderer(get_installation)
    return Router(
        "/dashboard",
        route_handlers=PAGES,
        # Pages have their own guard, not that of the API.
        opt={"public": True, TOOLS: PageTools(renderer, names_of)},
        request_class=PageRequest,
        guards=[
            page_guard(
                find_session, is_fresh, zone_of, waiting, lambda: get_installation().base_url
            )
        ],
        dependencies={
            "reader": Provide(provide_report_reader, sync_to_thread=False),
            "recipients": Provide(provide_recipients, sync_to_thread=False),
        },
        exception_handlers=ErrorPages(renderer).handlers,
        dto=None,
        include_in_schema=False,
        request_max_body_size=FORM_BYTES_MAX,
    )
