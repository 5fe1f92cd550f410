"""Taking an invitation up."""

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import Refused
from landbridge.dashboard.door import HOME
from landbridge.dashboard.entry.coming_in import browser, ip_address, let_in
from landbridge.dashboard.entry.reset_pages import chosen_password, over
from landbridge.dashboard.forms import read_form
from landbridge.dashboard.pages import Page, Renderer
from landbridge.dashboard.visitors import PageRequest
from landbridge.members.errors import LinkInvalid
from landbridge.members.sessions import Sessions
from landbridge.members.sign_in import SignIn
from landbridge.web.forms import SIGNED_OUT_BYTES_MAX

_PAGE = "entry/invitation.html"


class InvitationPages(Controller):
    """`/dashboard/invitations/{token}`."""

    path = "/invitations"

    @get("/{token:str}", signed_out=True)
    async def page(
        self,
        request: PageRequest,
        token: FromPath[str],
        renderer: NamedDependency[Renderer],
        sign_in: NamedDependency[SignIn],
    ) -> Response[str]:
        """What somebody is invited to, and the form."""
        try:
            invitation = await sign_in.invitation(token)
        except LinkInvalid as problem:
            return over(request, renderer, problem)
        return renderer.page(request, _PAGE, invitation=invitation, name=invitation.name)

    @post("/{token:str}", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX)
    async def accept(
        self,
        request: PageRequest,
        token: FromPath[str],
        renderer: NamedDependency[Renderer],
        sign_in: NamedDependency[SignIn],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """Become a member, signed in."""
        form = await read_form(request)
        try:
            invitation = await sign_in.invitation(token)
            try:
                secret = await sign_in.accept(
                    token,
                    name=form.text("name"),
                    password=chosen_password(form),
                    ip_address=ip_address(request),
                    browser=browser(request),
                )
            except LinkInvalid:
                raise
            except Refused as problem:
                return renderer.again(
                    request, _PAGE, problem, invitation=invitation, name=form.text("name")
                )
        except LinkInvalid as problem:
            return over(request, renderer, problem)
        if request.user.signed is not None:
            await sessions.sign_out(request.user.signed)
        return let_in(secret, HOME, base_url=renderer.surroundings.base_url)
