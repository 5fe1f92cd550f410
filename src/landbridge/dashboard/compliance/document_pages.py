"""Documents of a user and of its owners: add one by file or by link, look at one, mend it."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery

from landbridge.core.errors import FieldInvalid, Refused, ResourceNotFound
from landbridge.dashboard.compliance.value_words import value_word
from landbridge.dashboard.countries import countries, country_code
from landbridge.dashboard.forms import Form, read_upload
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.sending import send_file
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import catalogue
from landbridge.dashboard.words import later as _
from landbridge.kyc.documents import accepted
from landbridge.kyc.fields import OWNERS
from landbridge.onboarding.uploads import BODY_BYTES_MAX
from landbridge.users.model import UserType
from landbridge.web.inside import Interface

_TEMPLATE = "compliance/document.html"
_TOLD = ("issuedCountry", "number", "issuedDate", "expiryDate", "description")


class DocumentPages(Controller):
    """Documents of one user."""

    path = "/users/{user_id:str}/compliance/documents"

    @get("/new")
    async def blank(
        self,
        request: PageRequest,
        *,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        owner: FromQuery[str] = "",
        type: FromQuery[str] = "",  # noqa: A002  as the address has it
    ) -> Page:
        """A form for a new one."""
        form = Form({"uboId": [owner], "type": [type]})
        return renderer.page(request, _TEMPLATE, **await _values(request, interface, user_id, form))

    @post("/new", status_code=200, upload=True, request_max_body_size=BODY_BYTES_MAX)
    async def add(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Send the file, then name it in the document; a file that no document names goes again."""
        form, sent = read_upload(request)
        values = await _values(request, interface, user_id, form)
        told = {**_told(request, form), "type": form.text("type"), "subType": form.text("subType")}
        if form.maybe("uboId"):
            told["uboId"] = form.text("uboId")
        try:
            await _add(interface, user_id, told, await send_file(interface, sent))
        except Refused as error:
            return renderer.again(request, _TEMPLATE, _named(error), **values)
        return go(_tab(user_id), said=_("The document was added."))

    @get("/{document_id:str}")
    async def show(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        document_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """One document, its file, and a form to mend it."""
        document = await interface.get(f"/v2/users/{user_id}/kyc/documents/{document_id}")
        form = Form({name: [str(document[name] or "")] for name in (*_TOLD, "url")})
        values = await _values(request, interface, user_id, form, document)
        return renderer.page(request, _TEMPLATE, **values)

    @post("/{document_id:str}", status_code=200, upload=True, request_max_body_size=BODY_BYTES_MAX)
    async def save(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        document_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Change what was told of it; a new file takes the place of the old one."""
        form, sent = read_upload(request)
        path = f"/v2/users/{user_id}/kyc/documents/{document_id}"
        document = await interface.get(path)
        told: dict[str, Any] = {
            name: value
            for name, value in _told(request, form).items()
            if value != document[name] and (value is not None or name != "url")
        }
        try:
            file_id = await send_file(interface, sent)
            if file_id:
                told = {**told, "fileId": file_id}
                told.pop("url", None)
            if told:
                await _or_drop(interface, file_id, path, told)
        except Refused as error:
            values = await _values(request, interface, user_id, form, document)
            return renderer.again(request, _TEMPLATE, _named(error), **values)
        return go(_tab(user_id), said=_("The document was saved."))


async def _add(
    interface: Interface, user_id: str, told: Mapping[str, Any], file_id: str | None
) -> None:
    body = {**told, **({"fileId": file_id} if file_id else {})}
    clean = {name: value for name, value in body.items() if value is not None}
    await _or_drop(interface, file_id, f"/v2/users/{user_id}/kyc/documents", [clean])


async def _or_drop(interface: Interface, file_id: str | None, path: str, body: Any) -> None:
    """Tell it; if that is refused, the file that was sent for it is not kept either."""
    try:
        await interface.post(path, body)
    except Refused:
        if file_id:
            await interface.delete(f"/v2/files/{file_id}")
        raise


def _told(request: PageRequest, form: Form) -> dict[str, str | None]:
    told = {name: form.maybe(name) for name in (*_TOLD, "url")}
    country = told["issuedCountry"]
    if country is not None:
        told["issuedCountry"] = country_code(country, request.user.language)
    return told


async def _values(
    request: PageRequest,
    interface: Interface,
    user_id: str,
    form: Form,
    document: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    user, freeze, kyc = await asyncio.gather(
        interface.get(f"/v2/users/{user_id}"),
        interface.get(f"/v2/users/{user_id}/freeze"),
        interface.get(f"/v2/users/{user_id}/kyc", expand=OWNERS),
    )
    info = kyc["kycInfo"]
    say = catalogue(request.user.language).gettext
    of_user, _sides = accepted(UserType(info["type"]))
    of_person, sides = accepted(UserType.INDIVIDUAL)
    file_id = document and document["fileId"]
    try:
        file = await interface.get(f"/v2/files/{file_id}") if file_id else None
    except ResourceNotFound:
        file = None
    return {
        "user": user,
        "freeze": freeze,
        "info": info,
        "form": form,
        "document": document,
        "file": file,
        "types": [(each, say(value_word(each))) for each in dict.fromkeys((*of_user, *of_person))],
        "sub_types": [(each, say(value_word(each))) for each in sides],
        "worded": value_word,
        "countries": countries(request.user.language),
    }


def _named(error: Refused) -> Refused:
    """The refusal with the name that the field has on the page: without the place in the list."""
    if isinstance(error, FieldInvalid) and error.field:
        name = error.field.rpartition(".")[2]
        return FieldInvalid(error.message, field="file" if name == "fileId" else name)
    return error


def _tab(user_id: str) -> str:
    return f"/dashboard/users/{quote(user_id, safe='')}/compliance#documents"
