"""Beneficial owners of a business: add, edit, remove."""

from urllib.parse import quote

from litestar import Controller, get, post
from litestar.params import FromPath

from landbridge.customers.kyc.fields import OWNER, OWNERS
from landbridge.dashboard.compliance.kyc_data import (
    load_verification,
    merge_requirements,
    owner_index,
    split_form,
)
from landbridge.dashboard.compliance.kyc_form import FieldValues, changed_fields, decode_original
from landbridge.dashboard.compliance.kyc_replies import KycReply
from landbridge.dashboard.json_text import JsonObject, as_objects, as_texts
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import Refused, ResourceNotFound
from landbridge.platform.formats.translations import later as _

_TEMPLATE = "compliance/owner.html"
_NEW = "new"


class OwnerPages(Controller):
    """Beneficial owners of one business."""

    path = "/users/{user_id:str}/compliance/owners"

    @get("/{owner_id:str}")
    async def show(
        self, request: PageRequest, user_id: FromPath[str], owner_id: FromPath[str]
    ) -> Page:
        """Show the form of an owner, or of a new one (`new`)."""
        return request.page(_TEMPLATE, **await _values(request, user_id, owner_id))

    @post("/{owner_id:str}", status_code=200)
    async def save(
        self, request: PageRequest, user_id: FromPath[str], owner_id: FromPath[str]
    ) -> Page:
        """Add the owner, or save changed fields."""
        form = await read_form(request)
        changed = _changes(request, form)
        path = f"/v2/users/{user_id}/kyc/ubos"
        try:
            if owner_id == _NEW:
                new_owner = {name: value for name, value in changed.items() if value is not None}
                await request.interface.post(path, new_owner)
            elif changed:
                await request.interface.post(f"{path}/{owner_id}", changed)
        except Refused as error:
            values = await _values(request, user_id, owner_id, form.fields)
            values["original_values"] = form.text("original")
            return request.with_problem(_TEMPLATE, error, **values)
        return redirect(_tab(user_id), notice=_("Beneficial owner saved"))

    @post("/{owner_id:str}/remove", status_code=200)
    async def remove(
        self, request: PageRequest, user_id: FromPath[str], owner_id: FromPath[str]
    ) -> Page:
        """Remove the owner and their documents."""
        kyc = await request.interface.read(KycReply, f"/v2/users/{user_id}/kyc")
        owner_ids = as_texts(kyc.kyc_info.get(OWNERS))
        remaining = [{"id": each} for each in owner_ids if each != owner_id]
        if len(remaining) == len(owner_ids):
            raise ResourceNotFound("This beneficial owner does not exist.")
        await request.interface.post(f"/v2/users/{user_id}/kyc", {OWNERS: remaining})
        return redirect(_tab(user_id), notice=_("Beneficial owner removed"))


def _changes(request: PageRequest, form: Form) -> JsonObject:
    original = decode_original(form.text("original"))
    return changed_fields(OWNER, form.fields, original, locale=request.user.language)


async def _values(
    request: PageRequest, user_id: str, owner_id: str, submitted: FieldValues | None = None
) -> dict[str, object]:
    verification = await load_verification(request.interface, user_id, (), request.user.language)
    requirements, owner = verification.requirements, JsonObject()
    required_data = requirements.owner
    if owner_id != _NEW:
        index = owner_index(verification.info, owner_id)
        if index < 0:
            raise ResourceNotFound("This beneficial owner does not exist.")
        owner = as_objects(verification.info[OWNERS])[index]
        required_data = merge_requirements(requirements.owner, requirements.owners.get(index))
    return {
        **verification.values,
        **split_form(OWNER, owner, required_data, submitted),
        "owner": owner,
        "owner_id": owner_id,
        "own_documents": [
            each
            for each in verification.documents
            if owner and str(each.document.ubo_id) == owner_id
        ],
    }


def _tab(user_id: str) -> str:
    return f"/dashboard/users/{quote(user_id, safe='')}/compliance#owners"
