"""Pages of daily closes: the list with a form to sign a day, each close, and halts of chains."""

from collections.abc import Mapping
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
from landbridge.reporting.reconciliation.schemas import HaltPage

_API, _PAGE_PATH = "/v2/reconciliation/closes", "/dashboard/reconciliation/closes"
_CLOSES: Final = ReviewList(_API, ClosePage(count=0, closes=[]), {})
_LIST, _ONE = "reconciliation/closes.html", "reconciliation/close.html"


class ClosePages(Controller):
    """`/dashboard/reconciliation/closes`."""

    path = "/reconciliation/closes"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List closes, the latest signature first."""
        return request.page(_LIST, **await _list_values(request))

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
        return request.page(_ONE, **await _values(request, close_id))

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


_HALT_API, _HALTS_PATH = "/v2/reconciliation/halts", "/dashboard/reconciliation/halts"
_HALTS: Final = ReviewList(
    _HALT_API,
    HaltPage(count=0, halts=[]),
    {"open": ["HALTED", "PROPOSED"], "resolved": ["LIFTED", "CLEARED"]},
)
_HALT_LIST = "reconciliation/halts.html"
# By verb: fields of the form, and the notice after it.
_VERBS: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "lift": (("reason", "amount"), later("Lift proposed. A second person accepts.")),
    "accept": (("amount",), later("Halt lifted")),
    "reject": (("reason",), later("Lift rejected")),
}


class HaltPages(Controller):
    """`/dashboard/reconciliation/halts`."""

    path = "/reconciliation/halts"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List halts in force or those that are over, newest first."""
        return request.page(_HALT_LIST, **await _halt_values(request))

    @post("/")
    async def decide(self, request: PageRequest) -> Page:
        """Propose, accept or reject a lift; the form carries the amount that it showed."""
        form = await read_form(request)
        verb = form.text("verb") if form.text("verb") in _VERBS else "lift"
        fields, notice = _VERBS[verb]
        body = {name: text for name in fields if (text := form.text(name)) or name == "reason"}
        try:
            await request.interface.post(f"{_HALT_API}/{form.text('halt') or '-'}/{verb}", body)
        except Refused as problem:
            values = await _halt_values(request)
            values["typed"] = form
            return request.with_problem(_HALT_LIST, problem, **values)
        return redirect(_HALTS_PATH, notice=notice)


async def _halt_values(request: PageRequest) -> dict[str, object]:
    found = await _HALTS.load(request)
    return {
        "halts": found.page.halts,
        "names": await request.actor_names(),
        "typed": Form(),
        **found.values,
    }
