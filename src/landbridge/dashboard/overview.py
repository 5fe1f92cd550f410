"""Overview page: balances, 30-day volume, latest transactions and items that need attention."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.dashboard.approvals.queue_pages import waiting_queues
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.payments.kinds import find_kind_by_type
from landbridge.dashboard.rendering import Renderer
from landbridge.dashboard.reports.explore_pages import calculate_report
from landbridge.dashboard.reports.names import VALUE_LABELS
from landbridge.dashboard.reports.report_query import params_of, query_of
from landbridge.dashboard.reports.results import ReportView
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_ITEMS_MAX = 8
_MANY = 100
# Stuck objects that are not payments link to their queue.
_QUEUES = {
    "INCOMING_PAYMENT": "/dashboard/reviews/deposits",
    "DEPOSIT.SCREENING": "/dashboard/reviews/deposit-screenings",
    "RECEIVABLE": "/dashboard/reviews/receivables",
    "RESOLUTION": "/dashboard/reviews/resolutions",
    "WALLET.DEPOSIT.REVERSAL": (
        "/dashboard/audit-log?actorType=worker&kind=WALLET.DEPOSIT.REVERSAL"
    ),
    "TREASURY.DEPOSIT.REVERSAL": (
        "/dashboard/audit-log?actorType=worker&kind=TREASURY.DEPOSIT.REVERSAL"
    ),
}


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """Item that needs attention, with its deadline or the start of its wait."""

    path: str
    title: str
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
        interface: NamedDependency[InternalClient],
    ) -> Response[str]:
        """Show the overview."""
        balances, (volume, volume_query), latest, *groups = await asyncio.gather(
            interface.get("/v2/balances"),
            _volume(interface, renderer.now(request), request),
            interface.get("/v2/transactions", limit=_ITEMS_MAX, expand="parties"),
            _approvals(interface),
            _quotes(interface),
            _reviews(interface),
            _stuck(interface),
            _webhooks(interface),
            _reconciliation(interface),
        )
        return renderer.page(
            request,
            "overview.html",
            balances=balances,
            volume=volume,
            volume_path=f"/dashboard/reports/explore?{volume_query}",
            latest=latest["data"],
            value_names=VALUE_LABELS,
            attention=[item for found in groups for item in found],
        )

    @get("/shortcuts")
    async def shortcuts(
        self, request: PageRequest, renderer: NamedDependency[Renderer]
    ) -> Response[str]:
        """List the keyboard shortcuts; scripts show the same list for `?`."""
        return renderer.page(request, "shortcuts.html")


async def _volume(
    interface: InternalClient, now: datetime, request: PageRequest
) -> tuple[ReportView | None, str]:
    """Return the volume of onramps, offramps and transfers of 30 days, and the report's query.

    None if it is unavailable.
    """
    template = (await interface.get("/v2/reporting/templates/GROSS_VOLUME"))["data"]
    submitted = {
        "breakdowns": ["transactionType"],
        "transactionTypes": ["onramp", "offramp", "transfer"],
    }
    params = params_of(template, submitted, now, request.user.zone)
    query = query_of(template["name"], params)
    try:
        return await calculate_report(interface, template, params, ""), query
    except Refused:
        return None, query


async def _approvals(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return the payments awaiting approval, with the earliest expiry."""
    found = await interface.get("/v2/approvals", status="PENDING", limit=_MANY)
    waiting: Sequence[Any] = found["approvals"]
    if not waiting:
        return ()
    return (
        AttentionItem(
            path="/dashboard/approvals",
            title=_("Payments awaiting approval"),
            count=len(waiting),
            has_more=len(waiting) == _MANY,
            until=min(each["expiresAt"] for each in waiting),
        ),
    )


async def _quotes(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return the quotes that await acceptance, one item each by deadline; very many as one item."""
    found = await interface.get("/v2/transactions", status="OPEN_QUOTE", limit=_MANY)
    waiting: Sequence[Any] = found["data"]
    if len(waiting) > _ITEMS_MAX:
        return (
            AttentionItem(
                path="/dashboard/transactions?status=OPEN_QUOTE",
                title=_("Quotes awaiting acceptance"),
                count=len(waiting),
                has_more=len(waiting) == _MANY,
                since=waiting[-1]["updatedAt"],
            ),
        )
    replies = await asyncio.gather(
        *(interface.get(f"{find_kind_by_type(each['type']).path}/{each['id']}") for each in waiting)
    )
    items = [
        AttentionItem(
            path=f"/dashboard/transactions/{details['id']}",
            title=_("Quote awaiting acceptance"),
            count=1,
            until=details["quoteInformation"]["expiresAt"],
        )
        for details in (each["transferDetails"] for each in replies)
        if details["quoteInformation"] is not None
    ]
    return sorted(items, key=lambda each: each.until or "")


async def _reviews(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return the reviewers' queues that are not empty."""
    return [
        AttentionItem(
            path=f"/dashboard/reviews/{each.queue.name}",
            title=each.queue.title,
            count=each.count,
            has_more=each.has_more,
            since=each.since,
        )
        for each in await waiting_queues(interface)
        if each.count and not each.queue.is_low_priority
    ]


async def _stuck(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return stuck payments and deposits, one item each."""
    found = await interface.get("/v2/stuck")
    return [
        AttentionItem(
            path=_QUEUES.get(each["type"], f"/dashboard/transactions/{each['id']}"),
            title=_("Stuck payment"),
            count=1,
            since=each["waitsSince"],
        )
        for each in found["stuck"][:_ITEMS_MAX]
    ]


async def _webhooks(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return the webhook endpoints that do not respond."""
    found = await interface.get("/v2/webhooks")
    return [
        AttentionItem(
            path=f"/dashboard/webhooks/{each['id']}",
            title=_("Webhook endpoint not responding"),
            count=1,
            since=each["flaggedAt"],
        )
        for each in found["webhooks"]
        if each["flaggedAt"]
    ]


async def _reconciliation(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return the differences that people have to explain or accept, and a close that waits."""
    differences, closes = await asyncio.gather(
        interface.get("/v2/reconciliation/differences", status=["OPEN", "PROPOSED"], limit=_MANY),
        interface.get("/v2/reconciliation/closes", limit=1),
    )
    found: Sequence[Any] = differences["differences"]
    items = [
        AttentionItem(
            path=f"/dashboard/reconciliation/closes/{each['id']}",
            title=_("Daily close awaiting confirmation"),
            count=1,
            since=each["signedAt"],
        )
        for each in closes["closes"]
        if each["status"] == "PREPARED"
    ]
    if found:
        items.append(
            AttentionItem(
                path="/dashboard/reconciliation",
                title=_("Reconciliation differences"),
                count=len(found),
                has_more=len(found) == _MANY,
                since=found[-1]["since"],
            )
        )
    return items
