"""Pages of unmatched deposits: the queue, and each deposit with its possible decisions."""

from typing import Final

from litestar import Controller, get, post
from litestar.params import FromPath

from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.payments.incoming_payments.api import DepositReview, DepositReviewPage
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.formats.translations import later

_REVIEWS, _PAGE_PATH = "/v2/reviews/deposits", "/dashboard/reviews/deposits"
_LIST: Final = ReviewList(_REVIEWS, DepositReviewPage(count=0, reviews=[]), {})
_ONE = "approvals/deposit_review.html"


class DepositReviewPages(Controller):
    """`/dashboard/reviews/deposits`."""

    path = "/reviews/deposits"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List the waiting deposits, longest waiting first."""
        found = await _LIST.load(request)
        return request.page(
            "approvals/deposit_reviews.html", deposits=found.page.reviews, **found.values
        )

    @get("/{deposit_id:str}")
    async def show(self, request: PageRequest, deposit_id: FromPath[str]) -> Page:
        """Show one deposit, whatever its status."""
        return request.page(_ONE, **await _values(request, deposit_id))

    @post("/{deposit_id:str}")
    async def decide(self, request: PageRequest, deposit_id: FromPath[str]) -> Page:
        """Match the deposit with a payment or return it, depending on the submitted form."""
        form = await read_form(request)
        is_return = form.text("do") == "return"
        try:
            if is_return:
                body = {"comment": form.text("returnComment")}
                await request.interface.post(f"{_REVIEWS}/{deposit_id}/return", body)
            else:
                await request.interface.post(f"{_REVIEWS}/{deposit_id}/match", _match(form))
        except Refused as error:
            values = await _values(request, deposit_id)
            values["typed"] = form
            return request.with_problem(_ONE, _with_form_field(error, form), **values)
        notice = later("Deposit return started") if is_return else later("Deposit matched")
        return redirect(f"{_PAGE_PATH}/{deposit_id}", notice=notice)


async def _values(request: PageRequest, deposit_id: str) -> dict[str, object]:
    return {
        "deposit": await request.interface.read(DepositReview, f"{_REVIEWS}/{deposit_id}"),
        "names": await request.actor_names(),
        "typed": Form(),
    }


def _match(form: Form) -> dict[str, object]:
    """Return the body of a match; raise `FieldInvalid` for an invalid id."""
    target_id = as_uuid(form.text("pays"))
    if target_id is None:
        raise FieldInvalid("Enter the ID of an onramp or a virtual account.", field="pays")
    name = "virtualAccountId" if form.text("with") == "account" else "transferId"
    return {name: str(target_id), "comment": form.text("comment")}


def _with_form_field(error: Refused, form: Form) -> Refused:
    """Return the refusal with the page's name of the field."""
    if not isinstance(error, FieldInvalid):
        return error
    field = error.field
    if form.text("do") == "return":
        field = "returnComment"
    elif field in {"transferId", "virtualAccountId"}:
        field = "pays"
    return FieldInvalid(error.message, field=field)
