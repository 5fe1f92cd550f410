"""A user's compliance: how far each rail is, what is missing, telling it and submitting it."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from landbridge.core.errors import Refused
from landbridge.dashboard.compliance.dossiers import read_dossier, user_form
from landbridge.dashboard.compliance.entries import Texts, changes, kept
from landbridge.dashboard.compliance.standing import RAIL_WORDS
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.sandbox_names import KEYWORDS
from landbridge.dashboard.visitors import PageRequest, check_may_edit
from landbridge.dashboard.words import later as _
from landbridge.kyc.fields import BY_TYPE
from landbridge.users.model import UserType
from landbridge.web.inside import Interface

_TAB, _LINK = "compliance/tab.html", "compliance/link.html"
Rails = Annotated[list[str] | None, QueryParameter(name="rails")]


class CompliancePages(Controller):
    """The tab of a user."""

    path = "/users/{user_id:str}/compliance"

    @get()
    async def show(
        self,
        request: PageRequest,
        *,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        rails: Rails = None,
    ) -> Page:
        """How far it is, and what to do next."""
        values = await _tab(request, interface, user_id, rails or ())
        return renderer.page(request, _TAB, **values)

    @post(status_code=200)
    async def save(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Tell what was changed on the page, and nothing else."""
        form = await read_form(request)
        rails = form.texts("rails")
        kyc = await interface.get(f"/v2/users/{user_id}/kyc")
        fields = BY_TYPE[UserType(kyc["kycInfo"]["type"])]
        was = kept(form.text("was"))
        told = changes(fields, form.fields, was, locale=request.user.language)
        try:
            if told:
                await interface.post(f"/v2/users/{user_id}/kyc", told)
        except Refused as error:
            values = await _tab(request, interface, user_id, rails, form.fields)
            return renderer.again(request, _TAB, error, **{**values, "was": form.text("was")})
        said = _("The data was saved.") if told else _("Nothing was changed.")
        return go(_address(user_id, rails), said=said)

    @post("/submit", status_code=200)
    async def submit(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Submit for the chosen rails, all or none."""
        rails = (await read_form(request)).texts("rails")
        try:
            await interface.post(f"/v2/users/{user_id}/kyc/submissions", {"rails": rails})
        except Refused as error:
            values = await _tab(request, interface, user_id, rails)
            return renderer.again(request, _TAB, error, **values)
        return go(_address(user_id, rails), said=_("Submitted. The statuses say how it goes."))

    @get("/kyc-link")
    async def link_form(
        self,
        request: PageRequest,
        *,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        rails: Rails = None,
    ) -> Page:
        """A form for a link on which the person does it all by themselves."""
        check_may_edit(request.user)
        values = await _link(interface, user_id, Form({"rails": rails or ["USD"]}))
        return renderer.page(request, _LINK, **values)

    @post("/kyc-link", status_code=200)
    async def make_link(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Make it; it is shown this once."""
        form = await read_form(request)
        values = await _link(interface, user_id, form)
        told = {
            "userId": user_id,
            "rails": form.texts("rails"),
            "redirectUrl": form.maybe("redirectUrl"),
            "recipientEmail": form.maybe("recipientEmail"),
        }
        body = {name: value for name, value in told.items() if value is not None}
        try:
            made = await interface.post("/v2/kyc-link", body)
        except Refused as error:
            return renderer.again(request, _LINK, error, **values)
        return renderer.page(request, _LINK, **{**values, "made": made["kycLinkUrl"]})


async def _tab(
    request: PageRequest,
    interface: Interface,
    user_id: str,
    rails: Any,
    typed_now: Texts | None = None,
) -> dict[str, Any]:
    values = await read_dossier(interface, user_id, rails, request.user.language)
    found = values["standing"]
    return {
        **values,
        **user_form(values["info"], found, typed_now),
        "keywords": KEYWORDS,
    }


async def _link(interface: Interface, user_id: str, form: Form) -> Mapping[str, Any]:
    user, freeze = await asyncio.gather(
        interface.get(f"/v2/users/{user_id}"), interface.get(f"/v2/users/{user_id}/freeze")
    )
    return {"user": user, "freeze": freeze, "form": form, "rail_words": RAIL_WORDS, "made": None}


def _address(user_id: str, rails: Any) -> str:
    query = "&".join(f"rails={each}" for each in rails if each in RAIL_WORDS)
    return f"/dashboard/users/{user_id}/compliance" + (f"?{query}" if query else "")
