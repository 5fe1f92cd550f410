"""One's own sessions: where one is signed in, and how that ends."""

from typing import Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.dashboard.entry.browsers import name_of
from landbridge.dashboard.entry.profile_pages import PROFILE, own
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.members.sessions import Sessions
from landbridge.web.paths import known_id

HOME: Final = f"{PROFILE}/sessions"


class SessionPages(Controller):
    """`/dashboard/profile/sessions`. Times are real ones, also in a sandbox."""

    path = "/profile/sessions"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        sessions: NamedDependency[Sessions],
    ) -> Response[str]:
        """Those that go on, this one marked."""
        found = await sessions.of(request.user.caller)
        return renderer.page(
            request,
            "entry/sessions.html",
            sessions=[(each, *name_of(each.browser)) for each in found],
            this_id=own(request).session_id,
        )

    @post("/end-others")
    async def end_others(self, request: PageRequest, sessions: NamedDependency[Sessions]) -> Page:
        """End all but this one."""
        await sessions.revoke_others(request.user.caller, own(request).session_id)
        return go(HOME, said=_("You are signed out everywhere else."))

    @post("/{session_id:str}/end")
    async def end(
        self,
        request: PageRequest,
        session_id: FromPath[str],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """End one of them; after this very one the door asks who comes."""
        await sessions.revoke(request.user.caller, known_id(session_id, "session"))
        return go(HOME, said=_("This session has ended."))
