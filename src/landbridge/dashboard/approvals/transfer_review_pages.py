"""Payments that somebody asked about: the queue, and each with its questions and answers."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.approvals.payment_cards import payment_cards
from landbridge.dashboard.asker_names import Askers
from landbridge.dashboard.forms import Form, read_form, read_upload
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked, listed
from landbridge.dashboard.sending import send_file
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later
from landbridge.onboarding.uploads import BODY_BYTES_MAX, Sent
from landbridge.rfis.model import FILES_MAX
from landbridge.web.inside import Interface

_SHOWN: Final[Mapping[str, Sequence[str]]] = {
    "waiting": ["OPEN", "ANSWERED"],
    "open": ["OPEN"],
    "answered": ["ANSWERED"],
    "closed": ["CLOSED"],
}
_REVIEWS, _HERE = "/v2/reviews/transfers", "/dashboard/reviews/transfers"
_UNPROCESSABLE = 422


class TransferReviewPages(Controller):
    """`/dashboard/reviews/transfers`."""

    path = "/reviews/transfers"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """The longest waiting first."""
        told = asked(request, "show")
        shown = told.text("show") if told.text("show") in _SHOWN else "waiting"
        found, wrong = await listed(
            interface.get(
                _REVIEWS, status=_SHOWN[shown], limit=PAGE_SIZE, createdAfter=told.cursor
            ),
            {"reviews": [], "count": 0, "nextCursor": None},
        )
        wanted = {(each["transferType"], each["transferId"]) for each in found["reviews"]}
        is_full = found["count"] == PAGE_SIZE
        return renderer.page(
            request,
            "approvals/transfer_reviews.html",
            status=_UNPROCESSABLE if wrong else 200,
            reviews=found["reviews"],
            cards=await payment_cards(interface, wanted),
            asked=told,
            shown=shown,
            next=told.older(found["nextCursor"]) if is_full else None,
            wrong=wrong,
        )

    @get("/{transfer_id:str}")
    async def show(
        self,
        request: PageRequest,
        transfer_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """One payment, with all that was asked about it."""
        values = await _values(request, interface, askers, transfer_id)
        return renderer.page(request, "approvals/transfer_review.html", **values)

    @post("/{transfer_id:str}")
    async def ask_or_close(
        self,
        request: PageRequest,
        transfer_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """Ask about the payment, or close what was asked: whichever form was sent."""
        form = await read_form(request)
        is_closing = form.text("do") == "close"
        try:
            if is_closing:
                body: dict[str, str | None] = {"comment": form.maybe("comment")}
                await interface.post(f"{_REVIEWS}/{transfer_id}/rfi/close", body)
            else:
                body = {"question": form.text("question")}
                await interface.post(f"{_REVIEWS}/{transfer_id}/rfi", body)
        except Refused as problem:
            values = await _values(request, interface, askers, transfer_id)
            values["typed"] = form
            return renderer.again(request, "approvals/transfer_review.html", problem, **values)
        said = later("The request was closed.") if is_closing else later("The question was asked.")
        return go(f"{_HERE}/{transfer_id}", said=said)

    @post("/{transfer_id:str}/answer", upload=True, request_max_body_size=BODY_BYTES_MAX)
    async def answer(
        self,
        request: PageRequest,
        transfer_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """Put an answer down; or keep one more file of it, and show the form again."""
        form, sent = read_upload(request)
        file_ids = [each for each in form.texts("fileId") if each][:FILES_MAX]
        problem: Refused | None = None
        try:
            if sent.name:
                file_ids.append(await _keep(interface, sent, has=len(file_ids)))
            if form.text("do") != "keep":
                body = {"answer": form.text("answer"), "fileIds": file_ids}
                await interface.post(f"{_REVIEWS}/{transfer_id}/rfi/answer", body)
                return go(f"{_HERE}/{transfer_id}", said=later("The answer was put down."))
        except Refused as error:
            problem = error
        values = await _values(request, interface, askers, transfer_id)
        values |= {"typed": form, "kept": await _files(interface, file_ids)}
        if problem is None:
            return renderer.page(request, "approvals/transfer_review.html", **values)
        return renderer.again(request, "approvals/transfer_review.html", problem, **values)


async def _values(
    request: PageRequest, interface: Interface, askers: Askers, transfer_id: str
) -> dict[str, Any]:
    review = await interface.get(f"{_REVIEWS}/{transfer_id}")
    cards = await payment_cards(interface, [(review["transferType"], review["transferId"])])
    return {
        "review": review,
        "card": cards.get(review["transferId"]),
        "names": await askers.names(request.user.caller.org_id),
        "typed": Form(),
        "kept": [],
    }


async def _keep(interface: Interface, sent: Sent, *, has: int) -> str:
    """Send a file on to the interface; answers its id."""
    if has >= FILES_MAX:
        raise FieldInvalid(f"an answer has at most {FILES_MAX} files", field="file")
    return await send_file(interface, sent) or ""


async def _files(interface: Interface, file_ids: Sequence[str]) -> list[Any]:
    """What is known of files that were kept; those that are not there are left out."""
    found: list[Any] = []
    for each in file_ids:
        try:
            found.append(await interface.get(f"/v2/files/{each}"))
        except Refused:
            continue
    return found
