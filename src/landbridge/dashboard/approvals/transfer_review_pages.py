"""Pages of payments in compliance review: the queue, and each with its questions and answers."""

from collections.abc import Sequence
from typing import Final

from litestar import Controller, get, post
from litestar.params import FromPath

from landbridge.customers.onboarding.multipart_form import BODY_BYTES_MAX, SubmittedForm
from landbridge.dashboard.approvals.payment_cards import payment_cards
from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_request import (
    Form,
    Page,
    PageRequest,
    read_form,
    read_upload,
    redirect,
)
from landbridge.dashboard.payment_lines import payment_lines
from landbridge.dashboard.upload_forwarding import send_file
from landbridge.payments.rfis.api import TransferReview, TransferReviewPage
from landbridge.payments.rfis.model import FILES_MAX
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.files.api import FileReply
from landbridge.platform.formats.translations import later
from landbridge.platform.http.internal_client import InternalClient

_REVIEWS, _PAGE_PATH = "/v2/reviews/transfers", "/dashboard/reviews/transfers"
_LIST: Final = ReviewList(
    _REVIEWS,
    TransferReviewPage(count=0, reviews=[]),
    {
        "waiting": ["OPEN", "ANSWERED"],
        "open": ["OPEN"],
        "answered": ["ANSWERED"],
        "closed": ["CLOSED"],
    },
)


class TransferReviewPages(Controller):
    """`/dashboard/reviews/transfers`."""

    path = "/reviews/transfers"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List the queue, longest waiting first."""
        found = await _LIST.load(request)
        payments = {(each.transfer_type, each.transfer_id) for each in found.page.reviews}
        return request.page(
            "approvals/transfer_reviews.html",
            rows=found.page.reviews,
            cards=await payment_cards(request.interface, payments),
            lines=await payment_lines(request.interface, {each for _, each in payments}),
            **found.values,
        )

    @get("/{transfer_id:str}")
    async def show(self, request: PageRequest, transfer_id: FromPath[str]) -> Page:
        """Show one payment with its requests for information."""
        values = await _values(request, transfer_id)
        return request.page("approvals/transfer_review.html", **values)

    @post("/{transfer_id:str}")
    async def request_or_close(self, request: PageRequest, transfer_id: FromPath[str]) -> Page:
        """Request information or close the requests, depending on the submitted form."""
        form = await read_form(request)
        is_closing = form.text("do") == "close"
        try:
            if is_closing:
                body: dict[str, str | None] = {"comment": form.maybe("comment")}
                await request.interface.post(f"{_REVIEWS}/{transfer_id}/rfi/close", body)
            else:
                body = {"question": form.text("question")}
                await request.interface.post(f"{_REVIEWS}/{transfer_id}/rfi", body)
        except Refused as problem:
            values = await _values(request, transfer_id)
            values["typed"] = form
            return request.with_problem("approvals/transfer_review.html", problem, **values)
        notice = later("Request closed") if is_closing else later("Question sent")
        return redirect(f"{_PAGE_PATH}/{transfer_id}", notice=notice)

    @post("/{transfer_id:str}/answer", upload=True, request_max_body_size=BODY_BYTES_MAX)
    async def answer(self, request: PageRequest, transfer_id: FromPath[str]) -> Page:
        """Submit an answer, or upload one of its files and show the form again."""
        form, upload = read_upload(request)
        file_ids = [each for each in form.texts("fileId") if each][:FILES_MAX]
        problem: Refused | None = None
        try:
            if upload.name:
                file_ids.append(await _upload(request.interface, upload, file_count=len(file_ids)))
            if form.text("do") != "keep":
                body = {"answer": form.text("answer"), "fileIds": file_ids}
                await request.interface.post(f"{_REVIEWS}/{transfer_id}/rfi/answer", body)
                return redirect(f"{_PAGE_PATH}/{transfer_id}", notice=later("Answer recorded"))
        except Refused as error:
            problem = error
        values = await _values(request, transfer_id)
        values |= {"typed": form, "attachments": await _files(request.interface, file_ids)}
        if problem is None:
            return request.page("approvals/transfer_review.html", **values)
        return request.with_problem("approvals/transfer_review.html", problem, **values)


async def _values(request: PageRequest, transfer_id: str) -> dict[str, object]:
    review = await request.interface.read(TransferReview, f"{_REVIEWS}/{transfer_id}")
    cards = await payment_cards(request.interface, [(review.transfer_type, review.transfer_id)])
    return {
        "review": review,
        "card": cards.get(review.transfer_id),
        "line": (await payment_lines(request.interface, {review.transfer_id}))[review.transfer_id],
        "names": await request.actor_names(),
        "typed": Form(),
        "attachments": [],
    }


async def _upload(interface: InternalClient, upload: SubmittedForm, *, file_count: int) -> str:
    """Upload a file to the API and return its id."""
    if file_count >= FILES_MAX:
        raise FieldInvalid(f"An answer can have at most {FILES_MAX} files.", field="file")
    return await send_file(interface, upload) or ""


async def _files(interface: InternalClient, file_ids: Sequence[str]) -> list[FileReply]:
    """Return the metadata of uploaded files; missing ones are omitted."""
    found: list[FileReply] = []
    for each in file_ids:
        try:
            found.append(await interface.read(FileReply, f"/v2/files/{each}"))
        except Refused:
            continue
    return found
