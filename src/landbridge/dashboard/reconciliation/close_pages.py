"""Pages of daily closes: the list with a form to sign a day, and each close with its content."""

from datetime import timedelta
from typing import Final

from litestar import Controller, get, post
from litestar.params import FromPath

from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.reconciliation.positions import used_positions
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later
from landbridge.reporting.reconciliation.close_schemas import ClosePage, CloseWithContent

_API, _PAGE_PATH = "/v2/reconciliation/closes", "/dashboard/reconciliation/closes"
_CLOSES: Final = ReviewList(_API, ClosePage(count=0, closes=[]), {})
_LIST, _ONE = "reconciliation/closes.html", "reconciliation/close.html"


class ClosePages(Controller):
    """`/dashboard/reconciliation/closes`."""

    path = "/reconciliation/closes"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List closes, the latest signature first."""
        values = await _list_values(request)
        return request.page(_LIST, **values)

    @post("/")
    async def sign(self, request: PageRequest) -> Page:
        """Sign the close of a day."""
        form = await read_form(request)
        reason = form.text("reason")
        body = {"day": form.text("day"), **({"reason": reason} if reason else {})}
        try:
            signed = await request.interface.submit(CloseWithContent, _API, body)
        except Refused as problem:
            values = await _list_values(request)
            values["typed"] = form
            return request.with_problem(_LIST, problem, **values)
        return redirect(
            f"{_PAGE_PATH}/{signed.close.id}",
            notice=later("Close signed. A second person confirms it."),
        )

    @get("/{close_id:str}")
    async def show(self, request: PageRequest, close_id: FromPath[str]) -> Page:
        """Show one close, whatever its status."""
        values = await _values(request, close_id)
        return request.page(_ONE, **values)

    @post("/{close_id:str}")
    async def decide(self, request: PageRequest, close_id: FromPath[str]) -> Page:
        """Confirm or reject a close; the form carries the digest that it showed."""
        form = await read_form(request)
        confirms = form.text("verb") == "confirm"
        field = "digest" if confirms else "reason"
        try:
            await request.interface.post(
                f"{_API}/{close_id}/{'confirm' if confirms else 'reject'}",
                {field: form.text(field)},
            )
        except Refused as problem:
            values = await _values(request, close_id)
            values["typed"] = form
            return request.with_problem(_ONE, problem, **values)
        notice = later("Close confirmed") if confirms else later("Close rejected")
        return redirect(f"{_PAGE_PATH}/{close_id}", notice=notice)


async def _list_values(request: PageRequest) -> dict[str, object]:
    found = await _CLOSES.load(request)
    yesterday = request.now().astimezone(request.user.zone).date() - timedelta(days=1)
    return {
        "closes": found.page.closes,
        "names": await request.actor_names(),
        "yesterday": yesterday.isoformat(),
        "typed": Form(),
        **found.values,
    }


async def _values(request: PageRequest, close_id: str) -> dict[str, object]:
    found = await request.interface.read(CloseWithContent, f"{_API}/{close_id}")
    return {
        "found": found,
        "positions": used_positions(found.positions),
        "names": await request.actor_names(),
        "typed": Form(),
    }
