"""Documents of a user and its owners: add by file or link, view, edit."""

import asyncio
from collections.abc import Mapping
from urllib.parse import quote

from litestar import Controller, get, post
from litestar.params import FromPath, FromQuery
from msgspec import to_builtins

from landbridge.customers.kyc.documents import accepted
from landbridge.customers.kyc.enumerations import value_word
from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.onboarding.multipart_form import BODY_BYTES_MAX
from landbridge.customers.users.model import UserType
from landbridge.dashboard.compliance.kyc_data import owner_name
from landbridge.dashboard.compliance.kyc_replies import KycDocumentReply, KycReply
from landbridge.dashboard.countries import countries, country_code
from landbridge.dashboard.json_text import as_objects
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_upload, redirect
from landbridge.dashboard.upload_forwarding import send_file
from landbridge.dashboard.users.page_context import user_context
from landbridge.platform.core.errors import FieldInvalid, Refused, ResourceNotFound
from landbridge.platform.files.api import FileReply
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_TEMPLATE = "compliance/document.html"
_EDITABLE_FIELDS = ("issuedCountry", "number", "issuedDate", "expiryDate", "description")


class DocumentPages(Controller):
    """Documents of one user."""

    path = "/users/{user_id:str}/compliance/documents"

    @get("/new")
    async def new_form(
        self,
        request: PageRequest,
        *,
        user_id: FromPath[str],
        owner: FromQuery[str] = "",
        type: FromQuery[str] = "",  # noqa: A002  as the address has it
    ) -> Page:
        """Show the form for a new document."""
        form = Form({"uboId": [owner], "type": [type]})
        return request.page(_TEMPLATE, **await _values(request, user_id, form))

    @post("/new", status_code=200, upload=True, request_max_body_size=BODY_BYTES_MAX)
    async def add(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Upload the file, then create its document; the file is deleted if that is refused."""
        form, upload = read_upload(request)
        values = await _values(request, user_id, form)
        submitted = {
            **_submitted_fields(request, form),
            "type": form.text("type"),
            "subType": form.text("subType"),
        }
        if form.maybe("uboId"):
            submitted["uboId"] = form.text("uboId")
        try:
            await _add(
                request.interface, user_id, submitted, await send_file(request.interface, upload)
            )
        except Refused as error:
            return request.with_problem(_TEMPLATE, _with_input_name(error), **values)
        return redirect(_tab(user_id), notice=_("Document added"))

    @get("/{document_id:str}")
    async def show(
        self, request: PageRequest, user_id: FromPath[str], document_id: FromPath[str]
    ) -> Page:
        """Show a document, its file and a form to edit it."""
        path = f"/v2/users/{user_id}/kyc/documents/{document_id}"
        document = await request.interface.read(KycDocumentReply, path)
        shown: dict[str, str | None] = to_builtins(document)
        form = Form({name: [shown[name] or ""] for name in (*_EDITABLE_FIELDS, "url")})
        return request.page(_TEMPLATE, **await _values(request, user_id, form, document))

    @post("/{document_id:str}", status_code=200, upload=True, request_max_body_size=BODY_BYTES_MAX)
    async def save(
        self, request: PageRequest, user_id: FromPath[str], document_id: FromPath[str]
    ) -> Page:
        """Save changed fields; a new file replaces the previous one."""
        form, upload = read_upload(request)
        path = f"/v2/users/{user_id}/kyc/documents/{document_id}"
        document = await request.interface.read(KycDocumentReply, path)
        shown: dict[str, str | None] = to_builtins(document)
        submitted: dict[str, object] = {
            name: value
            for name, value in _submitted_fields(request, form).items()
            if value != shown[name] and (value is not None or name != "url")
        }
        try:
            file_id = await send_file(request.interface, upload)
            if file_id:
                submitted = {**submitted, "fileId": file_id}
                submitted.pop("url", None)
            if submitted:
                await _post_or_delete_file(request.interface, file_id, path, submitted)
        except Refused as error:
            values = await _values(request, user_id, form, document)
            return request.with_problem(_TEMPLATE, _with_input_name(error), **values)
        return redirect(_tab(user_id), notice=_("Document saved"))


async def _add(
    interface: InternalClient,
    user_id: str,
    submitted: Mapping[str, str | None],
    file_id: str | None,
) -> None:
    body = {**submitted, **({"fileId": file_id} if file_id else {})}
    body = {name: value for name, value in body.items() if value is not None}
    await _post_or_delete_file(interface, file_id, f"/v2/users/{user_id}/kyc/documents", [body])


async def _post_or_delete_file(
    interface: InternalClient, file_id: str | None, path: str, body: object
) -> None:
    """Post the body; if it is refused, delete the uploaded file."""
    try:
        await interface.post(path, body)
    except Refused:
        if file_id:
            await interface.delete(f"/v2/files/{file_id}")
        raise


def _submitted_fields(request: PageRequest, form: Form) -> dict[str, str | None]:
    submitted = {name: form.maybe(name) for name in (*_EDITABLE_FIELDS, "url")}
    country = submitted["issuedCountry"]
    if country is not None:
        submitted["issuedCountry"] = country_code(country, request.user.language)
    return submitted


async def _values(
    request: PageRequest, user_id: str, form: Form, document: KycDocumentReply | None = None
) -> dict[str, object]:
    context, kyc = await asyncio.gather(
        user_context(request.interface, user_id),
        request.interface.read(KycReply, f"/v2/users/{user_id}/kyc", expand=OWNERS),
    )
    owners = as_objects(kyc.kyc_info.get(OWNERS))
    translate = catalogue(request.user.language).gettext
    of_user, _sides = accepted(context["user"].type)
    of_person, sides = accepted(UserType.INDIVIDUAL)
    file_id = document and document.file_id
    try:
        file = await request.interface.read(FileReply, f"/v2/files/{file_id}") if file_id else None
    except ResourceNotFound:
        file = None
    return {
        **context,
        "owners": [(str(each["id"]), owner_name(each) or str(each["id"])) for each in owners],
        "form": form,
        "document": document,
        "file": file,
        "types": [
            (each, translate(value_word(each))) for each in dict.fromkeys((*of_user, *of_person))
        ],
        "sub_types": [(each, translate(value_word(each))) for each in sides],
        "value_label": value_word,
        "countries": countries(request.user.language),
    }


def _with_input_name(error: Refused) -> Refused:
    """Return the refusal with the page's input name instead of the API field path."""
    if isinstance(error, FieldInvalid) and error.field:
        name = error.field.rpartition(".")[2]
        return FieldInvalid(error.message, field="file" if name == "fileId" else name)
    return error


def _tab(user_id: str) -> str:
    return f"/dashboard/users/{quote(user_id, safe='')}/compliance#documents"
