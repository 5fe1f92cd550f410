"""Owners of a business: add one, mend one, remove one."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import Refused, ResourceNotFound
from landbridge.dashboard.compliance.dossiers import merged, owner_form, owner_place, read_dossier
from landbridge.dashboard.compliance.entries import Texts, changes, kept
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.kyc.fields import OWNER, OWNERS
from landbridge.web.inside import Interface

_TEMPLATE = "compliance/owner.html"
_NEW = "new"


class OwnerPages(Controller):
    """Owners of one business."""

    path = "/users/{user_id:str}/compliance/owners"

    @get("/{owner_id:str}")
    async def show(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        owner_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """The form of an owner, or of a new one (`new`)."""
        values = await _values(request, interface, user_id, owner_id)
        return renderer.page(request, _TEMPLATE, **values)

    @post("/{owner_id:str}", status_code=200)
    async def save(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        owner_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Add the owner, or tell what was changed."""
        form = await read_form(request)
        told = _changes(request, form)
        path = f"/v2/users/{user_id}/kyc/ubos"
        try:
            if owner_id == _NEW:
                given = {name: value for name, value in told.items() if value is not None}
                await interface.post(path, given)
            elif told:
                await interface.post(f"{path}/{owner_id}", told)
        except Refused as error:
            values = await _values(request, interface, user_id, owner_id, form.fields)
            values["was"] = form.text("was")
            return renderer.again(request, _TEMPLATE, error, **values)
        return go(_tab(user_id), said=_("The owner was saved."))

    @post("/{owner_id:str}/remove", status_code=200)
    async def remove(
        self,
        user_id: FromPath[str],
        owner_id: FromPath[str],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Take an owner off the list, with their documents."""
        listed = await interface.get(f"/v2/users/{user_id}/kyc/ubos")
        left = [{"id": each["id"]} for each in listed["data"] if each["id"] != owner_id]
        if len(left) == len(listed["data"]):
            raise ResourceNotFound("there is no such owner")
        await interface.post(f"/v2/users/{user_id}/kyc", {OWNERS: left})
        return go(_tab(user_id), said=_("The owner was removed."))


def _changes(request: PageRequest, form: Form) -> dict[str, Any]:
    was = kept(form.text("was"))
    return changes(OWNER, form.fields, was, locale=request.user.language)


async def _values(
    request: PageRequest,
    interface: Interface,
    user_id: str,
    owner_id: str,
    typed_now: Texts | None = None,
) -> dict[str, Any]:
    dossier = await read_dossier(interface, user_id, (), request.user.language)
    found = dossier["standing"]
    owner: Mapping[str, Any] = {}
    asked = found.owner
    if owner_id != _NEW:
        place = owner_place(dossier["info"], owner_id)
        if place < 0:
            raise ResourceNotFound("there is no such owner")
        owner = dossier["info"][OWNERS][place]
        asked = merged(found.owner, found.owners.get(place))
    return {
        **dossier,
        **owner_form(owner, asked, typed_now),
        "owner": owner,
        "owner_id": owner_id,
        "own_documents": [
            each for each in dossier["documents"] if owner and each["uboId"] == owner_id
        ],
    }


def _tab(user_id: str) -> str:
    return f"/dashboard/users/{quote(user_id, safe='')}/compliance#owners"
