"""Page of halts: what waits, and the forms by which two people let it go on."""

from collections.abc import Mapping
from typing import Final

from litestar import Controller, get, post

from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later
from landbridge.reporting.reconciliation.schemas import HaltPage

_API, _PAGE_PATH = "/v2/reconciliation/halts", "/dashboard/reconciliation/halts"
_HALTS: Final = ReviewList(
    _API,
    HaltPage(count=0, halts=[]),
    {"open": ["HALTED", "PROPOSED"], "resolved": ["LIFTED", "CLEARED"]},
)
_LIST = "reconciliation/halts.html"
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
        values = await _values(request)
        return request.page(_LIST, **values)

    @post("/")
    async def decide(self, request: PageRequest) -> Page:
        """Propose, accept or reject a lift; the form carries the amount that it showed."""
        form = await read_form(request)
        verb = form.text("verb") if form.text("verb") in _VERBS else "lift"
        fields, notice = _VERBS[verb]
        body = {name: text for name in fields if (text := form.text(name)) or name == "reason"}
        try:
            await request.interface.post(f"{_API}/{form.text('halt') or '-'}/{verb}", body)
        except Refused as problem:
            values = await _values(request)
            values["typed"] = form
            return request.with_problem(_LIST, problem, **values)
        return redirect(_PAGE_PATH, notice=notice)


async def _values(request: PageRequest) -> dict[str, object]:
    found = await _HALTS.load(request)
    return {
        "halts": found.page.halts,
        "names": await request.actor_names(),
        "typed": Form(),
        **found.values,
    }
