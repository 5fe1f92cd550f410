"""The member's own sessions: list them and end them."""

from typing import Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.team.sessions import Sessions
from landbridge.dashboard.auth.browsers import browser_and_system
from landbridge.dashboard.auth.profile_pages import PROFILE, require_session
from landbridge.dashboard.page_request import Page, PageRequest, redirect
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.path_params import known_id

HOME: Final = f"{PROFILE}/sessions"


class SessionPages(Controller):
    """`/dashboard/profile/sessions`. Times are real time, also in a sandbox."""

    path = "/profile/sessions"

    @get("/")
    async def page(
        self, request: PageRequest, sessions: NamedDependency[Sessions]
    ) -> Response[str]:
        """List the open sessions and mark the current one."""
        found = await sessions.of(request.user.caller)
        return request.page(
            "auth/sessions.html",
            sessions=[(each, *browser_and_system(each.browser)) for each in found],
            this_id=require_session(request).session_id,
        )

    @post("/end-others")
    async def end_others(self, request: PageRequest, sessions: NamedDependency[Sessions]) -> Page:
        """End all sessions except the current one."""
        await sessions.revoke_others(request.user.caller, require_session(request).session_id)
        return redirect(HOME, notice=_("Signed out of all other sessions"))

    @post("/{session_id:str}/end")
    async def end(
        self,
        request: PageRequest,
        session_id: FromPath[str],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """End a session; ending the current one leads to the sign-in page."""
        await sessions.revoke(request.user.caller, known_id(session_id, "session"))
        return redirect(HOME, notice=_("Session ended"))
