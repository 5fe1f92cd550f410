"""The member's own second factor: authenticator app and recovery codes.

The password is confirmed before sign-in methods change, as an open session may be misused.
"""

from dataclasses import replace
from typing import Final
from urllib.parse import quote

import segno
from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.response import Redirect
from markupsafe import Markup

from landbridge.customers.team.mfa import Mfa
from landbridge.customers.team.model import csrf_of
from landbridge.customers.team.sessions import Sessions
from landbridge.customers.team.sign_in import SignIn
from landbridge.dashboard.auth.login_redirect import redirect_with_session
from landbridge.dashboard.auth.profile_pages import PROFILE, require_session
from landbridge.dashboard.authentication import session_cookie
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _

HOME: Final = f"{PROFILE}/second-factor"
_PAGE = "auth/second_factor.html"
_SET_UP, _CODES = "auth/second_factor_set_up.html", "auth/recovery_codes.html"
_GROUP = 4
_BORDER = 4


class SecondFactorPages(Controller):
    """`/dashboard/profile/second-factor`. Secrets appear once, only in responses to POST."""

    path = "/profile/second-factor"

    @get("/")
    async def page(self, request: PageRequest, mfa: NamedDependency[Mfa]) -> Response[str]:
        """Show whether a second factor is set up, and the available actions."""
        factors = await mfa.factors(request.user.caller)
        return request.page(_PAGE, factors=factors, submitted_form="")

    @post("/set-up", status_code=200)
    async def begin(
        self, request: PageRequest, mfa: NamedDependency[Mfa], sessions: NamedDependency[Sessions]
    ) -> Page:
        """Create a secret and show it as a QR code for the authenticator app."""
        if not sessions.is_fresh(require_session(request)):
            return redirect_to_password_check(HOME)
        try:
            secret, uri = await mfa.begin(request.user.caller)
        except Refused as problem:
            return await _page_with_refusal(request, mfa, problem, submitted_form="")
        return request.page(_SET_UP, secret=_grouped(secret), qr=qr(uri), path=HOME)

    @post("/confirm", status_code=200)
    async def confirm(
        self, request: PageRequest, mfa: NamedDependency[Mfa], sessions: NamedDependency[Sessions]
    ) -> Page:
        """Verify the first code of the app, and show the recovery codes once."""
        session = require_session(request)
        if not sessions.is_fresh(session):
            return redirect_to_password_check(HOME)
        try:
            form = await read_form(request)
            codes, secret = await mfa.confirm(session, form.text("code"))
        except Refused as problem:
            pending = await mfa.begun(session.caller)
            if pending is None:
                return await _page_with_refusal(request, mfa, problem, submitted_form="")
            shown, uri = pending
            return request.with_problem(
                _SET_UP, problem, secret=_grouped(shown), qr=qr(uri), path=HOME
            )
        # Forms of the page belong to the session's new cookie.
        request.scope["user"] = replace(request.user, csrf=csrf_of(secret))
        response = request.page(_CODES, codes=codes, is_new=True, path=HOME)
        response.cookies.append(session_cookie(secret, base_url=request.installation.base_url))
        return response

    @post("/recovery-codes", status_code=200)
    async def new_recovery_codes(self, request: PageRequest, mfa: NamedDependency[Mfa]) -> Page:
        """Replace the recovery codes, and show the new ones once."""
        try:
            form = await read_form(request)
            codes = await mfa.new_recovery_codes(request.user.caller, form.text("code"))
        except Refused as problem:
            return await _page_with_refusal(request, mfa, problem, submitted_form="recovery-codes")
        return request.page(_CODES, codes=codes, is_new=False, path=HOME)

    @post("/remove")
    async def remove(self, request: PageRequest, mfa: NamedDependency[Mfa]) -> Page:
        """Turn off the second factor."""
        try:
            form = await read_form(request)
            await mfa.remove(request.user.caller, form.text("code"))
        except Refused as problem:
            return await _page_with_refusal(request, mfa, problem, submitted_form="remove")
        return redirect(HOME, notice=_("Authenticator app turned off"))


def qr(text: str) -> Markup:
    """Return a QR code as an SVG path: no style, no script, dark on light in every theme."""
    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix_iter(1, _BORDER)]
    path = "".join(
        f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark
    )
    return Markup(
        '<svg class="qr" viewBox="0 0 {0} {0}" shape-rendering="crispEdges" aria-hidden="true">'
        '<rect width="{0}" height="{0}" fill="#fff"/><path fill="#000" d="{1}"/></svg>'
    ).format(len(rows), path)


async def _page_with_refusal(
    request: PageRequest, mfa: Mfa, problem: Refused, *, submitted_form: str
) -> Response[str]:
    """Return the page with the refusal shown at the submitted form."""
    factors = await mfa.factors(request.user.caller)
    return request.with_problem(
        _PAGE, problem, factors=factors, submitted_form=submitted_form, path=HOME
    )


def _grouped(secret: str) -> str:
    """Return the secret in groups of characters, easier to type."""
    return " ".join(secret[start : start + _GROUP] for start in range(0, len(secret), _GROUP))


_PROOF: Final = f"{PROFILE}/proof"
_PROOF_PAGE = "auth/proof.html"


class ProofPages(Controller):
    """`/dashboard/profile/proof`."""

    path = "/profile/proof"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """Show the form; members without a password have to sign in again."""
        target = local_path(request.query_params.get("next"), PROFILE)
        return request.page(_PROOF_PAGE, target=target)

    @post("/")
    async def prove(self, request: PageRequest, sign_in: NamedDependency[SignIn]) -> Page:
        """Check the password and continue to the protected page."""
        form = Form()
        try:
            form = await read_form(request)
            target = local_path(form.text("next"), PROFILE)
            secret = await sign_in.prove(require_session(request), form.raw("password"))
        except Refused as problem:
            target = local_path(form.text("next"), PROFILE)
            return request.with_problem(_PROOF_PAGE, problem, target=target)
        return redirect_with_session(secret, target, base_url=request.installation.base_url)


def redirect_to_password_check(target: str) -> Redirect:
    """Redirect to the password confirmation, which returns to `target`."""
    path = f"{_PROOF}?next={quote(target, safe='')}"
    return redirect(path, notice=_("Confirm your password first. You signed in a while ago."))
