"""Pages of daily closes: the list with a form to sign a day, and each close with its content."""

from datetime import timedelta
from typing import Final

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.dashboard.actor_names import ActorDirectory
from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.reconciliation.positions import used_positions
from landbridge.dashboard.rendering import Page, Renderer, redirect
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later
from landbridge.platform.http.internal_client import InternalClient
from landbridge.reporting.reconciliation.close_schemas import ClosePage, CloseWithContent

_API, _PAGE_PATH = "/v2/reconciliation/closes", "/dashboard/reconciliation/closes"
_CLOSES: Final = ReviewList(_API, ClosePage(count=0, closes=[]), {})
_LIST, _ONE = "reconciliation/closes.html", "reconciliation/close.html"


class ClosePages(Controller):
    """`/dashboard/reconciliation/closes`."""

    path = "/reconciliation/closes"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        actors: NamedDependency[ActorDirectory],
    ) -> Page:
        """List closes, the latest signature first."""
        values = await _list_values(request, renderer, interface, actors)
        return renderer.page(request, _LIST, **values)

    @post("/")
    async def sign(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        actors: NamedDependency[ActorDirectory],
    ) -> Page:
        """Sign the close of a day."""
        form = await read_form(request)
        reason = form.text("reason")
        body = {"day": form.text("day"), **({"reason": reason} if reason else {})}
        try:
            signed = await interface.submit(CloseWithContent, _API, body)
        except Refused as problem:
            values = await _list_values(request, renderer, interface, actors)
            values["typed"] = form
            return renderer.with_problem(request, _LIST, problem, **values)
        return redirect(
            f"{_PAGE_PATH}/{signed.close.id}",
            notice=later("Close signed. A second person confirms it."),
        )

    @get("/{close_id:str}")
    async def show(
        self,
        request: PageRequest,
        close_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        actors: NamedDependency[ActorDirectory],
    ) -> Page:
        """Show one close, whatever its status."""
        values = await _values(request, interface, actors, close_id)
        return renderer.page(request, _ONE, **values)

    @post("/{close_id:str}")
    async def decide(
        self,
        request: PageRequest,
        close_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        actors: NamedDependency[ActorDirectory],
    ) -> Page:
        """Confirm or reject a close; the form carries the digest that it showed."""
        form = await read_form(request)
        confirms = form.text("verb") == "confirm"
        field = "digest" if confirms else "reason"
        try:
            await interface.post(
                f"{_API}/{close_id}/{'confirm' if confirms else 'reject'}",
                {field: form.text(field)},
            )
        except Refused as problem:
            values = await _values(request, interface, actors, close_id)
            values["typed"] = form
            return renderer.with_problem(request, _ONE, problem, **values)
        notice = later("Close confirmed") if confirms else later("Close rejected")
        return redirect(f"{_PAGE_PATH}/{close_id}", notice=notice)


async def _list_values(
    request: PageRequest, renderer: Renderer, interface: InternalClient, actors: ActorDirectory
) -> dict[str, object]:
    found = await _CLOSES.load(request, interface)
    yesterday = renderer.now(request).astimezone(request.user.zone).date() - timedelta(days=1)
    return {
        "closes": found.page.closes,
        "names": await actors.names(request.user.caller.org_id),
        "yesterday": yesterday.isoformat(),
        "typed": Form(),
        **found.values,
    }


async def _values(
    request: PageRequest, interface: InternalClient, actors: ActorDirectory, close_id: str
) -> dict[str, object]:
    found = await interface.read(CloseWithContent, f"{_API}/{close_id}")
    return {
        "found": found,
        "positions": used_positions(found.positions),
        "names": await actors.names(request.user.caller.org_id),
        "typed": Form(),
    }
