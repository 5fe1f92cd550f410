"""One's own second factor: codes of an app, and codes for the day on which it is lost."""

from typing import Final

import segno
from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from markupsafe import Markup

from landbridge.core.errors import Refused
from landbridge.dashboard.entry.profile_pages import PROFILE, own
from landbridge.dashboard.entry.proof_pages import to_proof
from landbridge.dashboard.forms import read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.members.second import SecondFactors
from landbridge.members.sessions import Sessions

HOME: Final = f"{PROFILE}/second-factor"
_PAGE = "entry/second_factor.html"
_SET_UP, _CODES = "entry/second_factor_set_up.html", "entry/recovery_codes.html"
_GROUP = 4
_BORDER = 4


class SecondFactorPages(Controller):
    """`/dashboard/profile/second-factor`. Secrets are in answers to posts only, this once."""

    path = "/profile/second-factor"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        second_factors: NamedDependency[SecondFactors],
    ) -> Response[str]:
        """Whether there is one, and what can be done."""
        factors = await second_factors.factors(request.user.caller)
        return renderer.page(request, _PAGE, factors=factors, acted="")

    @post("/set-up", status_code=200)
    async def begin(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        second_factors: NamedDependency[SecondFactors],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """A new secret, shown to be read by an app."""
        if not sessions.is_fresh(own(request)):
            return to_proof(HOME)
        try:
            secret, uri = await second_factors.begin(request.user.caller)
        except Refused as problem:
            return await _again(request, renderer, second_factors, problem, acted="")
        return renderer.page(request, _SET_UP, secret=_spaced(secret), qr=qr(uri), path=HOME)

    @post("/confirm", status_code=200)
    async def confirm(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        second_factors: NamedDependency[SecondFactors],
        sessions: NamedDependency[Sessions],
    ) -> Page:
        """The first code of the app; the answer shows recovery codes, this once."""
        signed = own(request)
        if not sessions.is_fresh(signed):
            return to_proof(HOME)
        try:
            form = await read_form(request)
            codes = await second_factors.confirm(
                signed.caller, signed.session_id, form.text("code")
            )
        except Refused as problem:
            begun = await second_factors.begun(signed.caller)
            if begun is None:
                return await _again(request, renderer, second_factors, problem, acted="")
            secret, uri = begun
            return renderer.again(
                request, _SET_UP, problem, secret=_spaced(secret), qr=qr(uri), path=HOME
            )
        return renderer.page(request, _CODES, codes=codes, is_new=True, path=HOME)

    @post("/recovery-codes", status_code=200)
    async def new_recovery_codes(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        second_factors: NamedDependency[SecondFactors],
    ) -> Page:
        """Others in place of those before, shown this once."""
        try:
            form = await read_form(request)
            codes = await second_factors.new_recovery_codes(request.user.caller, form.text("code"))
        except Refused as problem:
            return await _again(request, renderer, second_factors, problem, acted="recovery-codes")
        return renderer.page(request, _CODES, codes=codes, is_new=False, path=HOME)

    @post("/remove")
    async def remove(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        second_factors: NamedDependency[SecondFactors],
    ) -> Page:
        """Ask for codes no more."""
        try:
            form = await read_form(request)
            await second_factors.remove(request.user.caller, form.text("code"))
        except Refused as problem:
            return await _again(request, renderer, second_factors, problem, acted="remove")
        return go(HOME, said=_("Codes are not asked for any more."))


def qr(text: str) -> Markup:
    """A QR code as a path of SVG: no style, no script; dark on light in every theme."""
    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix_iter(1, _BORDER)]
    path = "".join(
        f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark
    )
    return Markup(
        '<svg class="qr" viewBox="0 0 {0} {0}" shape-rendering="crispEdges" aria-hidden="true">'
        '<rect width="{0}" height="{0}" fill="#fff"/><path fill="#000" d="{1}"/></svg>'
    ).format(len(rows), path)


async def _again(
    request: PageRequest,
    renderer: Renderer,
    second_factors: SecondFactors,
    problem: Refused,
    *,
    acted: str,
) -> Response[str]:
    """The page with what was refused, at the form (`acted`) that was sent."""
    factors = await second_factors.factors(request.user.caller)
    return renderer.again(request, _PAGE, problem, factors=factors, acted=acted, path=HOME)


def _spaced(secret: str) -> str:
    """In groups that can be typed."""
    return " ".join(secret[at : at + _GROUP] for at in range(0, len(secret), _GROUP))
