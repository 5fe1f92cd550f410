"""Page of halts: what waits, and the forms by which two people let it go on."""

from collections.abc import Mapping
from typing import Final

from litestar import Controller, get, post
from litestar.di import NamedDependency

from landbridge.dashboard.actor_names import ActorDirectory
from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Page, Renderer, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later
from landbridge.platform.http.internal_client import InternalClient
from landbridge.reporting.reconciliation.halt_schemas import HaltPage

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
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        actors: NamedDependency[ActorDirectory],
    ) -> Page:
        """List halts in force or those that are over, newest first."""
        values = await _values(request, interface, actors)
        return renderer.page(request, _LIST, **values)

    @post("/")
    async def decide(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        actors: NamedDependency[ActorDirectory],
    ) -> Page:
        """Propose, accept or reject a lift; the form carries the amount that it showed."""
        form = await read_form(request)
        verb = form.text("verb") if form.text("verb") in _VERBS else "lift"
        fields, notice = _VERBS[verb]
        body = {name: text for name in fields if (text := form.text(name)) or name == "reason"}
        try:
            await interface.post(f"{_API}/{form.text('halt') or '-'}/{verb}", body)
        except Refused as problem:
            values = await _values(request, interface, actors)
            values["typed"] = form
            return renderer.with_problem(request, _LIST, problem, **values)
        return redirect(_PAGE_PATH, notice=notice)


async def _values(
    request: PageRequest, interface: InternalClient, actors: ActorDirectory
) -> dict[str, object]:
    found = await _HALTS.load(request, interface)
    return {
        "halts": found.page.halts,
        "names": await actors.names(request.user.caller.org_id),
        "typed": Form(),
        **found.values,
    }
