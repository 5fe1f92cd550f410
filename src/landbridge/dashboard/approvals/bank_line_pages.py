"""Pages of unmatched bank statement lines: the queue, and each line with its bank data."""

from typing import Final

from litestar import Controller, get, post
from litestar.params import FromPath

from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.payments.bank_files.statement_line_api import BankLine, BankLinePage
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later

_REVIEWS, _PAGE_PATH = "/v2/reviews/bank-lines", "/dashboard/reviews/bank-lines"
_LIST: Final = ReviewList(
    _REVIEWS,
    BankLinePage(count=0, reviews=[]),
    {"waiting": ["UNMATCHED"], "resolved": ["RESOLVED"], "matched": ["MATCHED"], "new": ["NEW"]},
)
_ONE = "approvals/bank_line.html"


class BankLinePages(Controller):
    """`/dashboard/reviews/bank-lines`."""

    path = "/reviews/bank-lines"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List the queue, longest waiting first."""
        found = await _LIST.load(request)
        return request.page("approvals/bank_lines.html", rows=found.page.reviews, **found.values)

    @get("/{line_id:str}")
    async def show(self, request: PageRequest, line_id: FromPath[str]) -> Page:
        """Show one line, whatever its status."""
        return request.page(_ONE, **await _values(request, line_id))

    @post("/{line_id:str}")
    async def resolve(self, request: PageRequest, line_id: FromPath[str]) -> Page:
        """Resolve the line and apply the consequences."""
        form = await read_form(request)
        names = ("resolution", "comment", "transferId", "depositId")
        submitted = {name: form.text(name) for name in names}
        # Empty fields are omitted, except the two that every resolution has.
        body = {name: text for name, text in submitted.items() if text or name in names[:2]}
        try:
            await request.interface.post(f"{_REVIEWS}/{line_id}/resolve", body)
        except Refused as problem:
            values = await _values(request, line_id)
            values["typed"] = form
            return request.with_problem(_ONE, problem, **values)
        return redirect(f"{_PAGE_PATH}/{line_id}", notice=later("Statement line resolved"))


async def _values(request: PageRequest, line_id: str) -> dict[str, object]:
    return {
        "line": await request.interface.read(BankLine, f"{_REVIEWS}/{line_id}"),
        "names": await request.actor_names(),
        "typed": Form(),
    }
