"""Acceptance of an invitation."""

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.team.errors import LinkInvalid
from landbridge.customers.team.sessions import Sessions
from landbridge.customers.team.sign_in import SignIn
from landbridge.dashboard.auth.login_redirect import browser, ip_address, redirect_with_session
from landbridge.dashboard.auth.reset_pages import confirmed_password, link_expired_page
from landbridge.dashboard.authentication import HOME
from landbridge.dashboard.forms import read_form
from landbridge.dashboard.page_request import Page, PageRequest
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.forms import SIGNED_OUT_BYTES_MAX

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
