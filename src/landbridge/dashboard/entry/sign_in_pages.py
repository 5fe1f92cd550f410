"""Signing in with a password and, for who has one, a second factor; signing out."""

from urllib.parse import quote

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.response import Redirect

from landbridge.core.errors import Refused
from landbridge.dashboard.door import HOME, SECOND, SIGN_IN, NotSignedIn, session_cookie
from landbridge.dashboard.entry.coming_in import browser, ip_address, let_in
from landbridge.dashboard.forms import read_form
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.members.passkeys import Passkeys
from landbridge.members.second import SecondFactors
from landbridge.members.sessions import Sessions
from landbridge.members.sign_in import SignIn
from landbridge.web.forms import SIGNED_OUT_BYTES_MAX

_PAGE, _CODE_PAGE = "entry/sign_in.html", "entry/code.html"


class SignInPages(Controller):
    """`/dashboard/sign-in`. Whoever is wrong is told nothing of what is."""

    path = "/sign-in"

    @get("/", signed_out=True)
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        passkeys: NamedDependency[Passkeys],
    ) -> Page:
        """The form; who is signed in goes on."""
        target = local_path(request.query_params.get("next"))
        signed = request.user.signed
        if signed is not None:
            return go(_code(target) if signed.needs_second else target)
        return renderer.page(
            request, _PAGE, email="", target=target, has_passkeys=passkeys.are_possible
        )

    @post("/", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX)
    async def sign_in_now(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        sign_in: NamedDependency[SignIn],
        sessions: NamedDependency[Sessions],
        passkeys: NamedDependency[Passkeys],
    ) -> Page:
        """Begin a session; the one that this browser had ends."""
        form = await read_form(request)
        target = local_path(form.text("next"))
        try:
            secret = await sign_in.sign_in(
                form.text("email"),
                form.raw("password"),
                ip_address=ip_address(request),
                browser=browser(request),
            )
        except Refused as problem:
            return renderer.again(
                request,
                _PAGE,
                problem,
                email=form.text("email"),
                target=target,
                has_passkeys=passkeys.are_possible,
            )
        if request.user.signed is not None:
            await sessions.sign_out(request.user.signed)
        signed = await sessions.find(secret)
        path = _code(target) if signed is not None and signed.needs_second else target
        return let_in(secret, path, base_url=renderer.surroundings.base_url)

    @get("/code", second=True)
    async def code_page(self, request: PageRequest, renderer: NamedDependency[Renderer]) -> Page:
        """The form for the second factor; who has given it goes on."""
        target = local_path(request.query_params.get("next"))
        signed = request.user.signed
        if signed is not None and not signed.needs_second:
            return go(target)
        return renderer.page(request, _CODE_PAGE, target=target)

    @post("/code", second=True)
    async def give_code(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        second_factors: NamedDependency[SecondFactors],
    ) -> Page:
        """Check it; the session goes on under another secret."""
        form = await read_form(request)
        target, signed = local_path(form.text("next")), request.user.signed
        if signed is None:
            raise NotSignedIn
        if not signed.needs_second:
            return go(target)
        try:
            secret = await second_factors.verify(signed, form.text("code"))
        except Refused as problem:
            return renderer.again(request, _CODE_PAGE, problem, target=target)
        return let_in(secret, target, base_url=renderer.surroundings.base_url)


class SignOutPages(Controller):
    """`/dashboard/sign-out`."""

    path = "/sign-out"

    @post("/", second=True)
    async def sign_out(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        sessions: NamedDependency[Sessions],
    ) -> Redirect:
        """End this session; others go on."""
        if request.user.signed is not None:
            await sessions.sign_out(request.user.signed)
        answer = go(SIGN_IN, said=_("You are signed out."))
        answer.cookies.append(session_cookie(None, base_url=renderer.surroundings.base_url))
        return answer


def _code(target: str) -> str:
    """The page for the second factor, and then on to where somebody wanted."""
    return SECOND if target == HOME else f"{SECOND}?next={quote(target, safe='')}"
