"""Items of the overview that need attention, each with its number and its age or deadline."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.customers.chain_operations.schemas import ChainList
from landbridge.customers.travel_exchanges.api import ExchangeList
from landbridge.dashboard.approvals.queue_pages import waiting_queues
from landbridge.dashboard.approvals.stuck_pages import STUCK, stuck_path
from landbridge.dashboard.developers.endpoint_health import failing_since
from landbridge.dashboard.organisation.chain_pages import chain_problems
from landbridge.dashboard.payment_lines import chain_name, read_lines
from landbridge.dashboard.payments.payment_details import read_payment
from landbridge.dashboard.transactions.list_views import statuses_of_view
from landbridge.developers.webhooks.schemas import WebhookList, WebhookReply
from landbridge.payments.approvals.inbox_api import ListedApprovalPage
from landbridge.payments.engine.stuck_api import StuckList, StuckReply
from landbridge.payments.rfis.api import TransferReviewPage
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.reporting.reconciliation.close_schemas import ClosePage
from landbridge.reporting.reconciliation.schemas import DifferencePage, HaltPage

_ITEMS_MAX: Final = 8
_MANY: Final = 100
_DEPOSITS: Final = frozenset(
    {
        "INCOMING_PAYMENT",
        "DEPOSIT.SCREENING",
        "WALLET.DEPOSIT.REVERSAL",
        "TREASURY.DEPOSIT.REVERSAL",
    }
)
_RECONCILIATION: Final = "/v2/reconciliation"
_TRANSACTIONS: Final = "/dashboard/transactions"
_TRANSFER_REVIEWS: Final = "/dashboard/reviews/transfers"
_CHAINS_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """Item that needs attention, with its deadline or the start of its wait."""

    path: str
    title: str
    count: int
    has_more: bool = False
    until: str | None = None
    since: str | None = None
    # Which one, where the title says what.
    name: str = ""
    # Kind and id of the one record that it is about.
    record: tuple[str, str] | None = None

    @classmethod
    def of_list(
        cls,
        path: str,
        title: str,
        found: Sequence[object],
        *,
        until: str | None = None,
        since: str | None = None,
    ) -> "AttentionItem":
        """Return one item for a list that was read up to `_MANY` entries."""
        return cls(path, title, len(found), len(found) == _MANY, until, since)


async def attention_items(
    interface: InternalClient, now: datetime, zone: ZoneInfo
) -> Sequence[AttentionItem]:
    """Return everything that waits for the visitor, in the order of the page."""
    groups = await asyncio.gather(
        _approvals(interface),
        _quotes(interface),
        _information_requests(interface),
        _inquiries(interface),
        _reviews(interface),
        _stuck(interface),
        _failed_today(interface, now, zone),
        _chains(interface),
        _webhooks(interface, now),
        _reconciliation(interface),
    )
    return [item for found in groups for item in found]


def _path(of_list: str, ids: Sequence[UUID], pages: str = "") -> str:
    """Return the page of the only record, or the list of several."""
    return of_list if len(ids) > 1 else f"{pages or of_list}/{ids[0]}"


async def _approvals(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return the payments awaiting approval, with the earliest expiry."""
    found = await interface.read(ListedApprovalPage, "/v2/approvals", status="PENDING", limit=_MANY)
    if not found.approvals:
        return ()
    return (
        AttentionItem.of_list(
            _path("/dashboard/approvals", [each.id for each in found.approvals]),
            _("Payments awaiting approval"),
            found.approvals,
            until=min(each.expires_at for each in found.approvals),
        ),
    )


async def _quotes(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return the quotes that await acceptance, one item each by deadline; very many as one item."""
    waiting = (await read_lines(interface, status="OPEN_QUOTE", limit=_MANY)).data
    if len(waiting) > _ITEMS_MAX:
        return (
            AttentionItem.of_list(
                "/dashboard/transactions?status=OPEN_QUOTE",
                _("Quotes awaiting acceptance"),
                waiting,
                since=waiting[-1].updated_at,
            ),
        )
    replies = await asyncio.gather(
        *(read_payment(interface, each.type, each.id) for each in waiting)
    )
    items = [
        AttentionItem(
            path=f"/dashboard/transactions/{details.id}",
            title=_("Quote awaiting acceptance"),
            count=1,
            until=details.quote_information.expires_at,
            record=(each.type, str(each.id)),
        )
        for each, details in zip(waiting, (each.transfer_details for each in replies), strict=True)
        if details.quote_information is not None
    ]
    return sorted(items, key=lambda each: each.until or "")


async def _information_requests(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return the requests for information that await an answer, and those that have one."""
    lists = (("open", "OPEN"), ("answered", "ANSWERED"))
    found = await asyncio.gather(
        *(
            interface.read(TransferReviewPage, "/v2/reviews/transfers", status=status, limit=_MANY)
            for _name, status in lists
        )
    )
    titles = (_("Requests for information"), _("Answers to review"))
    return [
        AttentionItem.of_list(
            _path(
                f"{_TRANSFER_REVIEWS}?show={name}",
                [each.transfer_id for each in reply.reviews],
                _TRANSFER_REVIEWS,
            ),
            title,
            reply.reviews,
            since=min(each.rfi.created_at for each in reply.reviews if each.rfi),
        )
        for (name, _status), title, reply in zip(lists, titles, found, strict=True)
        if reply.reviews
    ]


async def _inquiries(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return the travel rule inquiries of other providers that await an answer, as one item."""
    open_ones = {"direction": "INCOMING", "status": "OPEN"}
    reply = await interface.read(ExchangeList, "/v2/travel-rule/exchanges", **open_ones)
    found = reply.exchanges
    if not found:
        return ()
    return (
        AttentionItem.of_list(
            "/dashboard/inquiries?show=open",
            _("Travel rule inquiries"),
            found,
            since=found[-1].created_at,
        ),
    )


async def _failed_today(
    interface: InternalClient, now: datetime, zone: ZoneInfo
) -> Sequence[AttentionItem]:
    """Return the payments of today that failed, as one item."""
    today = now.astimezone(zone).date()
    statuses = statuses_of_view("failed")
    found = await read_lines(
        interface,
        status=statuses,
        createdAfter=datetime.combine(today, time(), tzinfo=zone).isoformat(),
        limit=_MANY,
    )
    failed = found.data
    if not failed:
        return ()
    return (
        AttentionItem.of_list(
            _path(
                f"{_TRANSACTIONS}?view=failed&from={today}",
                [each.id for each in failed],
                _TRANSACTIONS,
            ),
            _("Payments of today that failed"),
            failed,
            since=failed[-1].created_at,
        ),
    )


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
    return stuck_items((await interface.read(StuckList, "/v2/stuck")).stuck)


def stuck_items(found: Sequence[StuckReply]) -> Sequence[AttentionItem]:
    """Return the one stuck payment or deposit, or several as one item."""
    if len(found) > 1:
        return (
            AttentionItem.of_list(STUCK, _("Stuck payments"), found, since=found[0].waits_since),
        )
    return [
        AttentionItem(
            path=stuck_path(each),
            title=_("Stuck deposit") if each.type in _DEPOSITS else _("Stuck payment"),
            count=1,
            since=each.waits_since,
            record=(each.type, str(each.id)),
        )
        for each in found
    ]


async def _chains(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return what is wrong on connected chains: floors, stopped accounts, nodes that lag.

    This calls nodes; where one is slow, that is the item, so that the page does not wait for it.
    """
    try:
        async with asyncio.timeout(_CHAINS_S):
            found = (await interface.read(ChainList, "/v2/chains")).chains
    except TimeoutError:
        return (AttentionItem(path="/dashboard/chains", title=_("Chains answer slowly"), count=1),)
    return [
        AttentionItem(
            path=f"/dashboard/chains/{chain.name}",
            title=problem,
            count=1,
            name=chain_name(chain.name),
        )
        for chain in found
        for problem in chain_problems(chain)
    ]


async def _webhooks(interface: InternalClient, now: datetime) -> Sequence[AttentionItem]:
    """Return the webhook endpoints that do not respond."""
    found = (await interface.read(WebhookList, "/v2/webhooks")).webhooks
    active = [each for each in found if each.flagged_at or each.status == "ACTIVE"]
    failing = await asyncio.gather(*(_failing_since(interface, each, now) for each in active))
    return [
        AttentionItem(
            path=f"/dashboard/webhooks/{each.id}",
            title=_("Webhook endpoint not responding"),
            count=1,
            since=since,
        )
        for each, since in zip(active, failing, strict=True)
        if since
    ]


async def _failing_since(
    interface: InternalClient, webhook: WebhookReply, now: datetime
) -> str | None:
    # The flag comes after a day, when the first delivery is given up.
    return webhook.flagged_at or await failing_since(interface, webhook.id, now)


async def _reconciliation(interface: InternalClient) -> Sequence[AttentionItem]:
    """Return halts, differences that people have to explain or accept, and a close that waits."""
    differences, closes, halts = await asyncio.gather(
        interface.read(
            DifferencePage,
            f"{_RECONCILIATION}/differences",
            status=["OPEN", "PROPOSED"],
            limit=_MANY,
        ),
        interface.read(ClosePage, f"{_RECONCILIATION}/closes", limit=1),
        interface.read(
            HaltPage, f"{_RECONCILIATION}/halts", status=["HALTED", "PROPOSED"], limit=_MANY
        ),
    )
    found = differences.differences
    items = [
        AttentionItem(
            path=f"/dashboard/reconciliation/closes/{each.id}",
            title=_("Daily close awaiting confirmation"),
            count=1,
            since=each.signed_at,
        )
        for each in closes.closes
        if each.status == "PREPARED"
    ]
    if halts.halts:
        items.append(
            AttentionItem.of_list(
                "/dashboard/reconciliation/halts",
                _("Halted payments"),
                halts.halts,
                since=halts.halts[-1].halted_at,
            )
        )
    if found:
        items.append(
            AttentionItem.of_list(
                "/dashboard/reconciliation",
                _("Reconciliation differences"),
                found,
                since=found[-1].since,
            )
        )
    return items
