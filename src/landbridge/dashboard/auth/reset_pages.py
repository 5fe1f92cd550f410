"""Pages of e-mailed links: reset of a password, and acceptance of an invitation."""

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.team.errors import LinkInvalid
from landbridge.customers.team.sessions import Sessions
from landbridge.customers.team.sign_in import SignIn
from landbridge.dashboard.auth.login_redirect import browser, ip_address, redirect_with_session
from landbridge.dashboard.authentication import HOME, SIGN_IN
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.forms import SIGNED_OUT_BYTES_MAX

_FORGOT, _RESET, _EXPIRED = "auth/forgot.html", "auth/reset.html", "auth/link_expired.html"


class ForgotPages(Controller):
    """`/dashboard/forgot`. The response is the same whether or not the member exists."""

    path = "/forgot"

    @get("/", signed_out=True)
    async def page(self, request: PageRequest) -> Response[str]:
        """Show the form."""
        return request.page(_FORGOT, email="", is_sent=False)

    @post("/", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX, status_code=200)
    async def request_link(
        self, request: PageRequest, sign_in: NamedDependency[SignIn]
    ) -> Response[str]:
        """Send a reset link if a member has this e-mail address."""
        form = await read_form(request)
        email = form.text("email")
        try:
            await sign_in.request_reset(email, ip_address=ip_address(request))
        except Refused as problem:
            return request.with_problem(_FORGOT, problem, email=email, is_sent=False)
        return request.page(_FORGOT, email=email, is_sent=True)


class ResetPages(Controller):
    """`/dashboard/reset/{token}`."""

    path = "/reset"

    @get("/{token:str}", signed_out=True)
    async def page(
        self, request: PageRequest, token: FromPath[str], sign_in: NamedDependency[SignIn]
    ) -> Response[str]:
        """Show the form if the link is valid."""
        try:
            email = await sign_in.reset_of(token)
        except LinkInvalid as problem:
            return link_expired_page(request, problem)
        return request.page(_RESET, email=email)

    @post("/{token:str}", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX)
    async def reset(
        self, request: PageRequest, token: FromPath[str], sign_in: NamedDependency[SignIn]
    ) -> Page:
        """Set the password; the member then signs in, with the second factor if there is one."""
        form, email = await read_form(request), ""
        try:
            email = await sign_in.reset_of(token)
            await sign_in.reset(token, password=confirmed_password(form))
        except LinkInvalid as problem:
            return link_expired_page(request, problem)
        except Refused as problem:
            return request.with_problem(_RESET, problem, email=email)
        return redirect(SIGN_IN, notice=_("Password changed. Sign in with your new password."))


def confirmed_password(form: Form) -> str:
    """Return the password; raises `FieldInvalid` if its confirmation differs."""
    password = form.raw("password")
    if password != form.raw("again"):
        raise FieldInvalid("The passwords do not match.", field="again")
    return password


def link_expired_page(request: PageRequest, problem: LinkInvalid) -> Response[str]:
    """Return the page for an expired or used link."""
    return request.page(_EXPIRED, problem.status)


_PAGE = "auth/invitation.html"


class InvitationPages(Controller):
    """`/dashboard/invitations/{token}`."""

    path = "/invitations"

    @get("/{token:str}", signed_out=True)
    async def page(
        self, request: PageRequest, token: FromPath[str], sign_in: NamedDependency[SignIn]
    ) -> Response[str]:
        """Show the invitation and the form to accept it."""
        try:
            invitation = await sign_in.invitation(token)
        except LinkInvalid as problem:
            return link_expired_page(request, problem)
        return request.page(_PAGE, invitation=invitation, name=invitation.name)

    @post("/{token:str}", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX)
    async def accept(
        self,
        request: PageRequest,
        token: FromPath[str],
        sign_in: NamedDependency[SignIn],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """Accept the invitation: create the member and sign them in."""
        form = await read_form(request)
        try:
            invitation = await sign_in.invitation(token)
            try:
                secret = await sign_in.accept(
                    token,
                    name=form.text("name"),
                    password=confirmed_password(form),
                    ip_address=ip_address(request),
                    browser=browser(request),
                )
            except LinkInvalid:
                raise
            except Refused as problem:
                return request.with_problem(
                    _PAGE, problem, invitation=invitation, name=form.text("name")
                )
        except LinkInvalid as problem:
            return link_expired_page(request, problem)
        if request.user.signed is not None:
            await sessions.sign_out(request.user.signed)
        return redirect_with_session(secret, HOME, base_url=request.installation.base_url)
