"""Pages of resolutions: the list, and per payment its possible actions and past resolutions.

The queue of requests for information has the same pages.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from litestar import Controller, get, post
from litestar.params import FromPath

from landbridge.customers.onboarding.multipart_form import BODY_BYTES_MAX, SubmittedForm
from landbridge.dashboard.approvals.payment_cards import PaymentCard, payment_cards
from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_request import (
    Form,
    Page,
    PageRequest,
    new_request_id,
    read_form,
    read_upload,
    redirect,
)
from landbridge.dashboard.payment_lines import payment_lines
from landbridge.dashboard.payments.choices import account_text
from landbridge.dashboard.payments.holdings import accounts_of
from landbridge.dashboard.upload_forwarding import send_file
from landbridge.payments.approvals.inbox_api import ListedApproval
from landbridge.payments.resolutions.api import ResolutionPage, ResolutionReply, ResolvableReply
from landbridge.payments.rfis.api import TransferReview, TransferReviewPage
from landbridge.payments.rfis.model import FILES_MAX
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.files.api import FileReply
from landbridge.platform.formats.translations import later
from landbridge.platform.http.internal_client import InternalClient

# Statuses of a current resolution; a payment has at most one.
_OPEN: Final = frozenset({"PENDING_APPROVAL", "APPROVED"})
# Stages with a bank order, which has no transaction hash; all others have a chain order.
_BANK_ORDERS: Final = frozenset(
    {
        ("OFFRAMP", "FIAT_INITIATED"),
        ("OFFRAMP", "FIAT_PENDING"),
        ("ONRAMP", "FIAT_FAILED"),
        ("ONRAMP", "CRYPTO_FAILED"),
    }
)
# Optional fields beside the action and its evidence.
_OPTIONAL_FIELDS: Final = ("transactionHash", "address", "accountId")
_RESOLUTIONS, _PAGE_PATH = "/v2/reviews/resolutions", "/dashboard/reviews/resolutions"
_LIST: Final = ReviewList(
    _RESOLUTIONS,
    ResolutionPage(count=0, resolutions=[]),
    {
        "waiting": ["PENDING_APPROVAL"],
        "decided": ["APPROVED", "COMPLETED", "VOID", "REJECTED", "EXPIRED"],
    },
)
_ONE = "approvals/resolution.html"


class ResolutionPages(Controller):
    """`/dashboard/reviews/resolutions`."""

    path = "/reviews/resolutions"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List pending or decided resolutions, newest first."""
        found = await _LIST.load(request)
        payments = {(each.transfer_type, each.transfer_id) for each in found.page.resolutions}
        return request.page(
            "approvals/resolutions.html",
            rows=found.page.resolutions,
            cards=await payment_cards(request.interface, payments),
            names=await request.actor_names(),
            **found.values,
        )

    @get("/{transfer_id:str}")
    async def show(self, request: PageRequest, transfer_id: FromPath[str]) -> Page:
        """Show one payment with its possible actions and its resolutions."""
        return request.page(_ONE, **await _values(request, transfer_id))

    @post("/{transfer_id:str}")
    async def request(self, request: PageRequest, transfer_id: FromPath[str]) -> Page:
        """Request a resolution; sending the form twice requests it once."""
        form = await read_form(request)
        try:
            await request.interface.post(_RESOLUTIONS, _body(form, transfer_id))
        except Refused as problem:
            return request.with_problem(_ONE, problem, **await _values(request, transfer_id, form))
        notice = later("Resolution requested. A second person must approve it.")
        return redirect(f"{_PAGE_PATH}/{transfer_id}", notice=notice)


def _body(form: Form, transfer_id: str) -> Mapping[str, str]:
    """Return the request body; raise `FieldInvalid` if no action was chosen."""
    if not form.text("action"):
        raise FieldInvalid("Choose an action.", field="action")
    return {
        "requestId": str(form.uuid("requestId")),
        "transferId": transfer_id,
        "action": form.text("action"),
        "evidence": form.text("evidence"),
        **{name: form.text(name) for name in _OPTIONAL_FIELDS if form.text(name)},
    }


async def _values(
    request: PageRequest, transfer_id: str, submitted: Form | None = None
) -> dict[str, object]:
    """Return the values of a payment's page; raise `TransactionNotFound` if there is none."""
    found = await request.interface.read(ResolvableReply, f"{_RESOLUTIONS}/actions/{transfer_id}")
    form = submitted or Form()
    resolutions = found.resolutions
    cards, approvals, names = await asyncio.gather(
        payment_cards(request.interface, [(found.transfer_type, found.transfer_id)]),
        _approvals(request.interface, resolutions),
        request.actor_names(),
    )
    card = cards.get(found.transfer_id)
    is_fiat_refund = found.transfer_type == "ONRAMP"
    needs_accounts = any(each.account_id for each in resolutions) or (
        is_fiat_refund and any(each.action == "REDIRECT" for each in found.actions)
    )
    return {
        "found": found,
        "actions": [each.action for each in found.actions],
        "resolutions": resolutions,
        "open": next((each for each in resolutions if each.status in _OPEN), None),
        "card": card,
        "approvals": approvals,
        "names": names,
        "accounts": (
            await account_texts(request.interface, card, request.user.language)
            if needs_accounts
            else {}
        ),
        "is_fiat_refund": is_fiat_refund,
        "has_hash": (found.transfer_type, found.status) not in _BANK_ORDERS,
        "typed": form,
        # A refused form keeps its request id, so that it is never applied twice.
        "request_id": as_uuid(form.text("requestId")) or new_request_id(),
    }


async def _approvals(
    interface: InternalClient, resolutions: Sequence[ResolutionReply]
) -> Mapping[UUID, ListedApproval]:
    """Return approvals with their votes, by resolution."""
    ids = [each.approval_id for each in resolutions if each.approval_id]
    found = await asyncio.gather(
        *(interface.read(ListedApproval, f"/v2/approvals/{each}") for each in ids)
    )
    return {each.transfer_id: each for each in found}


async def account_texts(
    interface: InternalClient, card: PaymentCard | None, language: str
) -> Mapping[str, str]:
    """Bank accounts that a payment's user is paid on, each in one line, by id."""
    if card is None or card.payer_id is None:
        return {}
    try:
        accounts = await accounts_of(interface, card.payer_id, "offramp")
    except Refused:
        return {}
    return {str(each.account_id): account_text(each, language) for each in accounts}


_REVIEWS, _REVIEWS_PATH = "/v2/reviews/transfers", "/dashboard/reviews/transfers"
_REVIEW_LIST: Final = ReviewList(
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
        found = await _REVIEW_LIST.load(request)
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
        values = await _review_values(request, transfer_id)
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
            values = await _review_values(request, transfer_id)
            values["typed"] = form
            return request.with_problem("approvals/transfer_review.html", problem, **values)
        notice = later("Request closed") if is_closing else later("Question sent")
        return redirect(f"{_REVIEWS_PATH}/{transfer_id}", notice=notice)

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
                return redirect(f"{_REVIEWS_PATH}/{transfer_id}", notice=later("Answer recorded"))
        except Refused as error:
            problem = error
        values = await _review_values(request, transfer_id)
        values |= {"typed": form, "attachments": await _files(request.interface, file_ids)}
        if problem is None:
            return request.page("approvals/transfer_review.html", **values)
        return request.with_problem("approvals/transfer_review.html", problem, **values)


async def _review_values(request: PageRequest, transfer_id: str) -> dict[str, object]:
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
