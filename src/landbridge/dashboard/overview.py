"""The first page: what there is, what came and went, and what needs a person now."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.core.errors import Refused
from landbridge.dashboard.approvals.queue_pages import waiting_queues
from landbridge.dashboard.pages import Renderer
from landbridge.dashboard.reports.asking import params_of
from landbridge.dashboard.reports.explore_pages import calculated
from landbridge.dashboard.reports.names import VALUES
from landbridge.dashboard.reports.results import Report
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface

_SHOWN = 8
_MANY = 100
# What is stuck and no payment has its queue instead.
_QUEUES = {
    "RECEIPT": "/dashboard/reviews/deposits",
    "RECEIVABLE": "/dashboard/reviews/receivables",
    "RESOLUTION": "/dashboard/reviews/resolutions",
}


@dataclass(frozen=True, slots=True)
class Call:
    """Something that needs a person: until when, or since when it has waited."""

    path: str
    about: str
    count: int
    has_more: bool = False
    until: str | None = None
    since: str | None = None


class OverviewPages(Controller):
    """`/dashboard`."""

    @get("/")
    async def show(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """The page."""
        balances, volume, latest, *calls = await asyncio.gather(
            interface.get("/v2/balances"),
            _volume(interface, renderer.now(request), request),
            interface.get("/v2/transactions", limit=_SHOWN),
            _approvals(interface),
            _reviews(interface),
            _stuck(interface),
            _webhooks(interface),
        )
        return renderer.page(
            request,
            "overview.html",
            balances=balances,
            volume=volume,
            latest=latest["data"],
            kind_names=KIND_NAMES,
            value_names=VALUES,
            calls=[call for found in calls for call in found],
        )

    @get("/shortcuts")
    async def shortcuts(
        self, request: PageRequest, renderer: NamedDependency[Renderer]
    ) -> Response[str]:
        """The keys that pages know; scripts show the same under `?`."""
        return renderer.page(request, "shortcuts.html")


async def _volume(interface: Interface, now: datetime, request: PageRequest) -> Report | None:
    """What onramps and offramps came to in the last 30 days; None while that can't be told."""
    template = (await interface.get("/v2/reporting/templates/GROSS_VOLUME"))["data"]
    told = {
        "breakdowns": ["transactionType"],
        "transactionTypes": ["onramp", "offramp", "transfer"],
    }
    params = params_of(template, told, now, request.user.zone)
    try:
        return await calculated(interface, template, params, "")
    except Refused:
        return None


async def _approvals(interface: Interface) -> Sequence[Call]:
    """Payments that wait for an admin, and how soon the first of them lapses."""
    found = await interface.get("/v2/approvals", status="PENDING", limit=_MANY)
    waiting: Sequence[Any] = found["approvals"]
    if not waiting:
        return ()
    return (
        Call(
            path="/dashboard/approvals",
            about=_("Payments wait for an approval"),
            count=len(waiting),
            has_more=len(waiting) == _MANY,
            until=min(each["expiresAt"] for each in waiting),
        ),
    )


async def _reviews(interface: Interface) -> Sequence[Call]:
    """The queues of reviewers."""
    return [
        Call(
            path=f"/dashboard/reviews/{each.queue.name}",
            about=each.queue.about,
            count=each.count,
            has_more=each.has_more,
            since=each.since,
        )
        for each in await waiting_queues(interface)
        if each.count and not each.queue.is_calm
    ]


async def _stuck(interface: Interface) -> Sequence[Call]:
    """Payments and deposits that wait for longer than they should: each by itself."""
    found = await interface.get("/v2/stuck")
    return [
        Call(
            path=_QUEUES.get(each["type"], f"/dashboard/transactions/{each['id']}"),
            about=_("Stuck money"),
            count=1,
            since=each["waitsSince"],
        )
        for each in found["stuck"][:_SHOWN]
    ]


async def _webhooks(interface: Interface) -> Sequence[Call]:
    """Endpoints that nothing gets through to."""
    found = await interface.get("/v2/webhooks")
    return [
        Call(
            path=f"/dashboard/webhooks/{each['id']}",
            about=_("A webhook endpoint does not answer"),
            count=1,
            since=each["flaggedAt"],
        )
        for each in found["webhooks"]
        if each["flaggedAt"]
    ]
