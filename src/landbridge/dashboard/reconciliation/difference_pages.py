"""Pages of differences: the list, each with both sides and its history, and the runs."""

import asyncio
from collections.abc import Mapping
from typing import Final

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.team.service import Team
from landbridge.dashboard.approvals.review_lists import ReviewList
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.reconciliation.positions import used_positions
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later
from landbridge.reporting.reconciliation.schemas import (
    DifferencePage,
    DifferenceWithHistory,
    ReconRunPage,
    ReconSourcesReply,
)

_API, _PAGE_PATH = "/v2/reconciliation", "/dashboard/reconciliation"
_DIFFERENCES: Final = ReviewList(
    f"{_API}/differences",
    DifferencePage(count=0, differences=[]),
    {"open": ["TIMING", "OPEN", "PROPOSED"], "resolved": ["RESOLVED"]},
)
_RUNS: Final = ReviewList(f"{_API}/runs", ReconRunPage(count=0, runs=[]), {})
_ONE = "reconciliation/difference.html"
# By verb: fields of the form, and the notice after it.
_VERBS: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "assign": (("memberId",), later("Difference assigned")),
    "resolve": (("reason", "amount"), later("Explanation submitted")),
    "accept": (("amount",), later("Difference resolved")),
    "reject": (("reason",), later("Explanation rejected")),
}


class DifferencePages(Controller):
    """`/dashboard/reconciliation`."""

    path = "/reconciliation"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List unresolved or resolved differences, newest first."""
        found = await _DIFFERENCES.load(request)
        return request.page(
            "reconciliation/differences.html",
            differences=found.page.differences,
            names=await request.actor_names(),
            **found.values,
        )

    @get("/runs")
    async def runs(self, request: PageRequest) -> Page:
        """Show the last comparison of each chain, and the runs before."""
        sources, found = await asyncio.gather(
            request.interface.read(ReconSourcesReply, f"{_API}/sources"), _RUNS.load(request)
        )
        return request.page(
            "reconciliation/runs.html",
            sources=[(each, used_positions(each.positions)) for each in sources.sources],
            runs=found.page.runs,
            **found.values,
        )

    @get("/differences/{difference_id:str}")
    async def show(
        self, request: PageRequest, difference_id: FromPath[str], team: NamedDependency[Team]
    ) -> Page:
        """Show one difference, whatever its status."""
        return request.page(_ONE, **await _values(request, team, difference_id))

    @post("/differences/{difference_id:str}")
    async def decide(
        self, request: PageRequest, difference_id: FromPath[str], team: NamedDependency[Team]
    ) -> Page:
        """Assign, explain, accept or reject."""
        form = await read_form(request)
        verb = form.text("verb")
        fields, notice = _VERBS.get(verb, _VERBS["assign"])
        body: dict[str, object] = {
            name: text for name in fields if (text := form.text(name)) or name == "reason"
        }
        if form.is_ticked("adjustLedger"):
            body["adjustLedger"] = True
        path = f"/differences/{difference_id}"
        try:
            await request.interface.post(
                f"{_API}{path}/{verb if verb in _VERBS else 'assign'}", body
            )
        except Refused as problem:
            values = await _values(request, team, difference_id)
            values["typed"] = form
            return request.with_problem(_ONE, problem, **values)
        return redirect(f"{_PAGE_PATH}{path}", notice=notice)


async def _values(request: PageRequest, team: Team, difference_id: str) -> dict[str, object]:
    found = await request.interface.read(
        DifferenceWithHistory, f"{_API}/differences/{difference_id}"
    )
    names, members = await asyncio.gather(
        request.actor_names(), team.list_members(request.user.caller.org_id)
    )
    return {
        "difference": found.difference,
        "history": found.history,
        "names": names,
        "members": [(str(each.id), each.name) for each in members if each.removed_at is None],
        "typed": Form(),
    }
