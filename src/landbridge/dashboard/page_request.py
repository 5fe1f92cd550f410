"""What the handler of a page has: the visitor, the API in their name, and ways to answer."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, cast
from uuid import UUID

from litestar import Request, Response
from litestar.datastructures import State
from litestar.response import Redirect
from litestar.types import ASGIApp

from landbridge.dashboard.actor_names import ActorNames
from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.dashboard.rendering import InstallationInfo, Renderer, notice_cookie
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.internal_client import InternalClient

# Page or redirect.
Page = Response[str] | Redirect

# The option of the router that has its `PageTools`.
TOOLS: Final = "page_tools"


@dataclass(frozen=True, slots=True)
class PageTools:
    """What the pages of an installation share: the renderer, and the names of actors."""

    renderer: Renderer
    names_of: Callable[[UUID], Awaitable[ActorNames]]


class PageRequest(Request[PageVisitor, None, State]):
    """A request for a page, once the guard has admitted it."""

    @property
    def installation(self) -> InstallationInfo:
        """Return current installation data."""
        return self._tools.renderer.installation

    @cached_property
    def interface(self) -> InternalClient:
        """Return an API client that acts for the visitor."""
        return InternalClient(cast("ASGIApp", self.app), self.user.caller)

    async def actor_names(self) -> ActorNames:
        """Return the names of the organisation's members and keys, also of removed ones."""
        return await self._tools.names_of(self.user.caller.org_id)

    def page(self, template: str, status: int = 200, /, **values: object) -> Response[str]:
        """Answer with a page; see `Renderer.page`."""
        return self._tools.renderer.page(self, template, status, **values)

    def with_problem(self, template: str, /, problem: Refused, **values: object) -> Response[str]:
        """Answer with a form again and its problem; see `Renderer.with_problem`."""
        return self._tools.renderer.with_problem(self, template, problem, **values)

    def now(self) -> datetime:
        """Return the current time on the clock of the visitor's organisation."""
        return self._tools.renderer.now(self)

    @property
    def _tools(self) -> PageTools:
        return cast("PageTools", self.route_handler.opt[TOOLS])


def redirect(path: str, *, notice: str = "") -> Redirect:
    """Redirect to a dashboard page, which shows `notice` once."""
    return Redirect(path, status_code=303, cookies=[notice_cookie(notice)] if notice else None)
