"""Page on which an analyst reveals one masked number of a user, with a reason."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Final

from litestar import Controller, Response, get, post
from litestar.params import FromPath

from landbridge.customers.revealed_numbers.api import RevealedNumber
from landbridge.dashboard.compliance.field_labels import LABELS
from landbridge.dashboard.json_text import as_object
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form
from landbridge.dashboard.users.account_labels import FIELD_LABELS
from landbridge.dashboard.users.page_context import page_path, user_context, user_path
from landbridge.platform.core.errors import Refused, ResourceNotFound
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.number_masks import MASKED

_LABELS: Final = {**LABELS, **FIELD_LABELS, "number": _("Document number")}
# Path of each record below its user, in the API and in the dashboard.
_PATHS: Final[Mapping[str, tuple[str, str]]] = {
    "ACCOUNT": ("/accounts/{}", "/accounts/{}"),
    "KYC": ("/kyc", "/compliance"),
    "OWNER": ("/kyc/ubos/{}", "/compliance/owners/{}"),
    "DOCUMENT": ("/kyc/documents/{}", "/compliance/documents/{}"),
}


class RevealPages(Controller):
    """`/dashboard/users/{userId}/reveal`."""

    path = "/users/{user_id:str}/reveal"

    @get()
    async def form(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """Offer the numbers of a record."""
        form = Form({name: [value] for name, value in request.query_params.items()})
        return request.page("compliance/reveal.html", **await _values(request, user_id, form))

    @post(status_code=200)
    async def reveal(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Show one number; it is on this page only, and the audit log has the reason."""
        form = await read_form(request)
        values = await _values(request, user_id, form)
        body = {
            "record": form.text("record"),
            "recordId": form.text("recordId"),
            "field": form.text("field"),
            "reason": form.text("reason"),
        }
        try:
            found = await request.interface.submit(
                RevealedNumber, f"{user_path(user_id)}/revealed-numbers", body
            )
        except Refused as problem:
            return request.with_problem("compliance/reveal.html", problem, **values)
        return request.page("compliance/reveal.html", **values, revealed=found.value)


async def _values(request: PageRequest, user_id: str, form: Form) -> dict[str, object]:
    record, record_id = form.text("record"), form.text("recordId")
    if record not in _PATHS:
        raise ResourceNotFound("There is no such record.")
    api_path, page = (each.format(record_id) for each in _PATHS[record])
    values, found = await asyncio.gather(
        user_context(request.interface, user_id),
        request.interface.read(dict[str, object], f"{user_path(user_id)}{api_path}"),
    )
    translate = catalogue(request.user.language).gettext
    names = dict.fromkeys(_masked_members(found))
    return values | {
        "form": form,
        "back": page_path(user_id) + page,
        "fields": [(name, translate(_LABELS.get(name, name))) for name in names],
    }


def _masked_members(value: object) -> Iterator[str]:
    """Yield the members of a record that have a number."""
    for name, each in as_object(value).items():
        if name in MASKED and isinstance(each, str):
            yield name
        yield from _masked_members(each)
