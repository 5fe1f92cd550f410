"""Sign-in with password and optional second factor, sign-out, and the member's own sessions."""

from typing import Final
from urllib.parse import quote

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Redirect

from landbridge.customers.team.mfa import Mfa
from landbridge.customers.team.passkeys import Passkeys
from landbridge.customers.team.sessions import Sessions
from landbridge.customers.team.sign_in import SignIn
from landbridge.dashboard.auth.browsers import browser_and_system
from landbridge.dashboard.auth.login_redirect import browser, ip_address, redirect_with_session
from landbridge.dashboard.auth.profile_pages import PROFILE, require_session
from landbridge.dashboard.authentication import (
    HOME,
    SECOND,
    SIGN_IN,
    NotSignedIn,
    browser_cookie,
    known_browser,
    session_cookie,
)
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.page_request import Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.forms import SIGNED_OUT_BYTES_MAX
from landbridge.platform.http.path_params import known_id

_PAGE, _CODE_PAGE = "auth/sign_in.html", "auth/code.html"
_SESSIONS: Final = f"{PROFILE}/sessions"


class SignInPages(Controller):
    """`/dashboard/sign-in`. A failed sign-in does not reveal which part was wrong."""

    path = "/sign-in"

    @get("/", signed_out=True)
    async def page(self, request: PageRequest, passkeys: NamedDependency[Passkeys]) -> Page:
        """Show the form, or redirect if already signed in."""
        target = local_path(request.query_params.get("next"))
        session = request.user.signed
        if session is not None:
            return redirect(_code_path(target) if session.needs_second else target)
        return request.page(_PAGE, email="", target=target, has_passkeys=passkeys.are_possible)

    @post("/", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX)
    async def submit(
        self,
        request: PageRequest,
        sign_in: NamedDependency[SignIn],
        sessions: NamedDependency[Sessions],
        passkeys: NamedDependency[Passkeys],
    ) -> Page:
        """Start a session and end the previous one of this browser."""
        form, base_url = await read_form(request), request.installation.base_url
        target = local_path(form.text("next"))
        try:
            secret = await sign_in.sign_in(
                form.text("email"),
                form.raw("password"),
                ip_address=ip_address(request),
                browser=browser(request),
                known_browser=known_browser(request, base_url=base_url),
            )
        except Refused as problem:
            return request.with_problem(
                _PAGE,
                problem,
                email=form.text("email"),
                target=target,
                has_passkeys=passkeys.are_possible,
            )
        if request.user.signed is not None:
            await sessions.sign_out(request.user.signed)
        session = await sessions.find(secret)
        if session is None:
            raise NotSignedIn
        path = _code_path(target) if session.needs_second else target
        response = redirect_with_session(secret, path, base_url=base_url)
        token = await sign_in.remember_browser(session)
        response.cookies.append(browser_cookie(token, base_url=base_url))
        return response

    @get("/code", second=True)
    async def code_page(self, request: PageRequest) -> Page:
        """Show the form for the second factor, or redirect if it was already given."""
        target = local_path(request.query_params.get("next"))
        session = request.user.signed
        if session is not None and not session.needs_second:
            return redirect(target)
        return request.page(_CODE_PAGE, target=target)

    @post("/code", second=True)
    async def submit_code(self, request: PageRequest, mfa: NamedDependency[Mfa]) -> Page:
        """Verify the code; the session continues under a new secret."""
        form = await read_form(request)
        target, session = local_path(form.text("next")), request.user.signed
        if session is None:
            raise NotSignedIn
        if not session.needs_second:
            return redirect(target)
        try:
            secret = await mfa.verify(session, form.text("code"))
        except Refused as problem:
            return request.with_problem(_CODE_PAGE, problem, target=target)
        return redirect_with_session(secret, target, base_url=request.installation.base_url)


class SignOutPages(Controller):
    """`/dashboard/sign-out`."""

    path = "/sign-out"

    @post("/", second=True)
    async def sign_out(self, request: PageRequest, sessions: NamedDependency[Sessions]) -> Redirect:
        """End this session; other sessions stay signed in."""
        if request.user.signed is not None:
            await sessions.sign_out(request.user.signed)
        response = redirect(SIGN_IN, notice=_("Signed out"))
        response.cookies.append(session_cookie(None, base_url=request.installation.base_url))
        return response


def _code_path(target: str) -> str:
    """Return the path of the second-factor page, which then continues to `target`."""
    return SECOND if target == HOME else f"{SECOND}?next={quote(target, safe='')}"


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
        return redirect(_SESSIONS, notice=_("Signed out of all other sessions"))

    @post("/{session_id:str}/end")
    async def end(
        self,
        request: PageRequest,
        session_id: FromPath[str],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """End a session; ending the current one leads to the sign-in page."""
        await sessions.revoke(request.user.caller, known_id(session_id, "session"))
        return redirect(_SESSIONS, notice=_("Session ended"))
