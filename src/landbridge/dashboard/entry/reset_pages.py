"""Another password, for who has forgotten theirs."""

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.door import SIGN_IN
from landbridge.dashboard.entry.coming_in import ip_address
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.members.errors import LinkInvalid
from landbridge.members.sign_in import SignIn
from landbridge.web.forms import SIGNED_OUT_BYTES_MAX

_FORGOT, _RESET, _OVER = "entry/forgot.html", "entry/reset.html", "entry/over.html"


class ForgotPages(Controller):
    """`/dashboard/forgot`. The answer is the same for everybody."""

    path = "/forgot"

    @get("/", signed_out=True)
    async def page(
        self, request: PageRequest, renderer: NamedDependency[Renderer]
    ) -> Response[str]:
        """The form."""
        return renderer.page(request, _FORGOT, email="", is_sent=False)

    @post("/", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX, status_code=200)
    async def ask(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        sign_in: NamedDependency[SignIn],
    ) -> Response[str]:
        """Have a link mailed, if there is somebody with this address."""
        form = await read_form(request)
        email = form.text("email")
        try:
            await sign_in.ask_reset(email, ip_address=ip_address(request))
        except Refused as problem:
            return renderer.again(request, _FORGOT, problem, email=email, is_sent=False)
        return renderer.page(request, _FORGOT, email=email, is_sent=True)


class ResetPages(Controller):
    """`/dashboard/reset/{token}`."""

    path = "/reset"

    @get("/{token:str}", signed_out=True)
    async def page(
        self,
        request: PageRequest,
        token: FromPath[str],
        renderer: NamedDependency[Renderer],
        sign_in: NamedDependency[SignIn],
    ) -> Response[str]:
        """The form, if the link is good."""
        try:
            email = await sign_in.reset_of(token)
        except LinkInvalid as problem:
            return over(request, renderer, problem)
        return renderer.page(request, _RESET, email=email)

    @post("/{token:str}", signed_out=True, request_max_body_size=SIGNED_OUT_BYTES_MAX)
    async def reset(
        self,
        request: PageRequest,
        token: FromPath[str],
        renderer: NamedDependency[Renderer],
        sign_in: NamedDependency[SignIn],
    ) -> Page:
        """Choose it, and sign in with it: the second factor is asked for there."""
        form, email = await read_form(request), ""
        try:
            email = await sign_in.reset_of(token)
            await sign_in.reset(token, password=chosen_password(form))
        except LinkInvalid as problem:
            return over(request, renderer, problem)
        except Refused as problem:
            return renderer.again(request, _RESET, problem, email=email)
        return go(SIGN_IN, said=_("The password was changed. Sign in with it."))


def chosen_password(form: Form) -> str:
    """What was typed twice; raises `FieldInvalid` if it was not the same."""
    password = form.raw("password")
    if password != form.raw("again"):
        raise FieldInvalid("type the same password twice", field="again")
    return password


def over(request: PageRequest, renderer: Renderer, problem: LinkInvalid) -> Response[str]:
    """The link is not good any more: what to do."""
    return renderer.page(request, _OVER, status=problem.status)
