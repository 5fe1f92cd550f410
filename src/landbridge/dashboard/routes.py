"""The table of contents of every page."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from litestar import Router, get
from litestar.di import Provide
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from landbridge.dashboard.approvals import routes as approvals
from landbridge.dashboard.asker_names import provide_askers
from landbridge.dashboard.assets import asset
from landbridge.dashboard.compliance import routes as compliance
from landbridge.dashboard.developers import routes as developers
from landbridge.dashboard.door import door
from landbridge.dashboard.entry import routes as entry
from landbridge.dashboard.organisation import routes as organisation
from landbridge.dashboard.overview import OverviewPages
from landbridge.dashboard.pages import Renderer, Surroundings
from landbridge.dashboard.payments import routes as payments
from landbridge.dashboard.refusals import Refusals
from landbridge.dashboard.reports import routes as reports
from landbridge.dashboard.team import routes as team
from landbridge.dashboard.transactions import routes as transactions
from landbridge.dashboard.users import routes as users
from landbridge.dashboard.visitors import PageRequest
from landbridge.members.model import SignedIn
from landbridge.web.inside import Interface


@get("/{rest:path}")
async def nowhere(rest: FromPath[str]) -> None:
    """What is at no other address: a page says so."""
    raise NotFoundException(f"there is no page at {rest}")


PAGES: Sequence[ControllerRouterHandler] = [
    asset,
    nowhere,
    OverviewPages,
    *approvals.PAGES,
    *compliance.PAGES,
    *developers.PAGES,
    *entry.PAGES,
    *organisation.PAGES,
    *payments.PAGES,
    *reports.PAGES,
    *team.PAGES,
    *transactions.PAGES,
    *users.PAGES,
]

# A form of ours has a few kilobytes; pages with files say more.
FORM_BYTES_MAX = 256 * 1024


def dashboard(
    around: Callable[[], Surroundings],
    find_session: Callable[[str], Awaitable[SignedIn | None]],
    is_fresh: Callable[[SignedIn], bool],
    zone_of: Callable[[UUID], Awaitable[ZoneInfo]],
) -> Router:
    """All pages, behind the door."""
    renderer = Renderer(around)

    def provide_renderer() -> Renderer:
        return renderer

    return Router(
        "/dashboard",
        route_handlers=PAGES,
        # The door, not the gate of the interface.
        opt={"public": True},
        guards=[door(find_session, is_fresh, zone_of, lambda: around().base_url)],
        dependencies={
            "askers": Provide(provide_askers, sync_to_thread=False),
            "renderer": Provide(provide_renderer, sync_to_thread=False),
            "interface": Provide(provide_interface, sync_to_thread=False),
        },
        exception_handlers=Refusals(renderer).handlers,
        dto=None,
        include_in_schema=False,
        request_max_body_size=FORM_BYTES_MAX,
    )


def provide_interface(request: PageRequest) -> Interface:
    """The interface, for who looks at the page."""
    app: Any = request.app
    return Interface(app, request.user.caller)
