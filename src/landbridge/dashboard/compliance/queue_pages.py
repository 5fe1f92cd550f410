"""Verifications: the queue, a single case, and the decision."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated

from litestar import Controller, get, post
from litestar.params import FromPath, FromQuery, QueryParameter

from landbridge.customers.kyc.enumerations import value_word
from landbridge.customers.kyc.fields import BY_TYPE, OWNER
from landbridge.customers.verification.model import KycStatus
from landbridge.customers.verification.review_api import ReviewPage, ReviewReply
from landbridge.customers.verification.reviews import ReviewChoice
from landbridge.dashboard.compliance.kyc_data import RAIL_LABELS
from landbridge.dashboard.compliance.kyc_form import kyc_rows
from landbridge.dashboard.list_queries import load_list
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.files.api import FileReply
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_QUEUE, _CASE = "compliance/queue.html", "compliance/case.html"
_ADDRESS = "/dashboard/reviews/kyc"
_PAGE_SIZE = 50
# Possible decisions for each status.
_CHOICES: Mapping[str, Sequence[ReviewChoice]] = {
    KycStatus.MANUAL_REVIEW: (
        ReviewChoice.APPROVE,
        ReviewChoice.REJECT,
        ReviewChoice.RETRY,
        ReviewChoice.REQUEST_INFORMATION,
    ),
    KycStatus.ACTIVE: (ReviewChoice.REVOKE,),
}
_REASON = "reason:"
_VERSION_MAX = 2**31 - 1


class KycReviewPages(Controller):
    """Cases waiting for review."""

    path = "/reviews/kyc"

    @get()
    async def queue(
        self,
        request: PageRequest,
        *,
        status: Annotated[str, QueryParameter(name="status")] = "",
        after: FromQuery[str] = "",
    ) -> Page:
        """List cases, longest waiting first."""
        found, filter_error = await load_list(
            request.interface.read(
                ReviewPage,
                "/v2/reviews/kyc",
                limit=_PAGE_SIZE,
                status=status or KycStatus.MANUAL_REVIEW,
                cursor=after or None,
            ),
            ReviewPage(count=0, reviews=[]),
        )
        return request.page(
            _QUEUE,
            filter_error=filter_error,
            reviews=found.reviews,
            next_cursor=found.next_cursor if found.count == _PAGE_SIZE else None,
            shown_status=status or KycStatus.MANUAL_REVIEW,
            statuses=[(each, each) for each in KycStatus if each is not KycStatus.INACTIVE],
            after=after,
            rail_labels=RAIL_LABELS,
        )

    @get("/{case_id:str}")
    async def show(self, request: PageRequest, case_id: FromPath[str]) -> Page:
        """Show submitted data and documents side by side."""
        return request.page(_CASE, **await _values(request, case_id, Form()))

    @post("/{case_id:str}", status_code=200)
    async def decide(self, request: PageRequest, case_id: FromPath[str]) -> Page:
        """Record the decision and open the next waiting case."""
        form = await read_form(request)
        try:
            await request.interface.post(f"/v2/reviews/kyc/{case_id}", _decision(form))
        except Refused as error:
            return request.with_problem(_CASE, error, **await _values(request, case_id, form))
        reply = await request.interface.read(ReviewPage, "/v2/reviews/kyc", limit=2)
        waiting = [each.id for each in reply.reviews if str(each.id) != case_id]
        if not waiting:
            return redirect(_ADDRESS, notice=_("Decision recorded. The queue is empty."))
        return redirect(
            f"{_ADDRESS}/{waiting[0]}", notice=_("Decision recorded. This is the next case.")
        )


def _decision(form: Form) -> dict[str, object]:
    """Return the request body; empty fields are left out."""
    fields = {
        "decision": form.text("decision"),
        "comment": form.maybe("comment"),
        "note": form.maybe("note"),
        "rejectReasons": _lines(form.text("rejectReasons")),
        "fields": form.texts("fields"),
        "documents": [
            {"id": each, "rejectReasons": _lines(form.text(f"{_REASON}{each}"))}
            for each in form.texts("documents")
        ],
    }
    body: dict[str, object] = {name: value for name, value in fields.items() if value}
    if form.text("version"):
        body["version"] = form.integer("version", minimum=0, maximum=_VERSION_MAX)
    return body


def _lines(text: str) -> list[str]:
    return [each.strip() for each in text.splitlines() if each.strip()]


async def _values(request: PageRequest, case_id: str, form: Form) -> dict[str, object]:
    review = await request.interface.read(ReviewReply, f"/v2/reviews/kyc/{case_id}")
    metadata = await asyncio.gather(
        *(_file(request.interface, each.file_id) for each in review.documents if each.file_id)
    )
    files = {str(each.id): each for each in metadata if each}
    locale = request.user.language
    fields = BY_TYPE[review.user.type]
    return {
        "review": review,
        "files": files,
        "data_rows": kyc_rows(fields, review.kyc_info, locale),
        "owners": [
            (each, kyc_rows(OWNER, each, locale)) for each in review.ultimate_beneficial_owners
        ],
        "choices": _CHOICES.get(review.status, ()),
        "form": form,
        "returned_fields": set(form.texts("fields")),
        "returned_documents": set(form.texts("documents")),
        "rail_labels": RAIL_LABELS,
        "value_label": value_word,
    }


async def _file(interface: InternalClient, file_id: str) -> FileReply | None:
    """Return the metadata of a file; None if it no longer exists."""
    try:
        return await interface.read(FileReply, f"/v2/files/{file_id}")
    except Refused:
        return None
