"""Lines of bank files that fit nothing: the queue, and each with what the bank wrote."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import Refused
from landbridge.dashboard.asker_names import Askers
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked, listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later
from landbridge.web.inside import Interface

_SHOWN: Final[Mapping[str, Sequence[str]]] = {
    "waiting": ["UNMATCHED"],
    "resolved": ["RESOLVED"],
    "matched": ["MATCHED"],
    "new": ["NEW"],
}
_REVIEWS, _HERE = "/v2/reviews/bank-lines", "/dashboard/reviews/bank-lines"
_ONE = "approvals/bank_line.html"
_UNPROCESSABLE = 422


class BankLinePages(Controller):
    """`/dashboard/reviews/bank-lines`."""

    path = "/reviews/bank-lines"

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
        is_full = found["count"] == PAGE_SIZE
        return renderer.page(
            request,
            "approvals/bank_lines.html",
            status=_UNPROCESSABLE if wrong else 200,
            lines=found["reviews"],
            asked=told,
            shown=shown,
            next=told.older(found["nextCursor"]) if is_full else None,
            wrong=wrong,
        )

    @get("/{line_id:str}")
    async def show(
        self,
        request: PageRequest,
        line_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """One, whatever has become of it."""
        values = await _values(request, interface, askers, line_id)
        return renderer.page(request, _ONE, **values)

    @post("/{line_id:str}")
    async def resolve(
        self,
        request: PageRequest,
        line_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """Say what it was, and have done what follows."""
        form = await read_form(request)
        names = ("resolution", "comment", "transferId", "depositId")
        typed = {name: form.text(name) for name in names}
        # What is left empty is not told, but for the two that every resolution has.
        body = {name: text for name, text in typed.items() if text or name in names[:2]}
        try:
            await interface.post(f"{_REVIEWS}/{line_id}/resolve", body)
        except Refused as problem:
            values = await _values(request, interface, askers, line_id)
            values["typed"] = form
            return renderer.again(request, _ONE, problem, **values)
        return go(f"{_HERE}/{line_id}", said=later("The line was resolved."))


async def _values(
    request: PageRequest, interface: Interface, askers: Askers, line_id: str
) -> dict[str, Any]:
    return {
        "line": await interface.get(f"{_REVIEWS}/{line_id}"),
        "names": await askers.names(request.user.caller.org_id),
        "typed": Form(),
    }
