"""Deposits that nobody takes: the queue, and each with what may be done with it."""

from typing import Any

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.core.ids import as_uuid
from landbridge.dashboard.asker_names import Askers
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked, listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later
from landbridge.web.inside import Interface

_REVIEWS, _HERE = "/v2/reviews/deposits", "/dashboard/reviews/deposits"
_ONE = "approvals/deposit_review.html"
_UNPROCESSABLE = 422


class DepositReviewPages(Controller):
    """`/dashboard/reviews/deposits`."""

    path = "/reviews/deposits"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Those that wait, the longest waiting first."""
        told = asked(request)
        found, wrong = await listed(
            interface.get(_REVIEWS, limit=PAGE_SIZE, createdAfter=told.cursor),
            {"reviews": [], "count": 0, "nextCursor": None},
        )
        is_full = found["count"] == PAGE_SIZE
        return renderer.page(
            request,
            "approvals/deposit_reviews.html",
            status=_UNPROCESSABLE if wrong else 200,
            deposits=found["reviews"],
            asked=told,
            next=told.older(found["nextCursor"]) if is_full else None,
            wrong=wrong,
        )

    @get("/{deposit_id:str}")
    async def show(
        self,
        request: PageRequest,
        deposit_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """One, whatever has become of it."""
        values = await _values(request, interface, askers, deposit_id)
        return renderer.page(request, _ONE, **values)

    @post("/{deposit_id:str}")
    async def decide(
        self,
        request: PageRequest,
        deposit_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """Match it with what it pays, or send it back: whichever form was sent."""
        form = await read_form(request)
        is_return = form.text("do") == "return"
        try:
            if is_return:
                body = {"comment": form.text("returnComment")}
                await interface.post(f"{_REVIEWS}/{deposit_id}/return", body)
            else:
                await interface.post(f"{_REVIEWS}/{deposit_id}/match", _match(form))
        except Refused as error:
            values = await _values(request, interface, askers, deposit_id)
            values["typed"] = form
            return renderer.again(request, _ONE, _placed(error, form), **values)
        said = later("The deposit goes back.") if is_return else later("The deposit was matched.")
        return go(f"{_HERE}/{deposit_id}", said=said)


async def _values(
    request: PageRequest, interface: Interface, askers: Askers, deposit_id: str
) -> dict[str, Any]:
    return {
        "deposit": await interface.get(f"{_REVIEWS}/{deposit_id}"),
        "names": await askers.names(request.user.caller.org_id),
        "typed": Form(),
    }


def _match(form: Form) -> dict[str, Any]:
    """What the deposit is matched with; raises `FieldInvalid` for what is no id."""
    told = as_uuid(form.text("pays"))
    if told is None:
        raise FieldInvalid("Give the id of an onramp or of a virtual account.", field="pays")
    name = "virtualAccountId" if form.text("with") == "account" else "transferId"
    return {name: str(told), "comment": form.text("comment")}


def _placed(error: Refused, form: Form) -> Refused:
    """The same refusal, about the field as the page calls it."""
    if not isinstance(error, FieldInvalid):
        return error
    field = error.field
    if form.text("do") == "return":
        field = "returnComment"
    elif field in {"transferId", "virtualAccountId"}:
        field = "pays"
    return FieldInvalid(error.message, field=field)
