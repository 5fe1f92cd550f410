"""Password confirmation before sign-in methods change, as an open session may be misused."""

from typing import Final
from urllib.parse import quote

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.response import Redirect

from landbridge.customers.team.sign_in import SignIn
from landbridge.dashboard.auth.profile_pages import PROFILE, require_session
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _

_PROOF: Final = f"{PROFILE}/proof"
_PAGE = "auth/proof.html"


class ProofPages(Controller):
    """`/dashboard/profile/proof`."""

    path = "/profile/proof"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """Show the form; members without a password have to sign in again."""
        target = local_path(request.query_params.get("next"), PROFILE)
        return request.page(_PAGE, target=target)

    @post("/")
    async def prove(self, request: PageRequest, sign_in: NamedDependency[SignIn]) -> Page:
        """Check the password and continue to the protected page."""
        form = Form()
        try:
            form = await read_form(request)
            target = local_path(form.text("next"), PROFILE)
            await sign_in.prove(require_session(request), form.raw("password"))
        except Refused as problem:
            target = local_path(form.text("next"), PROFILE)
            return request.with_problem(_PAGE, problem, target=target)
        return redirect(target)


def redirect_to_password_check(target: str) -> Redirect:
    """Redirect to the password confirmation, which returns to `target`."""
    path = f"{_PROOF}?next={quote(target, safe='')}"
    return redirect(path, notice=_("Confirm your password first. You signed in a while ago."))
