"""One's password once more, before one changes how one signs in: a session may be borrowed."""

from typing import Final
from urllib.parse import quote

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.response import Redirect

from landbridge.core.errors import Refused
from landbridge.dashboard.entry.profile_pages import PROFILE, own
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.members.sign_in import SignIn

_PROOF: Final = f"{PROFILE}/proof"
_PAGE = "entry/proof.html"


class ProofPages(Controller):
    """`/dashboard/profile/proof`."""

    path = "/profile/proof"

    @get("/")
    async def page(
        self, request: PageRequest, renderer: NamedDependency[Renderer]
    ) -> Response[str]:
        """The form; who has no password signs in anew."""
        target = local_path(request.query_params.get("next"), PROFILE)
        return renderer.page(request, _PAGE, target=target)

    @post("/")
    async def prove(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        sign_in: NamedDependency[SignIn],
    ) -> Page:
        """Check it, and go on to what is to be changed."""
        form = Form()
        try:
            form = await read_form(request)
            target = local_path(form.text("next"), PROFILE)
            await sign_in.prove(own(request), form.raw("password"))
        except Refused as problem:
            target = local_path(form.text("next"), PROFILE)
            return renderer.again(request, _PAGE, problem, target=target)
        return go(target)


def to_proof(target: str) -> Redirect:
    """Where one proves who one is, and comes back from."""
    path = f"{_PROOF}?next={quote(target, safe='')}"
    return go(path, said=_("Type your password first: you signed in a while ago."))
